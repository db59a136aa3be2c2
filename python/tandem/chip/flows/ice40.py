# SPDX-License-Identifier: Apache-2.0
"""Lattice iCE40, with the tools of Project IceStorm."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tandem.chip.flows.flow import Clocks, Flow
from tandem.progress import stage
from tandem.synthesis import tools
from tandem.synthesis.placers import ice40

_PLL = """  wire clk;
  SB_PLL40_PAD #(
    .FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd{divf}), .DIVQ(3'd{divq}),
    .FILTER_RANGE(3'd{filter})
  ) pll (
    .PACKAGEPIN(clock_pin), .PLLOUTGLOBAL(clk), .RESETB(1'b1), .BYPASS(1'b0)
  );
"""
# Lattice, iCE40 UltraPlus family data sheet (FPGA-DS-02008), table 4.22.
VCO_MHZ = (533, 1066)
REFERENCE_MHZ = (10, 133)
OUTPUT_MHZ = (16, 275)
# Lattice, iCE40 sysCLOCK PLL Design and Usage Guide (FPGA-TN-02052): the feedback divider, and the
# powers of two that divide the output.
MOST_DIVF = 127
DIVQS = range(1, 7)
FILTERS_MHZ = (17, 26, 44, 66, 101)
"""Below which reference clock each filter range from 1 on is the right one, as icepll has it."""


def _pll(clocks: Clocks) -> str | None:
    """The oscillator is the reference as it is."""
    reference = clocks.board_mhz
    limits = {reference: REFERENCE_MHZ, clocks.chip_mhz: OUTPUT_MHZ}
    if not all(least <= mhz <= most for mhz, (least, most) in limits.items()):
        return None
    for divq in DIVQS:
        vco = clocks.chip_mhz * 2**divq
        times, rest = divmod(round(vco * 1e6), round(reference * 1e6))
        if rest == 0 and VCO_MHZ[0] <= vco <= VCO_MHZ[1] and 1 <= times <= MOST_DIVF + 1:
            filter_range = 1 + sum(reference >= limit for limit in FILTERS_MHZ)
            return _PLL.format(divf=times - 1, divq=divq, filter=filter_range)
    return None


def _constraints(pins: Mapping[str, str], _: Clocks) -> str:
    """Pins alone: nextpnr knows the one clock, and derives none of it."""
    return "".join(f"set_io {port} {pin}\n" for port, pin in pins.items())


def _put_content(work: Path, config: str, made: str, old: str, new: str) -> None:
    with stage("icebram"):
        tools.filter_file(ice40.find_icebram(), [old, new], work, config, made, "icebram.log")


def _pack(work: Path, config: str, files: Sequence[str]) -> None:
    binary, text = files
    with stage("icepack"):
        tools.run(ice40.find_icepack(), [config, binary], work, "icepack.log")
    shutil.copyfile(work / config, work / text)


FLOW = Flow(
    config_option="--asc",
    files=("chip.bin", "chip.asc"),
    constraints=_constraints,
    pll=_pll,
    put_content=_put_content,
    pack=_pack,
    has_two_writers=False,
)
