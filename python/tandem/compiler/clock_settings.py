# SPDX-License-Identifier: Apache-2.0
"""A kernel for one clock after the other: what has to be split for it, and its cores."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from tandem.compiler.clock_facts import facts_of, split_for_clock
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import MacroOp
from tandem.passes import split_wide
from tandem.schedule.delays import Target
from tandem.schedule.scheduler import KernelDraft, draft_kernel, fastest_clock_ps
from tandem.schedule.setting import Setting


class ClockSettings:
    """A kernel for one clock after the other. Most of them change nothing in it, so that what is
    found of it is found once."""

    def __init__(self, make: Callable[[], Kernel], target: Target) -> None:
        self.target = target
        self.make = make
        self._split: tuple[int, Setting] | None = None
        self._on_slower_cores: dict[int, Setting] = {}

    @cached_property
    def unsplit(self) -> Setting:
        """The kernel where nothing has to be split."""
        return Setting(self._made(), self.target)

    @cached_property
    def _whole(self) -> Kernel:
        """What is known of it is known of all, which are made of it (`Kernel.unsplit`)."""
        return self.make()

    def _made(self) -> Kernel:
        """Another one, in which nothing is split yet."""
        kernel = self.make()
        kernel.unsplit = self._whole
        return kernel

    def forget(self) -> None:
        """The kernel may change now: what follows gets another one."""
        del self.unsplit
        self._on_slower_cores.clear()

    def _unsplit_at(self, clock_ps: int) -> Setting:
        """The same with the cores for a clock."""
        target = self.target.at(clock_ps)
        if target is self.target or not blocks_on_cores(self.unsplit.kernel):
            return self.unsplit
        if target.cores_ps not in self._on_slower_cores:
            self._on_slower_cores[target.cores_ps] = Setting(self.unsplit.kernel, target)
        return self._on_slower_cores[target.cores_ps]

    def setting(self, clock_ps: int) -> Setting:
        """The kernel for a clock."""
        timing = facts_of(self.target, clock_ps).timing
        if not split_wide.has_work(self.unsplit.kernel, timing):
            return self._unsplit_at(clock_ps).with_all_cores()
        if self._split is None or self._split[0] != clock_ps:
            kernel = self._made_for(clock_ps)
            kernel.facts.clear()
            self._split = clock_ps, Setting(kernel, self.target.at(clock_ps))
        return self._split[1].with_all_cores()

    def draft(self, clock_ps: int) -> KernelDraft:
        """A draft of a kernel of its own, which may change. Raises as `schedule_kernel` does."""
        kernel = self._made_for(clock_ps)
        kernel.facts.clear()
        clock_ps = max(clock_ps, fastest_clock_ps(kernel, self.target))
        return draft_kernel(Setting(kernel, self.target.at(clock_ps)), clock_ps)

    def _made_for(self, clock_ps: int) -> Kernel:
        kernel = self._made()
        split_for_clock(kernel, self.target, clock_ps)
        return kernel


def blocks_on_cores(kernel: Kernel) -> list[Block]:
    """The blocks with operations on cores, which take fewer cycles with a slower clock."""
    cores = {block for block, op in kernel.ops() if op.core and not isinstance(op, MacroOp)}
    return [block for block in kernel.blocks if block in cores]
