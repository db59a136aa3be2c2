# SPDX-License-Identifier: Apache-2.0
"""A faster kernel that was tried and not kept for its area is told, with what it takes."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from agreement import check, packaged
from tandem.choices import find_goal
from tandem.compiler import Compiled, compile_kernel
from tandem.fastest import Figures, told_fastest
from tandem.frontend.program import Program
from tandem.room import Room
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
SHARES = """void top(const unsigned a[512], unsigned out[64], unsigned b) {
    for (int i = 0; i < 64; i++) {
        unsigned sum = 0;
        for (int k = 0; k < 8; k++)
            sum += a[8 * i + k] / (b + k);
        out[i] = sum;
    }
}"""


def made(folder: Path, target: Target, text: str, goal: str, room: Room | None = None) -> Compiled:
    file = folder / "top.c"
    file.write_text(text)
    return compile_kernel(Program.of(file), "top", target, CLOCK_PS, goal=find_goal(goal, room))


def told(compiled: Compiled) -> list[str]:
    return [note.message for note in compiled.notes if note.code == "faster"]


def test_it_is_told_with_what_it_takes(target: Target, tmp_path: Path) -> None:
    """What was kept takes that when it runs, and the goal `time` finds what is no slower."""
    kept = made(tmp_path, target, SHARES, "balanced")
    (text,) = told(kept)
    numbers = [int(n.replace(",", "")) for n in re.findall(r"\b\d[\d,]*", text)]
    faster, slower, *areas = numbers
    assert 2 * faster < slower and areas[0] > areas[2] and areas[1] > areas[3]
    values = {"a": struct.pack("<512I", *range(512)), "out": bytes(256), "b": 3}
    assert check(packaged(kept, tmp_path), values).cycles == pytest.approx(slower, rel=0.05)
    other = made(tmp_path, target, SHARES, "time")
    assert not told(other)
    assert Figures.of(other.schedule).cycles[0] <= faster


def test_only_less_time_is_told_where_loops_may_run_any_number_of_times(
    target: Target, tmp_path: Path
) -> None:
    text = SHARES.replace("unsigned b)", "unsigned b, unsigned n)").replace("i < 64", "i < n")
    (text,) = told(made(tmp_path, target, text, "balanced"))
    assert "% less time a call and" in text and "cycles" not in text


def test_what_has_no_room_is_not_told(target: Target, tmp_path: Path) -> None:
    assert not told(made(tmp_path, target, SHARES, "balanced", Room(lut4=1000)))


@pytest.mark.parametrize(("part", "is_told"), [(0.95, False), (0.85, True)])
def test_only_what_is_worth_a_line(
    part: float, is_told: bool, target: Target, tmp_path: Path
) -> None:
    schedule = made(tmp_path, target, SHARES, "balanced").schedule
    now = Figures.of(schedule)
    faster = replace(now, cycles=(now.cycles[0] * part, now.cycles[1] * part))
    assert (told_fastest(schedule, faster) is not None) == is_told
    assert told_fastest(schedule, replace(faster, cycles=(faster.cycles[0], now.cycles[1]))) is None
