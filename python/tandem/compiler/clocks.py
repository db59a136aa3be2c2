# SPDX-License-Identifier: Apache-2.0
"""The clock of a kernel that cannot have the one asked for.

The clock period in which the slowest operation just fits is not always the best: what had to be
split into several cycles makes recurrences longer, and a loop's `ii` can cost more than the clock
gains. So some slower clocks are tried, and the loops decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from tandem import policy
from tandem.compiler.tried import Figures, Step
from tandem.diagnostics import Infeasible
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.loops import innermost_loops
from tandem.passes import split_wide
from tandem.passes.pipelines import FOR_CLOCK, Facts, Options, run_pipeline
from tandem.passes.reassociate import Timing
from tandem.passes.shape import Shape
from tandem.schedule.area import cells_of
from tandem.schedule.delays import Target
from tandem.schedule.expected import (
    Trips,
    cycles_of_blocks,
    cycles_once_entered,
    expected_cycles,
    expected_entries,
    is_large,
)
from tandem.schedule.least_area import least_cells
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.scheduler import (
    KernelDraft,
    draft_kernel,
    fastest_clock_ps,
    least_iis,
    slowest_operation,
    takes_less,
)
from tandem.schedule.setting import Setting

FEW_OPERATIONS, FEW_STEPS = 1_000, 4
"""A kernel of more operations is tried with fewer clocks."""

WIDEST_COUNTER_BITS = 64
"""C counts in no more."""
NARROWEST_COUNTER_BITS = 8
"""Digits of wide counters have at least as many."""


def counter_bits(target: Target, clock_ps: int) -> int:
    """The width of the widest counter that counts, and is compared, in one cycle of a clock; at
    least `NARROWEST_COUNTER_BITS`, which the clock is made for."""
    budget_ps = target.budget_ps(clock_ps)
    widths = range(WIDEST_COUNTER_BITS, NARROWEST_COUNTER_BITS, -1)
    return next((w for w in widths if _counter_ps(target, w) <= budget_ps), NARROWEST_COUNTER_BITS)


def unclocked_facts(target: Target) -> Facts:
    """What the passes know of a target alone."""
    return Facts(lut_inputs=target.lut_inputs, multiplier_bits=target.multiplier_bits)


def facts_of(target: Target, clock_ps: int) -> Facts:
    """What the passes know of a target with a clock."""
    return replace(
        unclocked_facts(target),
        counter_bits=counter_bits(target, clock_ps),
        timing=Timing(target.delay_ps, target.level_ps, target.budget_ps(clock_ps)),
    )


def split_for_clock(kernel: Kernel, target: Target, clock_ps: int) -> None:
    """The passes that are left when the clock is known."""
    run_pipeline(kernel, Options(facts=facts_of(target, clock_ps)), FOR_CLOCK)


def shortest_clock_ps(target: Target) -> int:
    """The clock period below which no kernel is made, whatever was asked for."""
    return target.clock_for_ps(_counter_ps(target, NARROWEST_COUNTER_BITS))


def _counter_ps(target: Target, width: int) -> int:
    return max(target.rows[row].delay(width) for row in ("add", "eq"))


@dataclass
class Fit:
    """A schedule, and how it came about: the period in which every operation that can be split was
    to fit, and the shape of the kernel. `reason`: why its clock is slower than asked for, a
    sentence, or empty; `is_cut`: whether more would have been tried, had there been time;
    `fastest`: what the fastest kernel takes that was tried instead; `steps` from the first kernel
    to this one."""

    schedule: KernelSchedule
    split_ps: int
    shape: Shape = field(default_factory=Shape)
    reason: str = ""
    is_cut: bool = False
    fastest: Figures | None = None
    steps: tuple[Step, ...] = ()


MayWin = Callable[[Kernel, Callable[[Trips], float], float], bool]
"""Whether a kernel may be worth more than the best one so far, that takes no less than such a time
(ps, by how often loops run whose count is not known), and no fewer look-up tables and registers."""


def any_may(_kernel: Kernel, _time_ps: Callable[[Trips], float], _cells: float) -> bool:
    return True


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
    asked_ps: int,
    is_free: bool = False,
    may_win: MayWin = any_may,
) -> Fit | None:
    """The schedule for the clock asked for, or else for the one with which the kernel takes the
    least time; None where that cannot win. `make` makes the kernel, anew each time. A clock that
    `is_free` may be slower also where the kernel is only faster so."""
    counter_ps = shortest_clock_ps(target)
    kernels = _Settings(make, target)
    draft = kernels.draft(max(asked_ps, counter_ps))
    fits = draft.clock_ps == asked_ps
    faster = _faster(draft, kernels, is_free)
    least_ps = partial(draft.least_time_ps, faster=faster)
    kernel, cells = draft.setting.kernel, least_cells(draft.setting)
    if fits and not may_win(kernel, least_ps, cells):
        return None
    best = Fit(draft.finished(), max(asked_ps, counter_ps))
    first = best.schedule
    if fits and not (is_free and _waits_for_itself(first)):
        return best
    if fits and not may_win(kernel, least_ps, policy.CELLS_OF_CLOCKS * cells_of(first)):
        return best
    reason = "" if fits else _reason(first, target, counter_ps)
    trial = _Trial(kernels, best)
    for clock_ps in [] if fits else _candidates(first, kernels):
        trial.take(clock_ps)
    if is_free and _waits_for_itself(first):
        loops = _Waiting(first, trial, faster)
        for clock_ps in _slower(first.kernel, first.clock_ps):
            if loops.may_gain(clock_ps):
                trial.take(clock_ps)
    best = trial.best()
    if best.schedule.clock_ps != first.clock_ps:
        gain = f"with {best.schedule.clock_ps / 1000:g} ns its loops take the least time"
        reason = "; ".join(filter(None, [reason, gain]))
    return replace(best, reason=reason)


def _faster(draft: KernelDraft, kernels: _Settings, is_free: bool) -> dict[Block, int]:
    """The least `ii` that loops which wait for themselves have with any of the clocks that a kernel
    may get; with a slower one it takes no less time but for these."""
    kernel = draft.setting.kernel
    if not is_free or not draft.waiting or is_large(kernel):
        return {}
    slowest_ps = _slower(kernel, draft.clock_ps)[-1]
    other = kernels.setting(slowest_ps)
    if len(other.kernel.blocks) != len(kernel.blocks):  # what is split decides a branch
        return dict.fromkeys(draft.waiting, 1)
    same = dict(zip(kernel.blocks, other.kernel.blocks, strict=True))
    iis = least_iis(other, slowest_ps, [same[block] for block in draft.waiting])
    return dict(zip(draft.waiting, iis, strict=True))


class _Settings:
    """A kernel for one clock after the other. Most of them change nothing in it, so that what is
    found of it is found once."""

    def __init__(self, make: Callable[[], Kernel], target: Target) -> None:
        self.target = target
        self.make = make
        self._split: tuple[int, Setting] | None = None

    @cached_property
    def unsplit(self) -> Setting:
        """The kernel where nothing has to be split."""
        return Setting(self.make(), self.target)

    def setting(self, clock_ps: int) -> Setting:
        """The kernel for a clock."""
        timing = facts_of(self.target, clock_ps).timing
        if not split_wide.has_work(self.unsplit.kernel, timing):
            return self.unsplit.with_all_cores()
        if self._split is None or self._split[0] != clock_ps:
            kernel = self._made_for(clock_ps)
            kernel.facts.clear()
            self._split = clock_ps, Setting(kernel, self.target)
        return self._split[1].with_all_cores()

    def draft(self, clock_ps: int) -> KernelDraft:
        """A draft of a kernel of its own, which may change. Raises as `schedule_kernel` does."""
        kernel = self._made_for(clock_ps)
        kernel.facts.clear()
        fastest_ps = fastest_clock_ps(kernel, self.target)
        return draft_kernel(Setting(kernel, self.target), max(clock_ps, fastest_ps))

    def _made_for(self, clock_ps: int) -> Kernel:
        kernel = self.make()
        split_for_clock(kernel, self.target, clock_ps)
        return kernel


class _Trial:
    """One clock after the other. What is best is known of drafts; only one schedule is finished."""

    def __init__(self, kernels: _Settings, first: Fit) -> None:
        self.kernels = kernels
        self.time_ps = _time_ps(first.schedule)
        """What the kernel takes with the best clock."""
        self._best: Fit | tuple[KernelDraft, int] = first

    def take(self, clock_ps: int) -> None:
        """Goes over to another clock if the kernel takes less time with it."""
        setting = self.kernels.setting(clock_ps)
        fastest_ps = fastest_clock_ps(setting.kernel, setting.target)
        try:
            draft = draft_kernel(setting, max(clock_ps, fastest_ps))
        except Infeasible:  # a pragma's `ii`
            return
        time_ps = draft.least_time_ps()
        if time_ps >= self.time_ps:
            return
        if not draft.left_early:
            self.time_ps, self._best = time_ps, (draft, clock_ps)
            return
        other = self._finished(draft, clock_ps)
        if (time_ps := _time_ps(other.schedule)) < self.time_ps:
            self.time_ps, self._best = time_ps, other

    def best(self) -> Fit:
        """The fit to the best clock."""
        return self._best if isinstance(self._best, Fit) else self._finished(*self._best)

    def _finished(self, draft: KernelDraft, clock_ps: int) -> Fit:
        kernels, kernel = self.kernels, draft.setting.kernel
        if draft.left_early and kernel is kernels.unsplit.kernel:
            if not isinstance(self._best, Fit) and self._best[0].setting.kernel is kernel:
                return Fit(kernels.draft(clock_ps).finished(), clock_ps)
            del kernels.unsplit  # it may change now: a clock that follows gets another one
        return Fit(draft.finished(), clock_ps)


class _Waiting:
    """The loops that wait for themselves: all that a slower clock is meant to gain. `faster`: the
    least `ii` that they have with any clock."""

    def __init__(self, first: KernelSchedule, trial: _Trial, faster: Mapping[Block, int]) -> None:
        entries = expected_entries(first.kernel)
        loops = [block for block, s in first.blocks.items() if s.ii > 1 and s.limits.recurrences]
        place = {block: i for i, block in enumerate(first.kernel.blocks)}
        self.trial = trial
        self.blocks = len(place)
        self.entries = {place[block]: entries[block] for block in loops}
        cycles = cycles_of_blocks(first)
        others = sum(cycles.values()) - sum(cycles[block] for block in loops)
        self.others_ps = others * first.clock_ps
        least = {block: cycles_once_entered(block, faster.get(block, 1), 1) for block in loops}
        self.least = sum(entries[block] * cycles for block, cycles in least.items())
        """Cycles of these loops at least, whatever the clock is."""

    def _entries_of(self, kernel: Kernel) -> dict[Block, float] | None:
        """How often a call enters each of the loops; None where what was split for a clock has
        decided a branch."""
        if len(kernel.blocks) != self.blocks:
            return None
        return {kernel.blocks[i]: n for i, n in self.entries.items()}

    def may_gain(self, clock_ps: int) -> bool:
        """Whether the kernel takes less time with a slower clock if all but these loops take as
        long as before. It costs little of what a schedule does."""
        if self.others_ps + self.least * clock_ps >= self.trial.time_ps:
            return False
        setting = self.trial.kernels.setting(clock_ps)
        clock_ps = max(clock_ps, fastest_clock_ps(setting.kernel, setting.target))
        entries = self._entries_of(setting.kernel)
        most = (self.trial.time_ps - self.others_ps) / clock_ps
        try:
            return entries is None or takes_less(setting, clock_ps, entries, most)
        except Infeasible:  # a pragma's `ii`
            return False


def _candidates(first: KernelSchedule, kernels: _Settings) -> list[int]:
    """The fastest possible clock again, with no more split than it needs, and the clocks with which
    some slower operation would not be split. None where nothing can become better."""
    if is_large(first.kernel) or all(s.ii == 1 for s in _in_loops(first)):
        return []
    target = kernels.target
    ops = (op for _, op in kernels.unsplit.kernel.ops())
    limits = {target.clock_for_ps(target.delay_ps(op)) for op in ops}
    tried = [first.clock_ps]
    for clock_ps in sorted(limits):
        if tried[-1] * policy.CLOCKS_APART < clock_ps <= first.clock_ps * policy.SLOWEST_CLOCK:
            tried.append(clock_ps)
    return tried[: policy.MOST_CLOCKS]


def _slower(kernel: Kernel, clock_ps: int) -> list[int]:
    """Clocks with which a recurrence that just does not fit may take a cycle less."""
    steps = policy.SLOWER_CLOCKS if kernel.size <= FEW_OPERATIONS else FEW_STEPS
    return [round(clock_ps * policy.SLOWER_CLOCK**step) for step in range(1, 1 + steps)]


def _waits_for_itself(schedule: KernelSchedule) -> bool:
    """Whether a loop's recurrence takes several cycles, and the kernel is no larger than to be
    tried again."""
    waits = (s.ii > 1 and s.limits.recurrences for s in _in_loops(schedule))
    return not is_large(schedule.kernel) and any(waits)


def _in_loops(schedule: KernelSchedule) -> list[BlockSchedule]:
    return [schedule.blocks[block] for block in innermost_loops(schedule.kernel)]


def _time_ps(schedule: KernelSchedule) -> float:
    return expected_cycles(schedule) * schedule.clock_ps


def _reason(first: KernelSchedule, target: Target, counter_ps: int) -> str:
    """Delays are those of a large design, with room for what placement misses: a small kernel that
    is placed alone may well be faster."""
    slowest, clock = slowest_operation(first.kernel, target), f"{first.clock_ps / 1000:g} ns"
    if slowest is None or first.clock_ps <= counter_ps:
        least = f"a counter or sum of {NARROWEST_COUNTER_BITS} bits needs in a large design"
        return f"the shortest clock is {clock}, which {least} on {target.title}"
    width = slowest.operands[0].width if slowest.operands else slowest.width
    where = f" in line {slowest.line}" if slowest.line else ""
    return (
        f"`{slowest.slug}` of {width} bits{where} needs {clock} in a large design on {target.title}"
    )
