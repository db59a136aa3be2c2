# SPDX-License-Identifier: Apache-2.0
"""When the operations of one block start at the earliest: a loop's least `ii`, by trial, and what
stands in the way of a smaller one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil

from tandem.diagnostics import Diagnostic, Infeasible
from tandem.ir.blocks import NO_PIPELINE, Block
from tandem.ir.kernel import Kernel
from tandem.schedule.constraints import carries_answers
from tandem.schedule.expected import cycles_once_entered
from tandem.schedule.latencies import Draft
from tandem.schedule.limits import Limits, directive, recurrence, room, unit_limit
from tandem.schedule.problem import Node, Problem
from tandem.schedule.reservation import reserve
from tandem.schedule.starts import Starts, Unmeetable

II_LIMIT = 4096
NEVER_MET = 1 << 30
"""As an `ii`: an iteration longer than any."""
TRIALS = 16
"""How often an `ii` is tried that is just above what one recurrence allows, before the least that
all of them allow is searched for."""
CROWDED_TRIALS = 3
"""How often the next `ii` is tried where the units do not suffice, before steps are twice as large
each time."""


class Slower(Infeasible):
    """That no `ii` is as small as one that was asked for."""


def draft_block(
    kernel: Kernel, problem_of: Callable[[bool], Problem], below: int = II_LIMIT
) -> Draft:
    """A block with the least `ii` that it can have. Raises Slower where that is not `below`, and
    Infeasible for a directive's that cannot be had."""
    problem = problem_of(False)
    if not problem.is_loop:
        starts = Starts(problem, 0)
        return Draft(problem, 0, starts, reserve(problem, starts, 0).port, Limits())
    if problem.block.wanted_ii == NO_PIPELINE:
        return _one_by_one(problem)
    try:
        found = _pipelined(kernel, problem, below)
    except Infeasible:  # a directive's `ii`, or one below, which the other may reach
        if not carries_answers(problem):
            raise
        return _pipelined(kernel, problem_of(True), below)
    if found.ii == found.limits.res_mii or not carries_answers(problem):
        return found
    try:
        return _pipelined(kernel, problem_of(True), found.ii)
    except Slower:
        return found


def _one_by_one(problem: Problem) -> Draft:
    """An iteration starts when the one before has ended, so that nothing of it waits for, or meets,
    what another one does."""
    starts = Starts(problem, NEVER_MET)
    ports = reserve(problem, starts, NEVER_MET).port
    length = starts[problem.end] + 1
    limits = Limits(unit_limit(problem), directive=directive(problem, length))
    return Draft(problem, length, starts, ports, limits)


def _pipelined(kernel: Kernel, problem: Problem, below: int = II_LIMIT) -> Draft:
    """The least `ii` from what the units allow on, with what stood in the way of a smaller one.
    Raises Slower where it is not `below`."""
    limits = Limits(unit_limit(problem))
    if kernel.least_ii > limits.res_mii:
        limits.unit = room(problem, kernel.least_ii)
    wanted = problem.block.wanted_ii or 0
    ii = failed = limits.res_mii
    crowded = 0
    end = _end_of_trials(problem, below)
    while ii < end:
        try:
            starts, ports = reserved(problem, ii)
        except Unmeetable as error:
            limits.add(recurrence(problem, error.cycle, ii))
            crowded += not error.cycle
            step = 1 << max(0, crowded - CROWDED_TRIALS)
            if crowded == 1 and ii < end - 1 < II_LIMIT - 1 and draft_at(problem, end - 1) is None:
                break
            failed, ii = ii, max(ii + 1, min(ii + step, end - 1), limits.rec_mii)
            if len(limits.recurrences) % TRIALS == 0:
                ii = least_met(problem, ii, limits)
            continue
        if crowded > CROWDED_TRIALS:
            ii, starts, ports = _least_reserved(problem, failed, (ii, starts, ports))
        found = _apart_if_slower(Draft(problem, ii, starts, ports, limits))
        if wanted and found.ii > wanted:
            raise _unreachable(kernel, problem.block, wanted, found.ii, limits)
        if found.ii >= below:
            break
        return found
    text = f"no ii below {below} works: {limits.sentence()}"
    slower = Slower if below < II_LIMIT else Infeasible
    raise slower(Diagnostic("ii", text, kernel.place(problem.block.line)))


