# SPDX-License-Identifier: Apache-2.0
"""Which loops stay loops, which become one, and which functions all of their calls share.

Copies of a loop's body gain time where they run side by side, and cost area everywhere. A short
loop that is one with the loop around it starts without delay, and all its turns take as long as the
longest way through both. Memories for rows that a nest reads again, and registers for what a loop
has just stored, make it faster only where it waits for the port or the store. What that does is
seen only after all passes: so the loops whose copies ended in something slow are tried as loops
again, short loops as one with their outer loops, and nests and loops with such memories and
registers, one after the other, and the kernel that is worth most is kept. Before that, large
functions that are called several times are tried as one: a copy for each call takes no time to
reach, but as much room as the first. Where there are fewer multipliers than products, these share
them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from math import inf

from tandem import policy
from tandem.compiler.clocks import Fit
from tandem.compiler.room import BUDGET_S, UNLIMITED, Room
from tandem.compiler.tried import Figures, Step
from tandem.diagnostics import Diagnostic, Infeasible, UserError, user_error
from tandem.ir.blocks import Block
from tandem.ir.lines import LoopId
from tandem.ir.processes import processes
from tandem.passes.interleave import turns_to_try
from tandem.passes.shape import SETS, Shape
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import (
    MANY,
    SOME_INSIDE,
    UNKNOWN,
    Trips,
    expected_cycles,
    is_large,
    seldom_entered,
)
from tandem.schedule.limits import LimitKind
from tandem.schedule.scheduled import KernelSchedule
from tandem.schedule.sharing import may_be_shared
from tandem.stages import stage

TRIED_OPERATIONS = 10_000
"""What trials take grows with the kernels that they make: none begins once those before it have
made so many operations. What is tried first gains most."""


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


def choose_shape(
    make: Callable[[Shape], Fit],
    goal: Goal,
    repeated: Callable[[frozenset[str]], Mapping[str, Collection[tuple[str, int]]]] = lambda _: {},
) -> Fit:
    """The best of some kernels; `make` makes one. `repeated`: functions of which a kernel holds
    several copies, with others apart, and their lines. Raises Infeasible if none of them fits."""
    trial = _Trial(make, goal)
    in_turns: list[str] = []
    for name in list(repeated(trial.shape.apart))[: policy.MOST_TRIALS]:
        lines = repeated(trial.shape.apart).get(name)
        if lines is not None and trial.may_share(lines):
            inlined = trial.best
            trial.take(replace(trial.shape, apart=trial.shape.apart | {name}))
            if inlined is not trial.best and _turns_of_all(inlined):
                in_turns.append(name)
    _split_borders(trial)
    _keep_rows(trial)  # before a loop of copies is a loop again for the reads that they share
    for loop in _unrolled_for_little(trial.best.schedule)[: policy.MOST_TRIALS]:
        shape = trial.shape.also("rolled", loop)
        # Beside few iterations borders are long: what is between them is worth its copies.
        made = trial.take(shape, *((UNKNOWN, MANY) if shape.bordered else ()))
        if made is not None:
            _interleave(trial, shape, made, loop)
            _split(trial, shape, made)
            _interchange(trial, shape, made, loop)
    if not is_large(trial.best.schedule.kernel):
        _take_each(trial, "while_nests", "kept_apart", trips=SOME_INSIDE)
        _interleave_all(trial)
        for loop in sorted(trial.best.schedule.kernel.independent)[: policy.MOST_TRIALS]:
            _interleave(trial, trial.shape, trial.best, loop)
        _split(trial, trial.shape, trial.best)
        for loop in sorted(trial.best.schedule.kernel.mixed)[: policy.MOST_TRIALS]:
            _part(trial, loop)
        for loop in sorted(trial.best.schedule.kernel.interchangeable)[: policy.MOST_TRIALS]:
            _interchange(trial, trial.shape, trial.best, loop)
        _take_each(trial, "diagonal", "skewed", _waits_for_itself)
        _take_each(trial, "pivots", "keeping_pivots", _is_slow)
        for name in sorted(in_turns):
            _inline_in_turns(trial, name)
        _take_each(trial, "nests", "flattened")
        _interleave_short(trial)
        _take_each(trial, "windows", "reread")
        _take_each(trial, "divisions", "divided")
        _keep_rows(trial)
        for loop in _waiting_for_stores(trial.best.schedule)[: policy.MOST_TRIALS]:
            _forward(trial, loop)
        trial.take_close_ones()
    if not trial.fits:
        _make_fit(trial, goal)
    if not trial.fits:
        raise _too_large(trial.best.schedule, goal)
    steps = tuple(trial.steps)
    return replace(trial.best, is_cut=trial.is_cut, fastest=trial.fastest, steps=steps)


def _take_each(
    trial: _Trial,
    noted: str,
    what: str,
    is_worth_it: Callable[[Fit, LoopId], bool] = lambda _fit, _loop: True,
    trips: Trips = UNKNOWN,
) -> None:
    """Tries one more of a shape's `SETS` for each of the loops that a kernel has noted for it."""
    for loop in sorted(getattr(trial.best.schedule.kernel, noted))[: policy.MOST_TRIALS]:
        if is_worth_it(trial.best, loop):
            trial.take(trial.shape.also(what, loop), trips)


