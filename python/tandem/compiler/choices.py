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
them: always where a limit says so, and where the device has no more if that hardly takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tandem import policy
from tandem.compiler.copying import copyable, time_besides, with_copies, with_others
from tandem.compiler.fits import Fit, MayWin
from tandem.compiler.goals import Goal, too_large
from tandem.compiler.room import UNLIMITED, Room
from tandem.compiler.trials import Trial
from tandem.compiler.waiting import (
    are_turns_slow,
    enough_turns,
    ii_at,
    is_slow,
    turns_wait,
    unrolled_for_little,
    waiting_for_stores,
    waits_for_itself,
    waits_for_rows,
    ways_to_turn,
)
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.processes import processes
from tandem.passes.shape import Shape
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import FEW, MANY, SOME_INSIDE, UNKNOWN, Trips, is_large_unsplit

Repeated = Callable[[frozenset[str]], Mapping[str, Collection[tuple[str, int]]]]
"""Functions of which a kernel holds several copies, with others apart -> their lines."""


def choose_shape(
    make: Callable[[Shape, MayWin], Fit | None],
    goal: Goal,
    repeated: Repeated = lambda _: {},
    device: Room = UNLIMITED,
) -> Fit:
    """The best of some kernels; `make` makes one, or None where it cannot win. `device`: what there
    is, if nothing says how much of it may be taken. Raises Infeasible if none of them fits."""
    trial = Trial(make, goal)
    in_turns = _share_functions(trial, repeated)
    _split_borders(trial)
    _keep_rows(trial)  # before a loop of copies is a loop again for the reads that they share
    _roll(trial)
    _change_loops(trial, in_turns)
    if _copy(trial):  # of what is in copies now, others may be worth it
        _change_loops(trial, in_turns)
    if not trial.fits:
        _make_fit(trial, goal)
    _keep_to_device(trial, device)
    if not trial.fits:
        raise too_large(trial.best.schedule, goal)
    steps = tuple(trial.steps)
    return replace(trial.best, is_cut=trial.is_cut, fastest=trial.fastest, steps=steps)


def _share_functions(trial: Trial, repeated: Repeated) -> list[str]:
    """Tries each large function as one for all of its calls; those that are so now and in whose
    copies iterations could take turns."""
    in_turns: list[str] = []
    for name in list(repeated(trial.shape.apart))[: policy.MOST_TRIALS]:
        lines = repeated(trial.shape.apart).get(name)
        if lines is not None and trial.may_share(lines):
            inlined = trial.best
            trial.take(replace(trial.shape, apart=trial.shape.apart | {name}))
            if inlined is not trial.best and _turns_of_all(inlined):
                in_turns.append(name)
    return sorted(in_turns)


def _roll(trial: Trial) -> None:
    """Tries loops again whose copies ended in something slow, and what that leads on to."""
    for loop in unrolled_for_little(trial.best.schedule)[: policy.MOST_TRIALS]:
        shape = trial.shape.also("rolled", loop)
        # Beside few iterations borders are long: what is between them is worth its copies.
        counts = (UNKNOWN, MANY) if shape.bordered else ()
        made = trial.take(shape, *counts, goes_on=partial(_leads_on, loop=loop, shape=shape))
        if made is not None:
            _interleave(trial, shape, made, loop)
            _split(trial, shape, made)
            _interchange(trial, shape, made, loop)


def _copy(trial: Trial) -> bool:
    """Tries copies of loops that are many operations, from the inside out; whether any are worth
    it. They take their area in any case: they must be so where loops around them run seldom, too.
    """
    before, tried = trial.best, set[LoopId]()
    while len(tried) < policy.MOST_TRIALS:
        loop = min(copyable(trial.best.schedule) - tried, default=None)
        if loop is None:
            break
        tried.add(loop)
        _copy_nest(trial, loop, tried)
    return trial.best is not before


def _copy_nest(trial: Trial, loop: LoopId | None, tried: set[LoopId]) -> None:
    """Tries copies of a loop, and of those around it that are small enough then."""
    fit, shape = trial.best, trial.shape

    def leads_on(kernel: Kernel) -> bool:
        return bool(kernel.copyable.keys() - tried)

    while loop is not None and all(_may_copies_win(trial, fit, loop, n) for n in (UNKNOWN, FEW)):
        loops = with_others(fit.schedule, loop, shape.rolled)
        tried |= loops
        shape = replace(shape, rolled=shape.rolled - loops).also("copied", *loops)
        made = trial.take(shape, UNKNOWN, FEW, goes_on=leads_on, gain=policy.GAIN_OF_COPIES)
        if made is None:
            return
        fit, loop = made, min(copyable(made.schedule) - tried, default=None)


