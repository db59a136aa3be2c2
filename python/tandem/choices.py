# SPDX-License-Identifier: Apache-2.0
"""Which loops stay loops.

Copies of a loop's body gain time where they run side by side, and cost area everywhere. What they
do is seen only after all passes: so the loops whose copies ended in something slow are tried as
loops again, one after the other, and the kernel that is worth most is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tandem.clocks import Fit
from tandem.diagnostics import TandemError, user_error
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import expected_cycles, is_large
from tandem.schedule.scheduler import KernelSchedule

SLOW_CYCLES = 8
"""A block that takes an iteration every so many cycles may be as fast with its loops kept."""
MOST_TRIALS = 6


@dataclass(frozen=True)
class Goal:
    """What a kernel is to be: `unroll_limit` are weighed operations that copies of one loop may be;
    the kernel with the least time^`time` x area^`area` is kept."""

    name: str
    unroll_limit: int
    time: float
    area: float


GOALS = {
    goal.name: goal
    for goal in (
        Goal("time", 4096, 1.0, 0.01),
        Goal("balanced", 512, 1.0, 1.0),
        Goal("area", 64, 0.1, 1.0),
    )
}
BALANCED = GOALS["balanced"]
"""Copies are kept where they make the kernel faster by more than they make it larger."""


def find_goal(name: str) -> Goal:
    """A goal by its name. Raises UserError that lists the known ones."""
    if name not in GOALS:
        raise user_error("goal", f"unknown goal `{name}`", help=f"known are: {', '.join(GOALS)}")
    return GOALS[name]


def choose_loops(make: Callable[[frozenset[int]], Fit], goal: Goal) -> Fit:
    """The best of some kernels; `make` makes one in which the loops at some lines of the C stay
    loops."""
    best, rolled = make(frozenset()), frozenset[int]()
    for line in _candidates(best.schedule)[:MOST_TRIALS]:
        try:
            other = make(rolled | {line})
        except TandemError:  # a directive that wants it unrolled
            continue
        if _cost(other.schedule, goal) < _cost(best.schedule, goal):
            best, rolled = other, rolled | {line}
    return best


def _candidates(schedule: KernelSchedule) -> list[int]:
    """Lines of loops that were replaced by copies which ended in slow blocks, the largest first."""
    kernel = schedule.kernel
    if is_large(kernel):
        return []
    slow = [s.block for s in schedule.blocks.values() if (s.ii or s.length) >= SLOW_CYCLES]
    lines = [op.line for block in slow for op in block.ops]
    counts = {
        line: sum(other in inside for other in lines) for line, inside in kernel.unrolled.items()
    }
    found = [line for line, count in counts.items() if count]
    return sorted(found, key=lambda line: -counts[line])


def _cost(schedule: KernelSchedule, goal: Goal) -> float:
    area = estimate_area(schedule)
    time_ps = expected_cycles(schedule) * schedule.clock_ps
    return time_ps**goal.time * (area["lut4"] + area["ff"]) ** goal.area
