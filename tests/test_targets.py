# SPDX-License-Identifier: Apache-2.0
"""Target files: what is missing in one is named, and what a family does not have its file says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tandem.compiler import find_target
from tandem.diagnostics import UserError
from tandem.installation import data_file, known
from tandem.ir.kernel import Memory
from tandem.schedule.delays import load_target
from tandem.synthesis.device import device_of
from tandem.synthesis.errors import SynthesisError

COMPILED = (
    *("lut_inputs", "multiplier_bits", "overhead_ps", "large_design_factor", "margin"),
    *("expected_factor", "read_ports", "many_blocks", "lut_part_words", "lut_most_words"),
)
"""What the compiler reads of a target file, beside its operators."""
MAPPED = ("yosys", "nextpnr", "cells_verilog", "options_without_blocks", "device", "package")
"""What synthesis reads of one beside its cells."""
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
    small = Memory("small", "ram", 8, depth=2)
    has_some = bool(device_of(family).cells.lutram)
    assert family.in_look_up_tables(small) == has_some
    assert (family.blocks(small) == 0) == has_some
    assert family.memories.lut_parts(family.memories.lut_part_words + 1) == 2
