# SPDX-License-Identifier: Apache-2.0
"""Flip-flops around a block become its registers, and only those that may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.schedule.delays import Target
from tandem.synthesis.absorb import absorb_registers
from tandem.synthesis.device import device_of

CLOCK, SERIAL, OTHER_CLOCK = 2, 3, 4
A, B, P = (10, 11), (12, 13), (14, 15)
"""The bits at a multiplier block; flip-flops are between them and those 100 further on."""
FAR = 100


def _cell(kind: str, outputs: dict[str, Any], inputs: dict[str, Any], **parameters: str) -> dict:
    return {
        "type": kind,
        "parameters": parameters,
        "port_directions": dict.fromkeys(outputs, "output") | dict.fromkeys(inputs, "input"),
        "connections": {pin: [bit] for pin, bit in {**outputs, **inputs}.items()},
    }


def _ff(data: int, q: int, clock: int = CLOCK, enable: str = "1 ") -> dict:
    return _cell("TRELLIS_FF", {"Q": q}, {"DI": data, "CLK": clock, "LSR": "0"}, CEMUX=enable)


def _netlist() -> dict[str, dict]:
    """A product of two bits each, with registers before and behind."""
    cells: dict[str, dict] = {}
    for bit in (*A, *B):
        cells[f"design.before{bit}"] = _ff(bit + FAR, bit)
    for bit in P:
        cells[f"design.behind{bit}"] = _ff(bit, bit + FAR)
        cells[f"reader{bit}"] = _ff(bit + FAR, bit + 2 * FAR)
    inputs = {
        f"{name}{i}": bit for name, bits in (("A", A), ("B", B)) for i, bit in enumerate(bits)
    }
    outputs = {f"P{i}": bit for i, bit in enumerate(P)}
    cells["design.product"] = _cell("MULT18X18D", outputs, inputs | {"A2": "0", "SIGNEDA": "0"})
    return cells


def _absorbed(cells: dict[str, dict], target: Target, folder: Path) -> tuple[int, dict[str, dict]]:
    """How many flip-flops were taken, and the cells that are left."""
    file = folder / "netlist.json"
    ports = {"out": {"direction": "output", "bits": [bit + 2 * FAR for bit in P]}}
    file.write_text(json.dumps({"modules": {"top": {"ports": ports, "cells": cells}}}))
    device = device_of(target)
    taken = absorb_registers(file, "top", "design", device.flip_flop, device.registers)
    return taken, json.loads(file.read_text())["modules"]["top"]["cells"]


def test_registers_on_both_sides(target: Target, tmp_path: Path) -> None:
    taken, cells = _absorbed(_netlist(), target, tmp_path)
    block = cells["design.product"]
    assert taken == 6 and sorted(cells) == ["design.product", "reader14", "reader15"]
    assert block["connections"]["A0"] == [A[0] + FAR]
    assert block["connections"]["P1"] == [P[1] + FAR]
    assert block["connections"]["CLK0"] == [CLOCK] and block["connections"]["CE0"] == ["1"]
    on = {name for name, clock in block["parameters"].items() if clock == "CLK0"}
    assert on == {"REG_INPUTA_CLK", "REG_INPUTB_CLK", "REG_OUTPUT_CLK"}


def test_a_factor_that_is_read_elsewhere_keeps_its_register(target: Target, tmp_path: Path) -> None:
    cells = _netlist()
    cells["design.other"] = _ff(A[0], 50)
    cells["reader"] = _ff(50, 51)
    taken, left = _absorbed(cells, target, tmp_path)
    assert taken == 5 and "design.before10" in left
    assert left["design.product"]["connections"]["A0"] == [A[0] + FAR]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("design.before12", _ff(B[0] + FAR, B[0], enable="CE")),
        ("design.before12", _ff(B[0] + FAR, B[0], clock=OTHER_CLOCK)),
        ("design.before12", _cell("LUT4", {"Z": B[0]}, {"A": B[0] + FAR})),
    ],
    ids=["enabled", "another clock", "logic"],
)
def test_one_input_without_a_register_keeps_all(
    name: str, other: dict, target: Target, tmp_path: Path
) -> None:
    taken, left = _absorbed(_netlist() | {name: other}, target, tmp_path)
    assert taken == len(P) and "design.before10" in left
    assert "REG_INPUTA_CLK" not in left["design.product"]["parameters"]


def test_a_product_that_is_read_at_once_keeps_its_registers(target: Target, tmp_path: Path) -> None:
    cells = _netlist()
    cells["reader"] = _cell("LUT4", {"Z": 60}, {"A": P[0]})
    taken, left = _absorbed(cells, target, tmp_path)
    assert taken == len(A) + len(B) and "design.behind14" in left


def test_what_is_around_the_design_stays(target: Target, tmp_path: Path) -> None:
    cells = {name.replace("design.before", "before"): cell for name, cell in _netlist().items()}
    taken, left = _absorbed(cells, target, tmp_path)
    assert taken == len(P) and "before10" in left
