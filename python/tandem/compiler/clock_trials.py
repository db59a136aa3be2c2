# SPDX-License-Identifier: Apache-2.0
"""A kernel with one clock after the other, and whether another one may be better."""

from __future__ import annotations

from collections.abc import Mapping

from tandem.compiler.clock_settings import ClockSettings, blocks_on_cores
from tandem.compiler.fits import Asked, Fit, time_of
from tandem.diagnostics import Infeasible
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.schedule.expected import cycles_of_blocks, cycles_once_entered, expected_entries
from tandem.schedule.scheduled import KernelSchedule
from tandem.schedule.scheduler import KernelDraft, draft_kernel, fastest_clock_ps, takes_less


class ClockTrial:
    """One clock after the other. What is best is known of drafts; only one schedule is finished."""

    def __init__(self, kernels: ClockSettings, first: Fit, asked: Asked) -> None:
        self.kernels = kernels
        self.asked = asked
        self.clock_ps = first.schedule.clock_ps
        """The best clock, as it was tried."""
        self.time_ps = self.least_ps = time_of(first.schedule)
        """What the kernel takes with the best clock, and with the one with which it takes least."""
        self._cost = asked.cost(self.time_ps, self.clock_ps)
        self._best: Fit | tuple[KernelDraft, int] = first

    def take(self, clock_ps: int) -> None:
        """Goes over to another clock if the kernel is better with it."""
        setting = self.kernels.setting(clock_ps)
        fastest_ps = fastest_clock_ps(setting.kernel, setting.target)
        try:
            draft = draft_kernel(setting, max(clock_ps, fastest_ps))
        except Infeasible:  # a pragma's `ii`
            return
        time_ps, most_ps = draft.least_time_ps(), self.most_ps(draft.clock_ps)
        other: Fit | tuple[KernelDraft, int] = (draft, clock_ps)
        if draft.left_early and time_ps < most_ps:
            other = self._finished(draft, clock_ps)
            time_ps = time_of(other.schedule)
        if isinstance(other, Fit) or not draft.left_early:
            self.least_ps = min(self.least_ps, time_ps)
        if time_ps < most_ps:
            self._best, self._cost = other, self.asked.cost(time_ps, draft.clock_ps)
            self.time_ps, self.clock_ps = time_ps, clock_ps

    def most_ps(self, clock_ps: int) -> float:
        """The time that a kernel takes with a clock if it is no better than the best one so far."""
        return self.asked.most_ps(self._cost, clock_ps)

    def best(self) -> Fit:
        """The fit to the best clock."""
        return self._best if isinstance(self._best, Fit) else self._finished(*self._best)

    def _finished(self, draft: KernelDraft, clock_ps: int) -> Fit:
        kernels, kernel = self.kernels, draft.setting.kernel
        if draft.left_early and kernel is kernels.unsplit.kernel:
            if not isinstance(self._best, Fit) and self._best[0].setting.kernel is kernel:
                return Fit(kernels.draft(clock_ps).finished(), clock_ps)
            kernels.forget()
        return Fit(draft.finished(), clock_ps)


class Waiting:
    """The loops that wait for themselves, and what computes on cores: all that a slower clock is
    meant to gain. `faster`: the least `ii` that they have with any clock."""

    def __init__(
        self, first: KernelSchedule, trial: ClockTrial, faster: Mapping[Block, int]
    ) -> None:
        entries = expected_entries(first.kernel)
        loops = [block for block, s in first.blocks.items() if s.ii > 1 and s.limits.recurrences]
        blocks = dict.fromkeys([*loops, *blocks_on_cores(first.kernel)])
        place = {block: i for i, block in enumerate(first.kernel.blocks)}
        self.trial = trial
        self.blocks = len(place)
        self.entries = {place[block]: entries[block] for block in blocks}
        cycles = cycles_of_blocks(first)
        others = sum(cycles.values()) - sum(cycles[block] for block in blocks)
        self.others_ps = others * first.clock_ps
        iis = {block: faster.get(block, min(first.blocks[block].ii, 1)) for block in blocks}
        least = {block: cycles_once_entered(block, ii, 1) for block, ii in iis.items()}
        self.least = sum(entries[block] * cycles for block, cycles in least.items())
        """Cycles of these blocks at least, whatever the clock is."""

    def _entries_of(self, kernel: Kernel) -> dict[Block, float] | None:
        """How often a call enters each of the blocks; None where what was split for a clock has
        decided a branch."""
        if len(kernel.blocks) != self.blocks:
            return None
        return {kernel.blocks[i]: n for i, n in self.entries.items()}

    def may_gain(self, clock_ps: int) -> bool:
        """Whether the kernel is better with a slower clock if all but these blocks take as long as
        before. It costs little of what a schedule does."""
        if self.others_ps + self.least * clock_ps >= self.trial.most_ps(clock_ps):
            return False
        setting = self.trial.kernels.setting(clock_ps)
        clock_ps = max(clock_ps, fastest_clock_ps(setting.kernel, setting.target))
        entries = self._entries_of(setting.kernel)
        most = (self.trial.most_ps(clock_ps) - self.others_ps) / clock_ps
        try:
            return entries is None or takes_less(setting, clock_ps, entries, most)
        except Infeasible:  # a pragma's `ii`
            return False