def _split_borders(trial: _Trial) -> None:
    """Tries to have the borders of all loops apart: while those of one are in a loop, what goes on
    between them still depends on tests. Copies may be worth it only where rows can then be kept;
    and borders are long only beside few iterations."""
    kernel, blocks = trial.best.schedule.kernel, trial.best.schedule.blocks.values()
    full = {s.block.loop for s in blocks if s.block.is_loop and s.ii == 1}
    if kernel.borders - full and not is_large(kernel):
        shape = trial.shape.also("bordered", *kernel.borders)
        made = trial.take(shape, MANY)
        if made is not None and made is not trial.best and made.schedule.kernel.rows:
            trial.take(shape.also("keeping_rows", *made.schedule.kernel.rows), MANY)


def _make_fit(trial: _Trial, goal: Goal) -> None:
    """Tries what makes a kernel smaller and slower: fewer copies, products that share multipliers,
    with all copies and with fewer, and iterations that start more seldom."""
    whole, most = trial.shape, goal.room.dsp
    few = "dsp" in goal.room.missing(estimate_area(trial.best.schedule))
    for limit in policy.FEWER_COPIES:
        if not trial.fits and limit < goal.unroll_limit:
            trial.take(replace(trial.shape, unroll_limit=limit))
    for loop in sorted(trial.best.schedule.kernel.unrolled):
        if not trial.fits:
            trial.take(trial.shape.also("rolled", loop))
    if few and most and not processes(trial.best.schedule.kernel):
        trial.take(replace(whole, multipliers=most))
        if not trial.fits:
            trial.take(replace(trial.shape, multipliers=most))
    for ii in policy.LARGER_IIS:
        if not trial.fits:
            trial.take(replace(trial.shape, least_ii=ii))


def _keep_rows(trial: _Trial) -> None:
    """Tries to keep the rows of nests that are not kept yet."""
    kernel = trial.best.schedule.kernel
    if is_large(kernel):
        return
    for loop in sorted(kernel.rows - trial.shape.keeping_rows)[: policy.MOST_TRIALS]:
        shape = trial.shape.also("keeping_rows", loop)
        kept = trial.take(shape)
        if kept is not None and _waits_for_rows(kept, loop):
            trial.take(shape.also("reading_ahead", loop))
    planes = trial.best.schedule.kernel.planes - trial.shape.keeping_planes
    for loop in sorted(planes)[: policy.MOST_TRIALS]:
        if _waits_for_rows(trial.best, loop):
            trial.take(trial.shape.also("keeping_planes", loop))
    every = kernel.rows | trial.shape.keeping_rows
    waiting = {loop for loop in every if _waits_for_rows(trial.best, loop)}
    if len(waiting) > 1:  # they share the operators that each alone would need
        shape = trial.shape.also("keeping_rows", *waiting)
        trial.take(shape.also("reading_ahead", *waiting))


def _waits_for_rows(fit: Fit, loop: LoopId) -> bool:
    """Whether a loop whose rows are kept does not start an iteration every cycle."""
    return _ii_at(fit, loop, seldom_entered(fit.schedule.kernel)) > 1


def _forward(trial: _Trial, loop: LoopId) -> None:
    """Tries to keep the last stores of a loop; fewer iterations where the most help at all."""
    before, others = _ii_at(trial.best, loop), trial.shape.forwarded
    for iterations in policy.FORWARDED_ITERATIONS:
        shape = replace(trial.shape, forwarded=others | {(loop, iterations)})
        made = trial.take(shape, MANY)
        if made is None or _ii_at(made, loop) >= before:
            return


def _interleave(trial: _Trial, shape: Shape, fit: Fit, loop: LoopId) -> None:
    """Where a loop waits for itself, tries to have iterations of the loop around it take turns in
    it: so many that what a turn leaves is there when the next one of its iteration begins. `fit`:
    what the shape makes."""
    for turns in _enough_turns(fit, loop):
        made = trial.take(replace(shape, interleaved=shape.interleaved | {(loop, turns)}))
        if made is None or not _turns_wait(made.schedule):
            return


