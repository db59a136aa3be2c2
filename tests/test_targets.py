# SPDX-License-Identifier: Apache-2.0
"""Target files: what is missing in one is named, and what a family does not have its file says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tandem.commands.options import changed
from tandem.compiler.compile import compile_kernel, find_target
from tandem.diagnostics import UserError
from tandem.frontend.program import Program
from tandem.installation import data_file, known
from tandem.ir.kernel import Memory
from tandem.ir.memory import MemoryKind
from tandem.manifest import read_manifest
from tandem.schedule.area import estimate_area
from tandem.schedule.memory_area import word_registers
from tandem.schedule.target_files import load_target
from tandem.synthesis.device import device_of
from tandem.synthesis.errors import SynthesisError
from tandem.synthesis.harness import Port, harness_text
from tandem.synthesis.open_pins import OpenPin, open_pins
from tandem.synthesis.placers import PLACERS
from trial import good, refused, tandem

APPLICATION = """#include <stdint.h>
#include <stdio.h>
void scale(const uint16_t *in, uint32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) out[i] = in[i] * 3u + 1;
}
int main(void)
{
    static uint16_t in[64];
    static uint32_t out[64];
    scale(in, out, 64);
    printf("%u\\n", (unsigned)out[63]);
    return 0;
}
"""
COMPILED = (
    *("lut_inputs", "table_behind_carry", "multiplier_bits", "overhead_ps", "large_design_factor"),
    "margin",
    *("expected_factor", "read_ports", "many_blocks", "lut_part_words", "lut_most_words"),
    *("least_factor_bits", "least_product_bits", "holds", "sum_bits", "sum_registers"),
    "narrow_sums",
)
"""What the compiler reads of a target file, beside its operators."""
MAPPED = ("yosys", "nextpnr", "cells_verilog", "options_without_blocks", "device", "package")
"""What synthesis reads of one beside its cells."""
HARNESSED = [Port("clk", "input", 1), Port("x", "input", 1), Port("y", "output", 1)]
"""Ports of a module in the harness."""
PINS = ("input", "output", "clock")
"""Of a flip-flop."""


def without(target: str, key: str, folder: Path) -> Path:
    """A target's file without one line."""
    text, count = re.subn(
        rf"(?m)^{key} = .*\n", "", data_file("targets", f"{target}.toml").read_text()
    )
    assert count == 1, key
    file = folder / f"{target}.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("key", COMPILED)
@pytest.mark.parametrize("target", known("targets"))
def test_what_the_compiler_misses_is_named(target: str, key: str, tmp_path: Path) -> None:
    file = without(target, key, tmp_path)
    with pytest.raises(UserError) as raised:
        load_target(file)
    told = raised.value.diagnostics[0]
    assert told.code == "target" and f"'{key}' is missing" in told.message
    assert str(told.place) == str(file)


@pytest.mark.parametrize("key", [*MAPPED, *PINS])
@pytest.mark.parametrize("target", known("targets"))
def test_what_synthesis_misses_is_named(target: str, key: str, tmp_path: Path) -> None:
    changed = dict(find_target(target).synthesis)
    if key in PINS:
        changed["flip_flop"] = {pin: "X" for pin in PINS if pin != key}
    else:
        del changed[key]
    table = load_target(data_file("targets", f"{target}.toml"))
    table.synthesis.clear()
    table.synthesis.update(changed)
    with pytest.raises(SynthesisError, match=f"not complete: .*'{key}'"):
        device_of(table)


@pytest.mark.parametrize("target", known("targets"))
def test_memories_of_look_up_tables(target: str) -> None:
    """Those that a family does not have it counts no cells of, and makes of block RAM."""
    family = find_target(target)
    small = Memory("small", MemoryKind.RAM, 8, depth=2)
    has_some = bool(device_of(family).cells.lutram)
    assert family.in_look_up_tables(small) == has_some
    assert (family.blocks(small) == 0) == has_some
    assert family.memories.lut_parts(family.memories.lut_part_words + 1) == 2


