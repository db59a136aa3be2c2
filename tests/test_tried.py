# SPDX-License-Identifier: Apache-2.0
"""What is told of kernels that were tried: one that is faster, and what each step has gained."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agreement import check, packaged
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.compiler.goals import find_goal
from tandem.compiler.room import Room
from tandem.compiler.tried import Figures, Step, told_fastest, with_gains
from tandem.describe.loops import loops_json
from tandem.frontend.program import Program
from tandem.ir.deeds import Deed
from tandem.ir.lines import LoopId
from tandem.passes.shape import Shape
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


def test_a_deed_says_what_it_has_given_and_cost(target: Target, tmp_path: Path) -> None:
    """As the kernels are without it and with it."""
    text = """void top(const float a[40][40], float b[40][40]) {
    for (int i = 1; i < 39; i++)
        for (int j = 1; j < 39; j++)
            b[i][j] = a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j];
    }"""
    kept = made(tmp_path, target, text, "balanced")
    (change,) = (text for row in loops_json(kept.schedule) for text in row["changes"])
    found = re.fullmatch(
        r"what later rows read again is kept, in 2 memories of [\d,]+ bits in all "
        r"\(about ([\d,]+) cycles a call in place of ([\d,]+), [\d,]+ LUT4 in place of [\d,]+; "
        r"estimated\)",
        change,
    )
    assert found, change
    after, before = (int(number.replace(",", "")) for number in found.groups())
    assert before > 1.3 * after
    values = {"a": bytes(6400), "b": bytes(6400)}
    assert check(packaged(kept, tmp_path), values).cycles == pytest.approx(after, rel=0.05)


def figures(*cycles: float, lut4: int = 100) -> Figures:
    return Figures(CLOCK_PS, cycles, lut4, 0)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ((100, 104), (50, 52), "about 50 cycles a call in place of 100, 90 LUT4 in place of 100"),
        ((100, 1000), (50, 500), "50% less time a call, 90 LUT4 in place of 100"),
        ((100, 1000), (50, 900), "10% to 50% less time a call, 90 LUT4 in place of 100"),
        ((100, 1000), (120, 1300), "20% to 30% more time a call, 90 LUT4 in place of 100"),
        ((100, 1000), (120, 900), "90 LUT4 in place of 100"),
    ],
)
def test_what_a_step_gains(before: Any, after: Any, told: str) -> None:
    loop = LoopId(3, 5)
    other = Shape().also("skewed", loop)
    step = Step(Shape(), other, (figures(*before), figures(*after, lut4=90)))
    assert step.gain() == told
    (deed,) = with_gains([Deed("skew", loop)], [step])
    assert deed.gain == told
    both = Step(Shape(), other.also("rolled", loop), step.figures)
    assert with_gains([Deed("skew", loop)], [both]) == [Deed("skew", loop)]
    back = Step(other, Shape(), step.figures)
    assert with_gains([Deed("skew", loop)], [back]) == [Deed("skew", loop)]


@pytest.mark.parametrize(("part", "is_told"), [(0.95, False), (0.85, True)])
def test_only_what_is_worth_a_line(
    part: float, is_told: bool, target: Target, tmp_path: Path
) -> None:
    schedule = made(tmp_path, target, SHARES, "balanced").schedule
    now = Figures.of(schedule)
    faster = replace(now, cycles=tuple(n * part for n in now.cycles), lut4=now.lut4 + 1)
    assert (told_fastest(schedule, faster) is not None) == is_told
    seldom = (*faster.cycles[:-1], now.cycles[-1])  # not where inner loops hardly turn
    assert told_fastest(schedule, replace(faster, cycles=seldom)) is None
    assert told_fastest(schedule, replace(faster, lut4=now.lut4)) is None
    assert told_fastest(schedule, replace(faster, lut4=10**6)) is None, "no device holds it"