def _interleave_all(trial: _Trial) -> None:
    """Tries turns in all loops at once that wait for themselves: they share the operators that each
    alone would need, and as long as one of them waits the others gain less than those cost."""
    turns = _turns_of_all(trial.best)
    if len(turns) > 1:
        trial.take(replace(trial.shape, interleaved=trial.shape.interleaved | turns))


def _interleave_short(trial: _Trial) -> None:
    """Tries turns in short loops that do not wait for themselves either: what is around them is
    then in one pipeline with them, which is entered and left once."""
    kernel = trial.best.schedule.kernel
    for loop in sorted(kernel.nests.intersection(kernel.independent))[: policy.MOST_TRIALS]:
        if not _waits_for_itself(trial.best, loop):
            turns = _ways_to_turn(trial.best, loop)[0]
            trial.take(replace(trial.shape, interleaved=trial.shape.interleaved | {(loop, turns)}))


def _split(trial: _Trial, shape: Shape, fit: Fit) -> None:
    """Tries to make two loops of those with two loops in them, and to have iterations of each take
    turns. `fit`: what the shape makes."""
    for loop in sorted(fit.schedule.kernel.pairs - shape.split)[: policy.MOST_TRIALS]:
        parted = shape.also("split", loop)
        made = trial.take(parted)
        if made is not None:
            turns = _turns_of_all(made)
            if turns:
                trial.take(replace(parted, interleaved=shape.interleaved | turns))


def _part(trial: _Trial, loop: LoopId) -> None:
    """Tries to give sums that wait a loop of their own, and this one its own loop around it."""
    if _is_slow(trial.best, loop) or loop in dict(trial.shape.interleaved):
        shape = trial.shape.without_turns(loop).also("parted", loop)
        made = trial.take(shape)
        if made is not None:
            _split(trial, shape, made)


def _interchange(trial: _Trial, shape: Shape, fit: Fit, loop: LoopId) -> None:
    """Tries to have a loop of sums that wait change places with the loop around it, instead of
    having its iterations take turns. `fit`: what the shape makes."""
    is_in_turns = loop in dict(shape.interleaved) and _are_turns_slow(fit.schedule)
    waits = is_in_turns or _is_slow(fit, loop)
    if waits and loop in fit.schedule.kernel.interchangeable - shape.interchanged:
        trial.take(shape.without_turns(loop).also("interchanged", loop))


def _inline_in_turns(trial: _Trial, name: str) -> None:
    """Tries to have a function in each of its callers again, where iterations could take turns: of
    what is called it is not known how often its loops run, and around a call they cannot."""
    shape = replace(trial.shape, apart=trial.shape.apart - {name})
    made = trial.take(shape)
    if made is not None and shape != (copies := shape.with_copies(made.schedule.kernel.loops)):
        shape, made = copies, trial.take(copies)
    if made is not None:
        turns = _turns_of_all(made)
        if turns:
            trial.take(replace(shape, interleaved=shape.interleaved | turns))


def _turns_of_all(fit: Fit) -> set[tuple[LoopId, int]]:
    """All loops that wait for themselves, and how many iterations may take turns in each."""
    ways = {loop: _enough_turns(fit, loop) for loop in fit.schedule.kernel.independent}
    return {(loop, counts[0]) for loop, counts in ways.items() if counts}


def _enough_turns(fit: Fit, loop: LoopId) -> list[int]:
    """How many iterations may have to take turns so that a loop does not wait for itself;
    the fewer the better, none where it does not wait."""
    may_turn = loop in fit.schedule.kernel.independent and _waits_for_itself(fit, loop)
    return _ways_to_turn(fit, loop) if may_turn else []


def _ways_to_turn(fit: Fit, loop: LoopId) -> list[int]:
    """So many that what a turn leaves is there for the next one."""
    enough = _ii_at(fit, loop) + policy.CYCLES_BETWEEN_TURNS
    return turns_to_try(fit.schedule.kernel.independent[loop], enough)


def _ii_at(fit: Fit, loop: LoopId, others: Collection[Block] = ()) -> int:
    """The largest `ii` of what a loop has become, but for `others`."""
    schedules = [s for s in fit.schedule.blocks.values() if s.block not in others]
    return max((s.ii for s in schedules if s.block.loop == loop), default=0)


def _is_slow(fit: Fit, loop: LoopId) -> bool:
    """Whether a loop does not start an iteration every cycle."""
    return _ii_at(fit, loop) > 1


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
            kernel.place(kernel.entry.line),
            "use --optimise area, a slower --clock-ns or narrower integers, or give it more room",
        )
    )


