# SPDX-License-Identifier: Apache-2.0
"""Lattice ECP5, with the tools of Project Trellis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tandem.chip.flows.flow import Clocks, Flow
from tandem.progress import stage
from tandem.synthesis import tools
from tandem.synthesis.placers import ecp5

_PLL = """  wire clk;
  (* FREQUENCY_PIN_CLKI="{in_mhz:g}" *) (* FREQUENCY_PIN_CLKOP="{out_mhz:g}" *)
  EHXPLLL #(
    .CLKI_DIV({clki}), .CLKFB_DIV({clkfb}), .CLKOP_DIV({clkop}), .CLKOP_ENABLE("ENABLED"),
    .CLKOP_CPHASE({phase}), .CLKOP_FPHASE(0), .FEEDBK_PATH("CLKOP")
  ) pll (
    .CLKI(clock_pin), .CLKFB(clk), .CLKOP(clk), .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0),
    .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0)
  );
"""
VCO_MHZ = (400, 800)
"""Lattice, ECP5 and ECP5-5G sysCLOCK PLL/DLL Design and Usage Guide (FPGA-TN-02200), table 14.1."""
MOST_DIVIDER = 128


def _pll(clocks: Clocks) -> str | None:
    """Of the ratios that make the clock the one of the least divider."""
    mhz = clocks.chip_mhz
    clkop = max(1, round(sum(VCO_MHZ) / 2 / mhz))
    if not (VCO_MHZ[0] <= clkop * mhz <= VCO_MHZ[1] and clkop <= MOST_DIVIDER):
        return None
    for clki in range(1, MOST_DIVIDER + 1):
        clkfb, rest = divmod(round(mhz * 1e6) * clki, round(clocks.board_mhz * 1e6))
        if rest == 0 and 1 <= clkfb <= MOST_DIVIDER:
            numbers = {"clki": clki, "clkfb": clkfb, "clkop": clkop, "phase": clkop // 2}
            return _PLL.format(in_mhz=clocks.board_mhz, out_mhz=mhz, **numbers)
    return None


def _constraints(pins: Mapping[str, str], clocks: Clocks) -> str:
    rows = [
        f'LOCATE COMP "{port}" SITE "{pin}";\nIOBUF PORT "{port}" IO_TYPE=LVCMOS33;'
        for port, pin in pins.items()
    ]
    rows.append(f'FREQUENCY PORT "clock_pin" {clocks.board_mhz:g} MHZ;')
    rows.append(f'FREQUENCY NET "clk" {clocks.chip_mhz:g} MHZ;')
    return "\n".join(rows) + "\n"


def _put_content(work: Path, config: str, made: str, old: str, new: str) -> None:
    words = ["-i", config, "-o", made, "-f", old, "-t", new]
    with stage("ecpbram"):
        tools.run(ecp5.find_ecpbram(), words, work, "ecpbram.log")


def _pack(work: Path, config: str, files: Sequence[str]) -> None:
    bit, svf = files
    with stage("ecppack"):
        words = [config, "--bit", bit, "--svf", svf, "--compress"]
        tools.run(ecp5.find_ecppack(), words, work, "ecppack.log")


FLOW = Flow(
    config_option="--textcfg",
    files=("chip.bit", "chip.svf"),
    constraints=_constraints,
    pll=_pll,
    put_content=_put_content,
    pack=_pack,
    has_two_writers=True,
)