def _may_copies_win(trial: Trial, fit: Fit, loop: LoopId, trips: Trips) -> bool:
    """Whether copies of a loop would be worth it if the nest that it is in then took no time."""
    cells = with_copies(fit.schedule, loop)
    time_ps = time_besides(fit.schedule, loop, trips)
    return trial.is_close(trips, time_ps, cells, policy.GAIN_OF_COPIES)


def _change_loops(trial: Trial, in_turns: Sequence[str]) -> None:
    """Tries all that may be made of loops, on the best kernel of each time, if that is not large.
    `in_turns`: functions that are tried once more as copies."""
    if is_large_unsplit(trial.best.schedule.kernel):
        return

    def noted(what: str) -> list[LoopId]:
        return sorted(getattr(trial.best.schedule.kernel, what))[: policy.MOST_TRIALS]

    _take_each(trial, "while_nests", "kept_apart", trips=SOME_INSIDE)
    _interleave_all(trial)
    for loop in noted("independent"):
        _interleave(trial, trial.shape, trial.best, loop)
    _split(trial, trial.shape, trial.best)
    for loop in noted("mixed"):
        _part(trial, loop)
    for loop in noted("interchangeable"):
        _interchange(trial, trial.shape, trial.best, loop)
    _take_each(trial, "diagonal", "skewed", waits_for_itself)
    _take_each(trial, "pivots", "keeping_pivots", is_slow)
    for name in in_turns:
        _inline_in_turns(trial, name)
    _take_each(trial, "nests", "flattened")
    _interleave_short(trial)
    _take_each(trial, "windows", "reread")
    _take_each(trial, "divisions", "divided")
    _keep_rows(trial)
    for loop in waiting_for_stores(trial.best.schedule)[: policy.MOST_TRIALS]:
        _forward(trial, loop)
    trial.take_close_ones()


def _always(_kernel: Kernel) -> bool:
    return True


def _leads_on(kernel: Kernel, loop: LoopId, shape: Shape) -> bool:
    """Whether more would be tried of a kernel in which a loop is one again."""
    is_open = loop in kernel.independent or loop in kernel.interchangeable - shape.interchanged
    return is_open or bool(kernel.pairs - shape.split)


def _take_each(
    trial: Trial,
    noted: str,
    what: str,
    is_worth_it: Callable[[Fit, LoopId], bool] = lambda _fit, _loop: True,
    trips: Trips = UNKNOWN,
) -> None:
    """Tries one more of a shape's `SETS` for each of the loops that a kernel has noted for it."""
    for loop in sorted(getattr(trial.best.schedule.kernel, noted))[: policy.MOST_TRIALS]:
        if is_worth_it(trial.best, loop):
            trial.take(trial.shape.also(what, loop), trips)


def _split_borders(trial: Trial) -> None:
    """Tries to have the borders of all loops apart: while those of one are in a loop, what goes on
    between them still depends on tests. Copies may be worth it only where rows can then be kept;
    and borders are long only beside few iterations."""
    kernel, blocks = trial.best.schedule.kernel, trial.best.schedule.blocks.values()
    full = {s.block.loop for s in blocks if s.block.is_loop and s.ii == 1}
    if kernel.borders - full and not is_large_unsplit(kernel):
        shape = trial.shape.also("bordered", *kernel.borders)
        made = trial.take(shape, MANY, goes_on=lambda kernel: bool(kernel.rows))
        if made is not None and made is not trial.best and made.schedule.kernel.rows:
            trial.take(shape.also("keeping_rows", *made.schedule.kernel.rows), MANY)


def _make_fit(trial: Trial, goal: Goal) -> None:
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


def _keep_to_device(trial: Trial, device: Room) -> None:
    """Where a kernel takes more multipliers than the device has, tries products that share them."""
    schedule = trial.best.schedule
    is_open = trial.goal.room.dsp is None and trial.shape.multipliers is None
    lacks = "dsp" in device.missing(estimate_area(schedule))
    if lacks and is_open and not processes(schedule.kernel):
        shape = replace(trial.shape, multipliers=device.dsp)
        trial.take_to_fit(shape, device, policy.TIME_TO_FIT)


def _keep_rows(trial: Trial) -> None:
    """Tries to keep the rows of nests that are not kept yet."""
    kernel = trial.best.schedule.kernel
    if is_large_unsplit(kernel):
        return
    for loop in sorted(kernel.rows - trial.shape.keeping_rows)[: policy.MOST_TRIALS]:
        shape = trial.shape.also("keeping_rows", loop)
        kept = trial.take(shape, goes_on=_always)
        if kept is not None and waits_for_rows(kept, loop):
            trial.take(shape.also("reading_ahead", loop))
    planes = trial.best.schedule.kernel.planes - trial.shape.keeping_planes
    for loop in sorted(planes)[: policy.MOST_TRIALS]:
        if waits_for_rows(trial.best, loop):
            trial.take(trial.shape.also("keeping_planes", loop))
    every = kernel.rows | trial.shape.keeping_rows
    waiting = {loop for loop in every if waits_for_rows(trial.best, loop)}
    if len(waiting) > 1:  # they share the operators that each alone would need
        shape = trial.shape.also("keeping_rows", *waiting)
        trial.take(shape.also("reading_ahead", *waiting))


