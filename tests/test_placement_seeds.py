# SPDX-License-Identifier: Apache-2.0
"""Placements differ: where one misses the clock others are tried, and the best one counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tandem.schedule.delays import Target
from tandem.synthesis import flow
from tandem.synthesis.nextpnr import Routed
from tandem.synthesis.result import CriticalPath, Placement, Resources
from tandem.synthesis.yosys import Netlist

RATES_MHZ = {1: 90.0, 2: 98.0, 3: 95.0, 4: 104.0, 5: 110.0}
"""What each seed reaches."""


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds with which something was placed."""
    seeds: list[int] = []

    def place_and_route(*arguments: object) -> Routed:
        seed = arguments[-1]
        assert isinstance(seed, int)
        seeds.append(seed)
        return Routed(RATES_MHZ[seed], 1, CriticalPath(1, 1, ()))

    netlist = Netlist("netlist.json", Resources(), Resources())
    monkeypatch.setattr(flow, "map_design", lambda *_: netlist)
    monkeypatch.setattr(flow, "place_and_route", place_and_route)
    monkeypatch.setattr(flow, "tool_versions", lambda _: {})
    return seeds


def placed(target: Target, folder: Path, seed: int, tries: int) -> Placement:
    verilog = folder / "kernel.sv"
    verilog.write_text("module k(input clk); endmodule\n")
    return flow.synthesize(verilog, "k", target, 10.0, folder / "work", seed, tries=tries)


def test_the_best_seed_counts(target: Target, tmp_path: Path, tried: list[int]) -> None:
    found = placed(target, tmp_path, 1, 3)
    assert tried == [1, 2, 3]
    assert (found.seed, found.fmax_mhz, found.meets_clock) == (2, 98.0, False)
    assert replace(found, fmax_mhz=100.0).meets_clock, "to the picosecond"
    assert not replace(found, fmax_mhz=99.99).meets_clock


def test_none_is_tried_after_one_that_meets(
    target: Target, tmp_path: Path, tried: list[int]
) -> None:
    found = placed(target, tmp_path, 3, 3)
    assert tried == [3, 4]
    assert (found.seed, found.meets_clock) == (4, True)


def test_one_try_is_one_seed(target: Target, tmp_path: Path, tried: list[int]) -> None:
    assert placed(target, tmp_path, 1, 1).seed == 1
    assert tried == [1]
