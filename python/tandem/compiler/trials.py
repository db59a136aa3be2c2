# SPDX-License-Identifier: Apache-2.0
"""The best kernel so far of those that are tried, and which of the others need not be made."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from dataclasses import replace
from math import inf

from tandem import policy
from tandem.compiler.fits import Fit, MayWin, any_may
from tandem.compiler.goals import NEVER, Cost, Goal, cost_of, first_shape
from tandem.compiler.room import Room
from tandem.compiler.tried import WORTH_TELLING, Figures, Step
from tandem.compiler.waiting import likeness
from tandem.diagnostics import Infeasible, UserError
from tandem.ir.kernel import Kernel
from tandem.passes.shape import COUNTED, SETS, Shape
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import FEW, UNKNOWN, Trips
from tandem.schedule.scheduled import KernelSchedule
from tandem.schedule.sharing import may_be_shared

TRIED_OPERATIONS = 10_000
"""What trials take grows with the kernels that they make: none begins once those before it have
made so many operations. What is tried first gains most."""


class Trial:
    """The best kernel so far. `make` makes the one of a shape, or None where that cannot win."""

    def __init__(self, make: Callable[[Shape, MayWin], Fit | None], goal: Goal) -> None:
        self.make = make
        self.goal = goal
        self.started = time.monotonic()
        self.is_cut = False
        """Whether a trial did not begin because those before had taken so long."""
        self.shape = first_shape(goal)
        first = make(self.shape, any_may)
        assert first is not None, "the first kernel may win"
        self.best = first
        self.tried = 0
        """How many operations the trials have made."""
        self._size = 0
        """Of the last one that was asked whether it may win."""
        self._costs: dict[Trips, Cost] = {}
        """Of the best one, by how often loops run whose count is not known."""
        self.fastest: Figures | None = None
        """What the fastest one takes that fits, whether it is the best one or not."""
        self.steps: list[Step] = []
        """From each best one to the next."""
        self._close: list[tuple[Shape, Shape]] = []
        """Shapes that were hardly worse than the best one then, and that one."""
        self._lost: set[Hashable] = set()
        """By what shapes that were worse differ from the best one."""
        self._remember(self.best.schedule, {UNKNOWN: self._cost(UNKNOWN)})

    def take(
        self,
        shape: Shape,
        *trips: Trips,
        goes_on: Callable[[Kernel], bool] = lambda _: False,
        gain: float = 1.0,
    ) -> Fit | None:
        """Goes over to another shape if that is worth more, by at least a `gain`, where loops whose
        count is not known run so often, `UNKNOWN` where nothing is said; what it makes, None if it
        makes nothing, would take too long, or cannot win. `goes_on`: whether more would be tried of
        the kernel that it makes, whatever that is worth."""
        if not self._may_begin():
            return None
        counts, change = trips or (UNKNOWN,), (trips, change_to(self.best, self.shape, shape))
        if change in self._lost:
            return None
        try:
            other = self.make(shape, self._may_win(counts, goes_on, gain))
        except (Infeasible, UserError):  # a directive that cannot be had so
            return None
        self.tried += other.schedule.kernel.size if other else self._size
        if other is None or not self._is_taken(other, shape, counts, gain):
            self._lost.add(change)
        return other

    def take_to_fit(self, shape: Shape, room: Room, most: float) -> None:
        """Goes over to another shape if that fits a room, and takes at most so many times as long
        as the best one."""
        if not self._may_begin():
            return
        try:
            other = self.make(shape, any_may)
        except (Infeasible, UserError):
            return
        assert other is not None, "any kernel may win"
        costs = {UNKNOWN: cost_of(other.schedule, self.goal, UNKNOWN)}
        self._remember(other.schedule, costs)
        is_fast = costs[UNKNOWN][2] <= self._cost(UNKNOWN)[2] * most
        if is_fast and not room.missing(estimate_area(other.schedule)):
            self._step(other, shape, costs)

    def _may_begin(self) -> bool:
        """Whether there is time for another trial, or no kernel that fits yet."""
        if not self.fits:
            return True
        if time.monotonic() - self.started > self.goal.budget_s:
            self.is_cut = self.is_cut or self.tried < TRIED_OPERATIONS
        return self.tried < TRIED_OPERATIONS and not self.is_cut

    def _may_win(
        self, counts: tuple[Trips, ...], goes_on: Callable[[Kernel], bool], gain: float
    ) -> MayWin:
        """What says of a kernel that is made whether it may be worth as much as the best one, be
        the fastest, or lead on to others."""

        def may_win(kernel: Kernel, time_ps: Callable[[Trips], float], cells: float) -> bool:
            is_told = UNKNOWN in counts and FEW not in counts  # which is asked of what is large
            is_fast = is_told and time_ps(UNKNOWN) < self._told_from_ps()
            may_win = not self.fits or is_fast or goes_on(kernel)
            may_win = may_win or all(self.is_close(n, time_ps(n), cells, gain) for n in counts)
            self._size = kernel.size
            return may_win

        return may_win

    def _told_from_ps(self) -> float:
        """Below what time a kernel that is not kept would be told."""
        fastest_ps = self.fastest.times_ps[0] if self.fastest else inf
        return min(fastest_ps, self._cost(UNKNOWN)[2] * WORTH_TELLING)

    def is_close(self, trips: Trips, time_ps: float, cells: float, gain: float) -> bool:
        """Whether a kernel that takes such a time and area is hardly worse than one that is worth
        so many times what the best one is."""
        return self.goal.worth(time_ps, cells) * gain <= self._cost(trips)[1] * policy.CLOSE_COST

    def _is_taken(self, other: Fit, shape: Shape, counts: tuple[Trips, ...], gain: float) -> bool:
        """Goes over to another kernel if it is worth more; whether it is, or hardly less."""
        costs = {n: cost_of(other.schedule, self.goal, n) for n in counts}
        self._remember(other.schedule, costs)
        asked = {n: (excess, worth * gain, time) for n, (excess, worth, time) in costs.items()}
        pairs = [(cost, self._cost(n)) for n, cost in asked.items()]
        if all(cost < best for cost, best in pairs):
            self._step(other, shape, costs)
            return True
        close = policy.CLOSE_COST
        is_close = all(cost[0] <= best[0] and cost[1] <= best[1] * close for cost, best in pairs)
        self._close += [(shape, self.shape)] if is_close else []
        return is_close

    def _step(self, other: Fit, shape: Shape, costs: dict[Trips, Cost]) -> None:
        """Goes over to another kernel, of which this much is known of what it costs."""
        figures = Figures.of(self.best.schedule), Figures.of(other.schedule)
        self.steps.append(Step(self.shape, shape, figures))
        self.best, self.shape, self._costs = other, shape, costs
        self._lost.clear()

    def _remember(self, schedule: KernelSchedule, costs: dict[Trips, Cost]) -> None:
        """Keeps the figures of a kernel that fits if it is the fastest one."""
        excess, _, time_ps = costs.get(UNKNOWN, NEVER)
        fits = excess <= 1 or not self.goal.room.most
        if fits and (self.fastest is None or time_ps < self.fastest.times_ps[0]):
            self.fastest = Figures.of(schedule)

    def may_share(self, lines: Collection[tuple[str, int]]) -> bool:
        """Whether sharing a function of these lines may be worth it, or there is no room yet."""
        goal = self.goal
        return not self.fits or may_be_shared(self.best.schedule, lines, goal.time, goal.area)

    def take_close_ones(self) -> None:
        """Tries again what was hardly worse, where something else has been taken since."""
        for shape, other in list(self._close):
            if other is not self.shape:
                self.take(_with_both(self.shape, shape))

    def _cost(self, trips: Trips) -> Cost:
        if trips not in self._costs:
            self._costs[trips] = cost_of(self.best.schedule, self.goal, trips)
        return self._costs[trips]

    @property
    def fits(self) -> bool:
        """Whether the best one fits its room."""
        return not self.goal.room.most or self._cost(UNKNOWN)[0] <= 1


def change_to(fit: Fit, shape: Shape, other: Shape) -> Hashable:
    """By what a shape differs from that of a kernel: the same of two that differ by as much of
    loops that are alike in it, of which one then stands for both."""
    found = Counter[Hashable]()
    for name in (*SETS, *COUNTED):
        for one in getattr(shape, name) ^ getattr(other, name):
            loop, *count = one if isinstance(one, tuple) else (one,)
            found[name, one in getattr(other, name), likeness(fit, loop), *count] += 1
    others = (other.apart, other.multipliers, other.least_ii, other.unroll_limit)
    return frozenset(found.items()), others


def _with_both(shape: Shape, other: Shape) -> Shape:
    """A shape with what is special in another one too."""
    sets = {name: getattr(shape, name) | getattr(other, name) for name in ("apart", *SETS)}
    return replace(shape, **sets, interleaved=shape.interleaved | other.interleaved)
