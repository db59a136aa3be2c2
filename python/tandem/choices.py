# SPDX-License-Identifier: Apache-2.0
"""Which loops stay loops, and which become one.

Copies of a loop's body gain time where they run side by side, and cost area everywhere. A short
loop that is one with the loop around it starts without delay, and all its turns take as long as the
longest way through both. Memories for rows that a nest reads again make it faster only where it
waits for the port. What that does is seen only after all passes: so the loops whose copies ended in
something slow are tried as loops again, short loops as one with their outer loops, and nests with
such memories, one after the other, and the kernel that is worth most is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from tandem.clocks import Fit
from tandem.diagnostics import Diagnostic, Infeasible, Place, UserError, user_error
from tandem.room import UNLIMITED, Room
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import expected_cycles, is_large
from tandem.schedule.scheduler import KernelSchedule

SLOW_CYCLES = 8
"""A block that takes an iteration every so many cycles may be as fast with its loops kept."""
MOST_TRIALS = 6


@dataclass(frozen=True)
class Loops:
    """Lines of loops that are `rolled`, whatever copies of them would gain, and of those that are
    `flattened`, one with the loop around them, or `keeping_rows` that later rows read again; what
    copies of a loop may be, if not what the goal allows."""

    rolled: frozenset[int] = frozenset()
    flattened: frozenset[int] = frozenset()
    keeping_rows: frozenset[int] = frozenset()
    unroll_limit: int | None = None


Cost = tuple[float, float]
"""How many times its room a kernel takes, and what it is worth: less is better."""
TITLES = {"lut4": "LUT4", "ff": "FF", "dsp": "multipliers"}
FEWER_COPIES = (64, 8, 0)
"""Limits of copies that are tried where the kernel is too large."""


@dataclass(frozen=True)
class Goal:
    """What a kernel is to be: `unroll_limit` are weighed operations that copies of one loop may be;
    of the kernels that fit the `room` that with the least time^`time` x area^`area` is kept."""

    name: str
    unroll_limit: int
    time: float
    area: float
    room: Room = UNLIMITED


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


def find_goal(name: str, room: Room | None = None) -> Goal:
    """A goal by its name. Raises UserError that lists the known ones."""
    if name not in GOALS:
        raise user_error("goal", f"unknown goal `{name}`", help=f"known are: {', '.join(GOALS)}")
    return replace(GOALS[name], room=room or UNLIMITED)


def choose_loops(make: Callable[[Loops], Fit], goal: Goal) -> Fit:
    """The best of some kernels; `make` makes one. Raises Infeasible if none of them fits."""
    trial = _Trial(make, goal, Loops())
    for line in _unrolled_for_little(trial.best.schedule)[:MOST_TRIALS]:
        trial.take(replace(trial.loops, rolled=trial.loops.rolled | {line}))
    if not is_large(trial.best.schedule.kernel):
        for line in sorted(trial.best.schedule.kernel.nests)[:MOST_TRIALS]:
            trial.take(replace(trial.loops, flattened=trial.loops.flattened | {line}))
        for line in sorted(trial.best.schedule.kernel.rows)[:MOST_TRIALS]:
            trial.take(replace(trial.loops, keeping_rows=trial.loops.keeping_rows | {line}))
    for limit in FEWER_COPIES:
        if not trial.fits and limit < goal.unroll_limit:
            trial.take(replace(trial.loops, unroll_limit=limit))
    for line in sorted(trial.best.schedule.kernel.unrolled):
        if not trial.fits:
            trial.take(replace(trial.loops, rolled=trial.loops.rolled | {line}))
    if not trial.fits:
        raise _too_large(trial.best.schedule, goal)
    return trial.best


def _too_large(schedule: KernelSchedule, goal: Goal) -> Infeasible:
    area = estimate_area(schedule)
    missing = goal.room.missing(area)
    needed = (f"{area[name]:,} {TITLES[name]}" for name in missing)
    most = (f"{goal.room.most[name]:,}" for name in missing)
    kernel = schedule.kernel
    return Infeasible(
        Diagnostic(
            "room",
            f"the smallest `{kernel.name}` that was found takes {' and '.join(needed)}, more than "
            f"{' and '.join(most)}",
            Place(kernel.source, kernel.entry.line),
            "use --optimise area, a slower --clock-ns or narrower integers, or give it more room",
        )
    )


class _Trial:
    """The best kernel so far."""

    def __init__(self, make: Callable[[Loops], Fit], goal: Goal, loops: Loops) -> None:
        self.make = make
        self.goal = goal
        self.loops = loops
        self.best = make(loops)

    def take(self, loops: Loops) -> None:
        """Goes over to other loops if that is worth more."""
        try:
            other = self.make(loops)
        except (Infeasible, UserError):  # a directive that cannot be had so
            return
        if _cost(other.schedule, self.goal) < self.cost:
            self.best, self.loops = other, loops
            del self.cost

    @cached_property
    def cost(self) -> Cost:
        """Of the best one."""
        return _cost(self.best.schedule, self.goal)

    @property
    def fits(self) -> bool:
        """Whether the best one fits its room."""
        return not self.goal.room.most or self.cost[0] <= 1


def _unrolled_for_little(schedule: KernelSchedule) -> list[int]:
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


def _cost(schedule: KernelSchedule, goal: Goal) -> Cost:
    area = estimate_area(schedule)
    time_ps = expected_cycles(schedule) * schedule.clock_ps
    product = time_ps**goal.time * (area["lut4"] + area["ff"]) ** goal.area
    return goal.room.excess(area), product
