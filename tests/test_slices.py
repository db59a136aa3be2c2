# SPDX-License-Identifier: Apache-2.0
"""Slices of older Xilinx families: the rule on netlists of a few cells, and on what yosys makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.diagnostics import UserError
from tandem.interface import compile as build
from tandem.interface import slices
from tandem.library.manifests import library_kernels
from tandem.synthesis import SynthesisError
from tandem.synthesis.slices import FAMILIES, Slices, count_slices, kernel_slices
from trial import good, source, tandem

ROOT = Path(__file__).parents[1]
CLOCK, OTHER_CLOCK, ENABLE, RESET = 2, 3, 4, 5
OUTPUTS = {"O", "Q", "SPO", "DPO"}


def cell(kind: str, **pins: int | str) -> dict[str, Any]:
    return {
        "type": kind,
        "port_directions": {pin: "output" if pin in OUTPUTS else "input" for pin in pins},
        "connections": {pin: [bit] for pin, bit in pins.items()},
    }


def lut(out: int) -> dict[str, Any]:
    return cell("LUT2", I0=90, I1=91, O=out)


def ff(data: int, *, clock: int = CLOCK, enable: int | str = "1", reset: int | str = "0"):
    return cell("FDRE", C=clock, CE=enable, R=reset, D=data, Q=1000 + data)


def counted(*cells: dict[str, Any]) -> Slices:
    return count_slices("xc3se", {"cells": {str(i): cell for i, cell in enumerate(cells)}})


def taken(*cells: dict[str, Any]) -> tuple[int, int]:
    """(the least, the estimate)"""
    found = counted(*cells)
    return found.least, found.estimate


def test_two_halves_are_a_slice() -> None:
    assert taken() == (0, 0)
    assert taken(lut(10)) == (1, 1)
    assert taken(lut(10), lut(11)) == (1, 1)
    assert taken(lut(10), lut(11), lut(12)) == (2, 2)
    assert taken(cell("INV", I=90, O=10), lut(11)) == (1, 1)


def test_a_flip_flop_is_beside_the_table_that_drives_it() -> None:
    assert taken(lut(10), lut(11), ff(10), ff(11)) == (1, 1)
    assert taken(lut(10), lut(11), ff(80), ff(81)) == (1, 2), "others take halves of their own"
    assert taken(lut(10), ff(10), ff(10)) == (1, 1), "one of them does, in a half of its own"
    assert taken(lut(10), lut(11), ff(10), ff(10), ff(11)) == (2, 2)


@pytest.mark.parametrize("other", [{"clock": OTHER_CLOCK}, {"enable": ENABLE}, {"reset": RESET}])
def test_flip_flops_of_a_slice_share_clock_enable_and_reset(other: dict[str, int]) -> None:
    assert taken(lut(10), lut(11), ff(10), ff(11, **other)) == (1, 2)
    assert taken(lut(10), lut(11), lut(12), lut(13), ff(10), ff(11, **other)) == (2, 2)
    assert taken(lut(10), lut(11), ff(10, **other), ff(11, **other)) == (1, 1)


def test_set_and_reset_by_one_net_go_together() -> None:
    is_set = cell("FDSE", C=CLOCK, CE="1", S=RESET, D=11, Q=1011)
    assert taken(lut(10), lut(11), ff(10, reset=RESET), is_set) == (1, 1)
    at_once = cell("FDCE", C=CLOCK, CE="1", CLR=RESET, D=11, Q=1011)
    assert taken(lut(10), lut(11), ff(10, reset=RESET), at_once) == (1, 2)


def test_a_wide_multiplexer_takes_both_tables_of_its_slice() -> None:
    five = cell("MUXF5", I0=10, I1=11, S=92, O=20)
    assert taken(lut(10), lut(11), five) == (1, 1)
    assert taken(lut(10), lut(11), five, lut(12)) == (2, 2)
    assert taken(lut(10), five) == (1, 1), "the other table passes on what is not from one"
    assert taken(lut(10), lut(11), five, ff(20)) == (1, 1)
    same = cell("MUXF5", I0=11, I1=10, S=93, O=21)
    assert taken(lut(10), lut(11), five, same) == (2, 2)


def test_the_second_multiplexer_is_in_one_of_the_slices_that_it_joins() -> None:
    tables = [lut(bit) for bit in (10, 11, 12, 13)]
    fives = [
        cell("MUXF5", I0=10, I1=11, S=92, O=20),
        cell("MUXF5", I0=12, I1=13, S=92, O=21),
    ]
    six = cell("MUXF6", I0=20, I1=21, S=93, O=30)
    assert taken(*tables, *fives, six) == (2, 2)
    assert taken(*tables, *fives, six, ff(20), ff(21), ff(30)) == (2, 2)
    other = ff(30, clock=OTHER_CLOCK)
    assert taken(*tables, *fives, six, ff(20), ff(21), other) == (2, 3)
    assert counted(*tables, *fives, six).wide == 3


def test_a_bit_of_a_chain_is_in_the_half_of_its_table() -> None:
    chain = [
        *(lut(10), cell("MUXCY", CI="0", DI=90, S=10, O=40), cell("XORCY", CI="0", LI=10, O=50)),
        *(lut(11), cell("MUXCY", CI=40, DI=91, S=11, O=41), cell("XORCY", CI=40, LI=11, O=51)),
    ]
    assert taken(*chain) == (1, 1)
    assert taken(*chain, ff(50), ff(51)) == (1, 1)
    assert taken(*chain, cell("XORCY", CI=41, LI=95, O=52)) == (2, 2), "without a table of its own"
    assert counted(*chain).carry == 2


def test_memories_of_tables() -> None:
    both = cell("RAM16X1D", A0=90, DPRA0=91, D=92, WCLK=CLOCK, WE=ENABLE, SPO=10, DPO=11)
    assert taken(both) == (1, 1)
    assert taken(both, both, lut(12)) == (3, 3)
    assert counted(both).lut4 == 2


def test_what_is_not_in_slices() -> None:
    blocks = [cell("RAMB16_S36"), cell("MULT18X18"), cell("DSP48"), cell("VCC"), cell("BUFG")]
    found = counted(*blocks)
    assert (found.bram, found.dsp, found.estimate) == (1, 2, 0)
    with pytest.raises(SynthesisError, match="does not know the cell LUT6"):
        counted(cell("LUT6"))


SUM = """module top(input clk, input [7:0] a, b, output reg [7:0] s);
    always @(posedge clk) s <= a + b;
