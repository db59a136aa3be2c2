# SPDX-License-Identifier: Apache-2.0
"""What a kernel is to be: which of those that are tried is worth most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from tandem import policy
from tandem.compiler.room import BUDGET_S, UNLIMITED, Room
from tandem.diagnostics import Diagnostic, Infeasible, user_error
from tandem.passes.shape import Shape
from tandem.schedule.area import cells_of, estimate_area
from tandem.schedule.expected import Trips, expected_cycles
from tandem.schedule.scheduled import KernelSchedule
from tandem.stages import stage

Cost = tuple[float, float, float]
"""How many times its room a kernel takes, what it is worth, and its time: less is better."""
NEVER: Cost = (inf, inf, inf)
TITLES = {"lut4": "LUT4", "ff": "FF", "dsp": "multipliers"}


@dataclass(frozen=True)
class Goal:
    """What a kernel is to be: `unroll_limit` are weighed operations that copies of one loop may be;
    of the kernels that fit the `room` that with the least time^`time` x area^`area` is kept. No
    trial begins `budget_s` after the first one has."""

    name: str
    unroll_limit: int
    time: float
    area: float
    room: Room = UNLIMITED
    budget_s: float = BUDGET_S

    def worth(self, time_ps: float, cells: float) -> float:
        """What a kernel costs: less is better."""
        return time_ps**self.time * cells**self.area

    @property
    def period_exponent(self) -> float:
        """By which power of the period a kernel may take longer: it has fewer registers then."""
        return policy.REGISTERS_SAVED * self.area / max(self.time, 1.0)


GOALS = {
    goal.name: goal
    for goal in (
        Goal("time", policy.COPIED_OPERATIONS_FOR_TIME, 1.0, 0.01),
        Goal("balanced", policy.COPIED_OPERATIONS, policy.TIME_EXPONENT, 1.0),
        Goal("area", policy.COPIED_OPERATIONS_FOR_AREA, 0.1, 1.0),
    )
}
BALANCED = GOALS["balanced"]


def find_goal(name: str, room: Room | None = None, budget_s: float = BUDGET_S) -> Goal:
    """A goal by its name. Raises UserError that lists the known ones."""
    if name not in GOALS:
        raise user_error("goal", f"unknown goal `{name}`", help=f"known are: {', '.join(GOALS)}")
    return replace(GOALS[name], room=room or UNLIMITED, budget_s=budget_s)


def first_shape(goal: Goal) -> Shape:
    """What is made first, and what all others are made from."""
    return Shape(unroll_limit=goal.unroll_limit)


@stage("estimate")
def cost_of(schedule: KernelSchedule, goal: Goal, trips: Trips) -> Cost:
    area = estimate_area(schedule)
    time_ps = expected_cycles(schedule, trips) * schedule.clock_ps
    worth = goal.worth(time_ps, cells_of(schedule))
    return goal.room.excess(area), worth, time_ps


def too_large(schedule: KernelSchedule, goal: Goal) -> Infeasible:
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
            kernel.place(kernel.entry.line),
            "use --optimise area, a slower --clock-ns or narrower integers, or give it more room",
        )
    )
