# SPDX-License-Identifier: Apache-2.0
"""The clock of a kernel that cannot have the one asked for.

The clock period in which the slowest operation just fits is not always the best: what had to be
split into several cycles makes recurrences longer, and a loop's `ii` can cost more than the clock
gains. So some slower clocks are tried, and the loops decide.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tandem import policy
from tandem.compiler.clock_facts import (
    NARROWEST_COUNTER_BITS,
    shortest_clock_ps,
    split_for_clock,
)
from tandem.compiler.clock_settings import ClockSettings, blocks_on_cores
from tandem.compiler.clock_steps import apart, around, last_between
from tandem.compiler.clock_trials import ClockTrial, Waiting
from tandem.compiler.fits import Asked, Fit, MayWin, any_may
from tandem.diagnostics import Infeasible
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.loops import innermost_loops
from tandem.schedule.area import cells_of
from tandem.schedule.delays import Target
from tandem.schedule.expected import is_large
from tandem.schedule.least_area import least_cells
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.scheduler import (
    KernelDraft,
    draft_kernel,
    least_iis,
    slowest_operation,
)
from tandem.schedule.setting import Setting

FEW_OPERATIONS, FEW_STEPS = 1_000, 4
"""A kernel of more operations is tried with fewer clocks."""
WORTH_TELLING = 0.005
"""What part of the least time a clock may cost untold."""


def fit_as_asked(
    kernel: Kernel, target: Target, clock_ps: int, may_win: MayWin = any_may
) -> Fit | None:
    """The schedule of a kernel for the clock asked for; None where that cannot win. Raises as
    `schedule_kernel` does."""
    split_for_clock(kernel, target, clock_ps)
    kernel.facts.clear()
    draft = draft_kernel(Setting(kernel, target), clock_ps)
    if not may_win(kernel, draft.least_time_ps, least_cells(draft.setting)):
        return None
    return Fit(draft.finished(), clock_ps)


def fit_clock(
    make: Callable[[], Kernel],
    target: Target,
    asked: Asked,
    may_win: MayWin = any_may,
) -> Fit | None:
    """The schedule for the clock asked for, or else for the one with which the kernel takes the
    least time, or nearly so and fewer registers; None where that cannot win. `make` makes the
    kernel, anew each time."""
    try:
        return _fit(make, target, asked, may_win)
    except Infeasible as error:
        if not asked.is_free and asked.clock_ps >= shortest_clock_ps(target):
            raise
        return _fit_directives(make, target, asked.clock_ps, may_win, error)


def _fit_directives(
    make: Callable[[], Kernel], target: Target, asked_ps: int, may_win: MayWin, error: Infeasible
) -> Fit | None:
    """The same with the fastest of some slower clocks with which the `ii` of directives can be had.
    `error`: that the one asked for is too fast for them, which stands if no other will do."""
    kernels = ClockSettings(make, target)
    fastest_ps = max(asked_ps, shortest_clock_ps(target))
    for clock_ps in apart(fastest_ps, fastest_ps * policy.SLOWEST_CLOCK):
        try:
            draft = kernels.draft(clock_ps)
        except Infeasible:
            continue
        if not may_win(draft.setting.kernel, draft.least_time_ps, least_cells(draft.setting)):
            return None
        reason = f"with {fastest_ps / 1000:g} ns {error.diagnostics[0].message}"
        kernel_is_large = is_large(draft.setting.kernel)
        return Fit(draft.finished(), clock_ps, reason=reason, is_large=kernel_is_large)
    raise error


def _fit(make: Callable[[], Kernel], target: Target, asked: Asked, may_win: MayWin) -> Fit | None:
    split_ps = max(asked.clock_ps, shortest_clock_ps(target))
    kernels = ClockSettings(make, target)
    draft = kernels.draft(split_ps)
    fits = draft.clock_ps == asked.clock_ps
    if not fits and is_large(kernels.unsplit.kernel):
        return _fit_large(draft, kernels, split_ps, asked)
    faster = _faster(draft, kernels, asked.is_free)
    least_ps = partial(draft.least_time_ps, faster=faster)
    kernel, cells = draft.setting.kernel, least_cells(draft.setting)
    if fits and not may_win(kernel, least_ps, cells):
        return None
    best = Fit(draft.finished(), split_ps)
    first = best.schedule
    may_be_slower = asked.is_free and _may_take_fewer_cycles(first, target)
    if fits and not may_be_slower:
        return best
    if fits and not may_win(kernel, least_ps, policy.CELLS_OF_CLOCKS * cells_of(first)):
        return best
    reason = "" if fits else _reason(first.kernel, first.clock_ps, target)
    trial = ClockTrial(kernels, best, asked)
    if not fits:
        _try_clocks(trial, draft)
    if may_be_slower:
        waiting = Waiting(first, trial, faster)
        for clock_ps in _slower(first.kernel, first.clock_ps, target):
            if waiting.may_gain(clock_ps):
                trial.take(clock_ps)
    best = trial.best()
    if best.schedule.clock_ps != first.clock_ps:
        gain = _gain(best.schedule.clock_ps, trial.time_ps, trial.least_ps)
        reason = "; ".join(filter(None, [reason, gain]))
    return replace(best, reason=reason, is_large=is_large(kernel))


def _fit_large(draft: KernelDraft, kernels: ClockSettings, split_ps: int, asked: Asked) -> Fit:
    """The schedule for the fastest clock or the one slower clock that is tried, of a kernel too
    large for more."""
    reason = _reason(draft.setting.kernel, draft.clock_ps, kernels.target)
    clock_ps = _clock_of_large(draft, kernels)
    if clock_ps is not None:
        other = kernels.draft(clock_ps)
        time_ps, least_ps = other.least_time_ps(), draft.least_time_ps()
        if asked.cost(time_ps, other.clock_ps) < asked.cost(least_ps, draft.clock_ps):
            reason = f"{reason}; {_gain(other.clock_ps, time_ps, least_ps)}"
            return Fit(other.finished(), clock_ps, reason=reason, is_large=True)
    return Fit(draft.finished(), split_ps, reason=reason, is_large=True)


def _clock_of_large(draft: KernelDraft, kernels: ClockSettings) -> int | None:
    """The slower clock with which such a kernel loses least, what stays split with it included;
    None where none can gain."""
    most_ps = draft.clock_ps * policy.SLOWEST_CLOCK
    split = [ps for ps in _limits(draft, kernels) if draft.clock_ps < ps <= most_ps]
    tried = [ps for ps in split if ps > draft.clock_ps * policy.CLOCK_OF_LARGE]

    def cost(clock_ps: int) -> float:
        left = len(split) - bisect_right(split, clock_ps)
        return clock_ps * (1 + policy.COST_OF_SPLIT * left / len(split))

    return min(tried, key=cost, default=None)


def _faster(draft: KernelDraft, kernels: ClockSettings, is_free: bool) -> dict[Block, int]:
    """The least `ii`, with any of the clocks that a kernel may get, of loops that wait for
    themselves and of what computes on cores, 0 outside of loops; with a slower one it takes no less
    time but for these."""
    kernel = draft.setting.kernel
    if not is_free or is_large(kernel):
        return {}
    blocks = [*draft.waiting, *blocks_on_cores(kernel)]
    least = {block: min(draft.drafts[block].ii, 1) for block in blocks}
    slowest_ps = max(_slower(kernel, draft.clock_ps, kernels.target), default=None)
    if not least or slowest_ps is None:
        return {}
    other = kernels.setting(slowest_ps)
    if len(other.kernel.blocks) != len(kernel.blocks):  # what is split decides a branch
        return least
    same = dict(zip(kernel.blocks, other.kernel.blocks, strict=True))
    loops = [block for block, ii in least.items() if ii]
    iis = least_iis(other, slowest_ps, [same[block] for block in loops])
    return least | dict(zip(loops, iis, strict=True))


def _try_clocks(trial: ClockTrial, draft: KernelDraft) -> None:
    """Tries the clock of a draft again, with no more split than it needs, and slower ones: first
    such that lie far apart, then what lies around the best one; of what is large while it is split
    those far apart alone."""
    limits = _limits(draft, trial.kernels)
    if not limits:
        return
    tried = [draft.clock_ps]
    for step in range(1, 1 + policy.FAR_CLOCKS):
        far_ps = round(draft.clock_ps * policy.SLOWEST_CLOCK ** (step / policy.FAR_CLOCKS))
        tried.append(last_between(limits, tried[-1], far_ps))
    few = is_large(draft.setting.kernel)
    for clock_ps in tried[1:] if few else tried:
        trial.take(clock_ps)
    for _ in range(0 if few else policy.NEAR_CLOCKS):
        near = around(limits, sorted(tried), trial.clock_ps)
        for clock_ps in near:
            trial.take(clock_ps)
        tried += near


def _limits(draft: KernelDraft, kernels: ClockSettings) -> list[int]:
    """Of every operation the clock with which it would not be split, or the slower ones that it has
    cores for, by length. None where a call takes its time in pipelines that start in every cycle.
    """
    kernel, target = kernels.unsplit.kernel, kernels.target
    cycles = draft.least_cycles()
    others = sum(n for block, n in cycles.items() if draft.drafts[block].ii != 1)
    on_cores = blocks_on_cores(kernel)
    if not on_cores and others < policy.OUT_OF_STEP * sum(cycles.values()):
        return []
    limits = [target.clock_for_ps(target.delay_ps(op)) for _, op in kernel.ops() if not op.core]
    cores = sum(bool(op.core) for _, op in kernel.ops()) if on_cores else 0
    return sorted([*limits, *cores * list(target.slower_cores_ps)])


def _slower(kernel: Kernel, clock_ps: int, target: Target) -> list[int]:
    """Clocks with which a recurrence that just does not fit may take a cycle less, or for which
    there are cores of fewer stages."""
    for_cores = [ps for ps in target.slower_cores_ps if ps > clock_ps]
    if for_cores and blocks_on_cores(kernel):
        return for_cores
    steps = policy.SLOWER_CLOCKS if kernel.size <= FEW_OPERATIONS else FEW_STEPS
    return [round(clock_ps * policy.SLOWER_CLOCK**step) for step in range(1, 1 + steps)]


def _may_take_fewer_cycles(schedule: KernelSchedule, target: Target) -> bool:
    """Whether a loop's recurrence takes several cycles, or there are cores of fewer stages, and the
    kernel is no larger than to be tried again."""
    waits = (s.ii > 1 and s.limits.recurrences for s in _in_loops(schedule))
    on_cores = target.slower_cores_ps and blocks_on_cores(schedule.kernel)
    return not is_large(schedule.kernel) and bool(on_cores or any(waits))


def _in_loops(schedule: KernelSchedule) -> list[BlockSchedule]:
    return [schedule.blocks[block] for block in innermost_loops(schedule.kernel)]


def _gain(clock_ps: int, time_ps: float, least_ps: float) -> str:
    clock, more = f"{clock_ps / 1000:g} ns", time_ps / least_ps - 1
    if more < WORTH_TELLING:
        return f"with {clock} its loops take the least time"
    return f"with {clock} it takes {more:.0%} more time than at best, and fewer registers"


def _reason(kernel: Kernel, clock_ps: int, target: Target) -> str:
    """Why a kernel's clock is no faster. Delays are those of a large design, with room for what
    placement misses: a small kernel that is placed alone may well be faster."""
    slowest, clock = slowest_operation(kernel, target), f"{clock_ps / 1000:g} ns"
    if slowest is None or clock_ps <= shortest_clock_ps(target):
        least = f"a counter or sum of {NARROWEST_COUNTER_BITS} bits needs in a large design"
        return f"the shortest clock is {clock}, which {least} on {target.title}"
    width = slowest.operands[0].width if slowest.operands else slowest.width
    where = f" in line {slowest.line}" if slowest.line else ""
    return (
        f"`{slowest.slug}` of {width} bits{where} needs {clock} in a large design on {target.title}"
    )