class _Trial:
    """The best kernel so far."""

    def __init__(self, make: Callable[[Shape], Fit], goal: Goal) -> None:
        self.make = make
        self.goal = goal
        self.started = time.monotonic()
        self.is_cut = False
        """Whether a trial did not begin because those before had taken so long."""
        self.shape = first_shape(goal)
        self.best = make(self.shape)
        self.tried = 0
        """How many operations the trials have made."""
        self._costs: dict[Trips, Cost] = {}
        """Of the best one, by how often loops run whose count is not known."""
        self.fastest: Figures | None = None
        """What the fastest one takes that fits, whether it is the best one or not."""
        self.steps: list[Step] = []
        """From each best one to the next."""
        self._close: list[tuple[Shape, Shape]] = []
        """Shapes that were hardly worse than the best one then, and that one."""
        self._remember(self.best.schedule, {UNKNOWN: self._cost(UNKNOWN)})

    def take(self, shape: Shape, *trips: Trips) -> Fit | None:
        """Goes over to another shape if that is worth more, where loops whose count is not known
        run so often, `UNKNOWN` where nothing is said; what it makes, None if it makes
        nothing, or that would take too long."""
        if self.tried >= TRIED_OPERATIONS and self.fits:
            return None
        if time.monotonic() - self.started > self.goal.budget_s and self.fits:
            self.is_cut = True
            return None
        try:
            other = self.make(shape)
        except (Infeasible, UserError):  # a directive that cannot be had so
            return None
        self.tried += other.schedule.kernel.size
        counts = trips or (UNKNOWN,)
        costs = {n: _cost(other.schedule, self.goal, n) for n in counts}
        self._remember(other.schedule, costs)
        pairs = [(cost, self._cost(n)) for n, cost in costs.items()]
        if all(cost < best for cost, best in pairs):
            self._step(other, shape)
            self._costs = costs
        elif all(
            cost[0] <= best[0] and cost[1] <= best[1] * policy.CLOSE_COST for cost, best in pairs
        ):
            self._close.append((shape, self.shape))
        return other

    def _step(self, other: Fit, shape: Shape) -> None:
        """Goes over to another kernel."""
        figures = Figures.of(self.best.schedule), Figures.of(other.schedule)
        self.steps.append(Step(self.shape, shape, figures))
        self.best, self.shape = other, shape

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
            self._costs[trips] = _cost(self.best.schedule, self.goal, trips)
        return self._costs[trips]

    @property
    def fits(self) -> bool:
        """Whether the best one fits its room."""
        return not self.goal.room.most or self._cost(UNKNOWN)[0] <= 1


def _with_both(shape: Shape, other: Shape) -> Shape:
    """A shape with what is special in another one too."""
    sets = {name: getattr(shape, name) | getattr(other, name) for name in ("apart", *SETS)}
    return replace(shape, **sets, interleaved=shape.interleaved | other.interleaved)


def _unrolled_for_little(schedule: KernelSchedule) -> list[LoopId]:
    """Loops that were replaced by copies which ended in slow blocks, the largest first."""
    kernel = schedule.kernel
    if is_large(kernel):
        return []
    slow = [
        s.block for s in schedule.blocks.values() if (s.ii or s.length) >= policy.SLOW_BLOCK_CYCLES
    ]
    lines = [op.line for block in slow for op in block.ops]
    counts = {
        loop: sum(line in inside for line in lines) for loop, inside in kernel.unrolled.items()
    }
    found = [loop for loop, count in counts.items() if count]
    return sorted(found, key=lambda loop: -counts[loop])


def _waits_for_itself(fit: Fit, loop: LoopId) -> bool:
    """Whether a loop has a recurrence of several cycles."""
    return any(
        s.ii > 1 and s.limits.recurrences and s.block.loop == loop
        for s in fit.schedule.blocks.values()
    )


def _are_turns_slow(schedule: KernelSchedule) -> bool:
    """Whether iterations that take turns do not start in every cycle."""
    return any(s.ii > 1 and s.block.interleaved > 1 for s in schedule.blocks.values())


def _turns_wait(schedule: KernelSchedule) -> bool:
    """Whether iterations that take turns still wait for each other."""
    return any(
        s.ii > 1 and s.block.interleaved > 1 and s.limits.recurrences
        for s in schedule.blocks.values()
    )


def _waiting_for_stores(schedule: KernelSchedule) -> list[LoopId]:
    """Loops in which a load waits for a store that it may have to see."""
    found = [
        s.block.loop
        for s in schedule.blocks.values()
        if s.limits.binding is not None
        and s.limits.binding.kind in (LimitKind.DEPENDENCE, LimitKind.CROWDED)
    ]
    return sorted(schedule.kernel.stores_read.intersection(found))


@stage("estimate")
def _cost(schedule: KernelSchedule, goal: Goal, trips: Trips) -> Cost:
    area = estimate_area(schedule)
    time_ps = expected_cycles(schedule, trips) * schedule.clock_ps
    worth = goal.worth(time_ps, area["lut4"] + area["ff"])
    return goal.room.excess(area), worth, time_ps