def _forward(trial: Trial, loop: LoopId) -> None:
    """Tries to keep the last stores of a loop; fewer iterations where the most help at all."""
    before, others = ii_at(trial.best, loop), trial.shape.forwarded
    for iterations in policy.FORWARDED_ITERATIONS:
        shape = replace(trial.shape, forwarded=others | {(loop, iterations)})
        made = trial.take(shape, MANY, goes_on=_always)
        if made is None or ii_at(made, loop) >= before:
            return


def _interleave(trial: Trial, shape: Shape, fit: Fit, loop: LoopId) -> None:
    """Where a loop waits for itself, tries to have iterations of the loop around it take turns in
    it: so many that what a turn leaves is there when the next one of its iteration begins. `fit`:
    what the shape makes."""
    for turns in enough_turns(fit, loop):
        turning = replace(shape, interleaved=shape.interleaved | {(loop, turns)})
        made = trial.take(turning, goes_on=_always)
        if made is None or not turns_wait(made.schedule):
            return


def _interleave_all(trial: Trial) -> None:
    """Tries turns in all loops at once that wait for themselves: they share the operators that each
    alone would need, and as long as one of them waits the others gain less than those cost."""
    turns = _turns_of_all(trial.best)
    if len(turns) > 1:
        trial.take(replace(trial.shape, interleaved=trial.shape.interleaved | turns))


def _interleave_short(trial: Trial) -> None:
    """Tries turns in short loops that do not wait for themselves either: what is around them is
    then in one pipeline with them, which is entered and left once."""
    kernel = trial.best.schedule.kernel
    for loop in sorted(kernel.nests.intersection(kernel.independent))[: policy.MOST_TRIALS]:
        if not waits_for_itself(trial.best, loop):
            turns = ways_to_turn(trial.best, loop)[0]
            trial.take(replace(trial.shape, interleaved=trial.shape.interleaved | {(loop, turns)}))


def _split(trial: Trial, shape: Shape, fit: Fit) -> None:
    """Tries to make two loops of those with two loops in them, and to have iterations of each take
    turns. `fit`: what the shape makes."""
    for loop in sorted(fit.schedule.kernel.pairs - shape.split)[: policy.MOST_TRIALS]:
        parted = shape.also("split", loop)
        made = trial.take(parted, goes_on=lambda kernel: bool(kernel.independent))
        if made is not None:
            turns = _turns_of_all(made)
            if turns:
                trial.take(replace(parted, interleaved=shape.interleaved | turns))


def _part(trial: Trial, loop: LoopId) -> None:
    """Tries to give sums that wait a loop of their own, and this one its own loop around it."""
    if is_slow(trial.best, loop) or loop in dict(trial.shape.interleaved):
        shape = trial.shape.without_turns(loop).also("parted", loop)
        made = trial.take(shape, goes_on=lambda kernel: bool(kernel.pairs))
        if made is not None:
            _split(trial, shape, made)


def _interchange(trial: Trial, shape: Shape, fit: Fit, loop: LoopId) -> None:
    """Tries to have a loop of sums that wait change places with the loop around it, instead of
    having its iterations take turns. `fit`: what the shape makes."""
    is_in_turns = loop in dict(shape.interleaved) and are_turns_slow(fit.schedule)
    waits = is_in_turns or is_slow(fit, loop)
    if waits and loop in fit.schedule.kernel.interchangeable - shape.interchanged:
        trial.take(shape.without_turns(loop).also("interchanged", loop))


def _inline_in_turns(trial: Trial, name: str) -> None:
    """Tries to have a function in each of its callers again, where iterations could take turns: of
    what is called it is not known how often its loops run, and around a call they cannot."""
    shape = replace(trial.shape, apart=trial.shape.apart - {name})
    made = trial.take(shape, goes_on=_always)
    if made is not None and shape != (copies := shape.with_copies(made.schedule.kernel.loops)):
        shape, made = copies, trial.take(copies, goes_on=_always)
    if made is not None:
        turns = _turns_of_all(made)
        if turns:
            trial.take(replace(shape, interleaved=shape.interleaved | turns))


def _turns_of_all(fit: Fit) -> set[tuple[LoopId, int]]:
    """All loops that wait for themselves, and how many iterations may take turns in each."""
    ways = {loop: enough_turns(fit, loop) for loop in fit.schedule.kernel.independent}
    return {(loop, counts[0]) for loop, counts in ways.items() if counts}