def test_a_placer_that_is_not_known_is_refused() -> None:
    family = load_target(data_file("targets", "ecp5.toml"))
    family.synthesis["nextpnr"] = "ecp6"
    with pytest.raises(SynthesisError, match=r"no placer for `ecp6`\n.*ecp5, ice40, nexus"):
        device_of(family)


@pytest.mark.parametrize("target", known("targets"))
def test_every_pin_of_the_harness_has_a_place_where_nextpnr_chooses_none(target: str) -> None:
    device = device_of(find_target(target))
    assert device.placer.family == device.nextpnr and device.placer is PLACERS[device.nextpnr]
    assert bool(device.pins) == (device.placer.constraints is not None)
    if device.placer.constraints:
        head = harness_text("t", HARNESSED, "clk").splitlines()[0]
        placed = re.findall(r"get_ports (\w+)\]", device.placer.constraints(device.pins))
        assert placed == re.findall(r"put (\w+)", head)


def test_a_carry_that_is_tied_is_opened(tmp_path: Path) -> None:
    """And no other: the next one is behind a carry."""
    cells = {
        "zero": {"type": "VLO", "connections": {"Z": [2]}},
        "first": {"type": "CCU2", "connections": {"CIN": [2], "A0": [2], "COUT": [3]}},
        "next": {"type": "CCU2", "connections": {"CIN": [3], "A0": [2], "COUT": [4]}},
    }
    file = tmp_path / "netlist.json"
    file.write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
    open_pins(file, "top", [OpenPin("CCU2", "CIN", "VLO")])
    opened = json.loads(file.read_text())["modules"]["top"]["cells"]
    assert opened["first"]["connections"] == {"A0": [2], "COUT": [3]}
    assert {name: opened[name] for name in ("zero", "next")} == {
        n: cells[n] for n in ("zero", "next")
    }


def test_targets_are_listed_and_chosen(tmp_path: Path) -> None:
    """By commands that make a package, and in the place of a platform's by those that run one."""
    (tmp_path / "app.c").write_text(APPLICATION)
    rows = json.loads(tandem("list", "targets", "--json", cwd=tmp_path).stdout)
    assert [row["name"] for row in rows] == known("targets")
    for row in rows:
        words = ("app.c", "--target", row["name"], "--clock-ns", 50)
        good(tandem("build", *words, "--top", "scale", "-o", row["name"], cwd=tmp_path))
        package = tmp_path / row["name"] / "scale.tandem"
        assert read_manifest(package)["target"] == row["name"]
    run = tandem(
        "run", "app.c", "--target", "ice40up", "--offload", "scale", "--json", cwd=tmp_path
    )
    assert [kernel["target"] for kernel in json.loads(run.stdout)["kernels"]] == ["ice40up"]
    checked = tandem("verify", "app.c", "--target", "ice40up", "--offload", "scale", cwd=tmp_path)
    good(checked)


def test_a_target_that_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(APPLICATION)
    for command in ("build", "run", "verify"):
        named = "--top" if command == "build" else "--offload"
        words = (command, "app.c", named, "scale", "--target", "none")
        refused(tandem(*words, cwd=tmp_path), "error[target]: unknown target `none`", "ecp5")


def test_the_family_of_a_chip() -> None:
    assert changed("icebreaker-chip", None, "ecp5") == ["chip.target=ecp5"]
    assert changed("src-6e", ["link.setup=1us"], "ecp5") == ["link.setup=1us", "device.target=ecp5"]
    assert changed("src-6e", None, None) == []


def test_where_the_words_of_fifos_lie(tmp_path: Path) -> None:
    """In flip-flops, where a family has no memories of look-up tables; those it does not count."""
    (tmp_path / "app.c").write_text(APPLICATION)
    made = {
        name: compile_kernel(Program.of(tmp_path / "app.c"), "scale", find_target(name), 50_000)
        for name in ("ecp5", "ice40up")
    }
    words = {name: word_registers(kernel.schedule) for name, kernel in made.items()}
    assert words["ecp5"] == 0 and words["ice40up"] % 32 == 0 and words["ice40up"] > 0
    few = estimate_area(made["ecp5"].schedule)["ff"]
    assert (
        words["ice40up"] < estimate_area(made["ice40up"].schedule)["ff"] <= few + words["ice40up"]
    )