def _end_of_trials(problem: Problem, below: int) -> int:
    """Behind the last `ii` to try for one `below`. What takes longer than an iteration does comes
    down to that."""
    if below < II_LIMIT and _least_length(problem) >= below:
        return below
    return II_LIMIT


def least_ii(kernel: Kernel, problem: Problem) -> tuple[int, Limits]:
    """The least `ii` of a loop, and what stands in the way of a smaller one. Raises as
    `schedule_kernel` does."""
    draft = _pipelined(kernel, problem)
    return draft.ii, draft.limits


def draft_at(problem: Problem, ii: int) -> Draft | None:
    """A loop with an `ii`; None where the constraints or the units do not allow it."""
    try:
        found = _apart_if_slower(Draft(problem, ii, *reserved(problem, ii), Limits()))
    except Unmeetable:
        return None
    return found if found.ii <= ii else None


def _apart_if_slower(draft: Draft) -> Draft:
    """Iterations that do not overlap need not wait for each other either."""
    if draft.ii <= draft.starts[draft.problem.end] + 1:
        return draft
    return replace(_one_by_one(draft.problem), limits=draft.limits)


def reserved(problem: Problem, ii: int) -> tuple[Starts, dict[Node, int]]:
    """When everything starts, and the ports; raises Unmeetable where that cannot be."""
    starts = Starts(problem, ii)
    return starts, reserve(problem, starts, ii).port


def _least_reserved(
    problem: Problem, failed: int, found: tuple[int, Starts, dict[Node, int]]
) -> tuple[int, Starts, dict[Node, int]]:
    """Something between an `ii` that has failed and one that was found, if there is any."""
    while found[0] - failed > 1:
        middle = (failed + found[0]) // 2
        try:
            found = middle, *reserved(problem, middle)
        except Unmeetable:
            failed = middle
    return found


def least_met(problem: Problem, least: int, limits: Limits) -> int:
    """The least `ii`, from one on, that the constraints allow, ports aside. What stands in the way
    of a smaller one is the last of the limits then."""

    def fails(ii: int) -> bool:
        try:
            Starts(problem, ii)
        except Unmeetable as error:
            limits.add(recurrence(problem, error.cycle, ii))
            return True
        return False

    below, above = least - 1, least
    while above < II_LIMIT and fails(above):
        below, above = above, min(II_LIMIT, 2 * above)
    while above - below > 1:
        middle = (below + above) // 2
        if fails(middle):
            below = middle
        else:
            above = middle
    return above


def _unreachable(
    kernel: Kernel, block: Block, wanted: int, possible: int, limits: Limits
) -> Infeasible:
    return Infeasible(
        Diagnostic(
            "ii",
            f"ii={wanted} is unreachable: {limits.sentence()}",
            kernel.place(block.line),
            f"use `#pragma tandem pipeline ii({possible})`, or {limits.cure()}",
        )
    )


def least_ii_of(problem_of: Callable[[bool], Problem]) -> int:
    """No more than the `ii` of a draft of a block, as if all units were free; 0 where it may be no
    pipeline."""
    problem = problem_of(False)
    is_pipeline = problem.is_loop and problem.block.wanted_ii != NO_PIPELINE
    if not is_pipeline or carries_answers(problem):
        return 0
    limits = Limits(unit_limit(problem))
    return min(least_met(problem, limits.res_mii, limits), _least_length(problem))


def least_cycles(problem_of: Callable[[bool], Problem]) -> int:
    """No more than what a draft of a block takes, in the same way."""
    problem, ii = problem_of(False), least_ii_of(problem_of)
    return cycles_once_entered(problem.block, ii, _least_length(problem)) if ii else 0


def _least_length(problem: Problem) -> int:
    """Cycles of an iteration, if nothing of it waits for another one or for a unit."""
    return Starts(problem, NEVER_MET)[problem.end] + 1


def ii_below(problem: Problem, cycles: float) -> int:
    """The least `ii` with which a loop takes so many cycles or more, once it is entered."""
    length = _least_length(problem)
    one, two = (cycles_once_entered(problem.block, ii, length) for ii in (1, 2))
    return min(II_LIMIT, max(1, 1 + ceil((cycles - one) / (two - one)))) if two > one else II_LIMIT