endmodule
"""
REGISTERS = """module top(input clk, input [6:0] a, output reg [6:0] s);
    always @(posedge clk) s <= a;
endmodule
"""
PRODUCT = """module top(input clk, input signed [15:0] a, b, output reg signed [31:0] s);
    always @(posedge clk) s <= a * b;
endmodule
"""


def test_what_yosys_maps(tmp_path: Path) -> None:
    found = mapped(SUM, "xc3se", tmp_path)
    assert (found.lut4, found.ff, found.carry) == (8, 8, 8)
    assert (found.least, found.estimate) == (4, 4)
    found = mapped(REGISTERS, "xc3se", tmp_path)
    assert (found.lut4, found.ff, found.least, found.estimate) == (0, 7, 4, 4)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_multipliers(family: str, tmp_path: Path) -> None:
    found = mapped(PRODUCT, family, tmp_path)
    assert (found.dsp, found.lut4) == (1, 0)


def mapped(text: str, family: str, folder: Path) -> Slices:
    verilog = folder / "top.sv"
    verilog.write_text(text)
    return kernel_slices(verilog, "top", family)


PUBLISHED = {k.name: k for k in library_kernels().values() if any(c.slices for c in k.published)}
MOST = {"aes128_encrypt": 1877, "present80_encrypt": 271}
"""Cores of the same 12 and 33 cycles on a Spartan-3E, written by hand."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_ciphers_are_smaller_than_the_published_cores(name: str, tmp_path: Path) -> None:
    kernel, (core,) = PUBLISHED[name], PUBLISHED[name].published
    assert core.slices == MOST[name] and core.family is not None
    assert core.cycles == kernel.cycles
    result = build(kernel.source, name, clock_ns=kernel.clock_ns, output=tmp_path)
    area = slices(result, core.family)["slices"]
    least, estimate = area["least"], area["estimate"]
    assert least <= estimate <= core.slices
    percent = round(100 * (estimate / core.slices - 1))
    row = f"| {core.slices:,} slices | {estimate:,} ({percent:+} %) | {least:,} |"
    assert row in (ROOT / "docs" / "slices.md").read_text()


def test_on_the_command_line(tmp_path: Path) -> None:
    source(tmp_path)
    done = tandem("build", "app.c", "--top", "scale", "--slices", "xc3s", cwd=tmp_path)
    good(done)
    assert "on Spartan-3 (xc3s): " in done.stdout
    done = tandem("build", "app.c", "--top", "scale", "--slices", "xc2v", "--json", cwd=tmp_path)
    good(done)
    assert json.loads(done.stdout)["slices"]["family"] == "xc2v"


def test_an_unknown_family_is_told_before_the_build(tmp_path: Path) -> None:
    source(tmp_path)
    done = tandem("build", "app.c", "--top", "scale", "--slices", "xc7", cwd=tmp_path)
    assert done.returncode == 2
    assert "error[slices]: --slices: no rule for a family `xc7`" in done.stderr
    assert "known are: xc2v (Virtex-II), xc3s (Spartan-3)" in done.stderr
    assert not (tmp_path / "build").exists()
    with pytest.raises(UserError, match="no rule for a family `xc7`"):
        kernel_slices(tmp_path / "none.sv", "top", "xc7")
