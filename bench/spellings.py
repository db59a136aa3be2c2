# SPDX-License-Identifier: Apache-2.0
"""How much the spelling of an algorithm matters: tests/spellings, each folder of which has one
function in many.

    python bench/spellings.py [ALGORITHM ...]

prints what each spelling becomes as one table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from figures import REPOSITORY, Figure, at_most
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import UNKNOWN, Trips, expected_cycles

FOLDER = REPOSITORY / "tests" / "spellings"
CLOCK_PS = 10_000
MOST_TIME, MOST_AREA = 1.15, 1.2
"""What the worst spelling may take, over the best."""
OTHER = Trips(2 * UNKNOWN.loops, 2 * UNKNOWN.inside)
SAME = 0.1
"""By how much a time may change with guesses about loops that hardly ever turn."""


@dataclass(frozen=True)
class Spelling:
    """What one becomes. `is_known`: whether its cycles follow from the C, and not from a guess how
    often its loops turn. `limit`: why the `ii` of its innermost loop is not less."""

    name: str
    ii: int
    cycles: float
    is_known: bool
    period_ps: int
    lut4: int
    limit: str

    @property
    def time_ps(self) -> float:
        return self.cycles * self.period_ps


def spellings(work: Path) -> list[Figure]:
    """The worst of each algorithm's spellings over the best, of those whose cycles are known."""
    return [figure for name in algorithms() for figure in _figures(name, list(made(name)))]


def algorithms() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def made(algorithm: str) -> Iterator[Spelling]:
    """Every spelling of an algorithm, compiled."""
    for path in sorted((FOLDER / algorithm).glob("*.c*")):
        program, target = Program.of(path), find_target("ecp5")
        schedule = compile_kernel(program, algorithm, target, CLOCK_PS, True).schedule
        main = max(schedule.blocks.values(), key=lambda s: len(s.block.ops) * s.block.is_loop)
        cycles = expected_cycles(schedule)
        yield Spelling(
            path.stem,
            main.ii,
            cycles,
            abs(expected_cycles(schedule, OTHER) / cycles - 1) < SAME,
            schedule.clock_ps,
            estimate_area(schedule)["lut4"],
            main.limits.sentence(),
        )


def _figures(algorithm: str, found: Sequence[Spelling]) -> list[Figure]:
    known = [one for one in found if one.is_known]
    left = at_most(f"{algorithm}: spellings not compared", len(found) - len(known), "")
    if len(known) < 2:
        return [left]
    times, areas = [one.time_ps for one in known], [float(one.lut4) for one in known]
    return [
        at_most(f"{algorithm}: time, worst over best", max(times) / min(times), "", MOST_TIME),
        at_most(f"{algorithm}: LUT4, worst over best", max(areas) / min(areas), "", MOST_AREA),
        left,
    ]


def show_table(names: Sequence[str]) -> None:
    """One line a spelling; cycles that are a guess have a `?`."""
    for name in names:
        for one in made(name):
            cycles = f"{one.cycles:,.0f}{' ' if one.is_known else '?'}"
            print(
                f"{name:15}{one.name:18}{one.ii:3}{cycles:>11}{one.lut4:>8,}  {one.limit}",
                flush=True,
            )


if __name__ == "__main__":
    show_table(sys.argv[1:] or algorithms())
