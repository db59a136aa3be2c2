# SPDX-License-Identifier: Apache-2.0
"""Which latency the products and the memories of a kernel get.

Registers inside a multiplier block or a block RAM let a clock be faster, and cost a cycle on every
path through them. An operator that does not fit the clock without gets them; one that takes much of
a cycle gets them where the kernel takes no more cycles for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from tandem import policy
from tandem.diagnostics import Infeasible
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Divide, Load, Mul, Op
from tandem.schedule.delays import Operator
from tandem.schedule.expected import cycles_once_entered, is_large
from tandem.schedule.limits import Limits
from tandem.schedule.problem import Node, Problem
from tandem.schedule.setting import Latencies, Setting
from tandem.schedule.starts import Starts


@dataclass(frozen=True)
class Draft:
    """A block's least `ii`, the earliest starts for it and the ports of its accesses."""

    problem: Problem
    ii: int
    starts: Starts
    ports: dict[Node, int]
    limits: Limits

    @property
    def cycles(self) -> int:
        """What the block is expected to take once it is entered."""
        return cycles_once_entered(self.problem.block, self.ii, self.length)

    @property
    def length(self) -> int:
        """Cycles from the start of an iteration to its end."""
        return self.starts[self.problem.end] + 1

    @property
    def least_leave(self) -> int:
        """Cycles from the start of the last iteration until it is known that it is the last."""
        return self.starts[self.problem.decide] + 1


Drafts = dict[Block, Draft]


def choose_latencies(
    setting: Setting,
    budget_ps: int,
    draft: Callable[[Block, Latencies], Draft],
) -> tuple[Latencies, Drafts]:
    """The latencies, and every block with them; `draft` makes one block. Raises Infeasible where a
    directive's `ii` cannot be had."""
    kernel, target = setting.kernel, setting.target
    readers = _readers(kernel)
    reads = {name: target.reads(kernel.memories[name]) for name in readers}
    ways_of = {block: _ways(setting, ops) for block, ops in _products(kernel).items()}
    chosen = _lowest(setting, budget_ps, reads, ways_of)
    drafts = {block: draft(block, chosen) for block in kernel.blocks}
    if is_large(kernel):
        return chosen, drafts
    trial = _Trial(chosen, drafts, draft, setting.entries)
    for block, ways in ways_of.items() if not kernel.multipliers else ():
        for latency, loss in _welcome(ways, chosen.products[block], budget_ps):
            products = trial.latencies.products | {block: latency}
            trial.take(replace(trial.latencies, products=products), [block], loss)
    for name, ways in reads.items():
        for latency, loss in _welcome(ways, chosen.reads[name], budget_ps):
            changed = trial.latencies.reads | {name: latency}
            trial.take(replace(trial.latencies, reads=changed), readers[name], loss)
    return trial.latencies, trial.drafts


def lowest_latencies(setting: Setting, budget_ps: int) -> Latencies:
    """The lowest latencies that fit the clock, and with which a loop's `ii` is least."""
    kernel, target = setting.kernel, setting.target
    reads = {name: target.reads(kernel.memories[name]) for name in _readers(kernel)}
    ways_of = {block: _ways(setting, ops) for block, ops in _products(kernel).items()}
    return _lowest(setting, budget_ps, reads, ways_of)


def _lowest(
    setting: Setting,
    budget_ps: int,
    reads: dict[str, list[Operator]],
    ways_of: dict[Block, list[Operator]],
) -> Latencies:
    kernel, target = setting.kernel, setting.target
    return Latencies(
        {name: _least(ways, budget_ps) for name, ways in reads.items()},
        _of_products(kernel, ways_of, budget_ps),
        {
            op: _least(target.operators(op), budget_ps)
            for _, op in kernel.ops()
            if isinstance(op, Divide)
        },
    )


@dataclass
class _Trial:
    """The best latencies so far."""

    latencies: Latencies
    drafts: Drafts
    draft: Callable[[Block, Latencies], Draft]
    entries: dict[Block, float]

    def take(self, latencies: Latencies, blocks: Iterable[Block], loss: float) -> None:
        """Goes over to other latencies, which matter for some blocks, if that costs no more than
        `loss` of their cycles."""
        try:
            made = {block: self.draft(block, latencies) for block in blocks}
        except Infeasible:  # a directive's `ii`
            return
        now = self._cycles({block: self.drafts[block] for block in made})
        if self._cycles(made) <= now * (1 + loss):
            self.latencies = latencies
            self.drafts |= made

    def _cycles(self, drafts: Drafts) -> float:
        return sum(self.entries[block] * draft.cycles for block, draft in drafts.items())


def _products(kernel: Kernel) -> dict[Block, list[Op]]:
    found: dict[Block, list[Op]] = {}
    for block, op in kernel.ops():
        if isinstance(op, Mul):
            found.setdefault(block, []).append(op)
    return found


def _readers(kernel: Kernel) -> dict[str, list[Block]]:
    """The blocks that read each memory."""
    found: dict[str, dict[Block, None]] = {}
    for block, op in kernel.ops():
        if isinstance(op, Load):
            found.setdefault(op.memory.name, {})[block] = None
    return {name: list(blocks) for name, blocks in found.items()}


def _ways(setting: Setting, ops: list[Op]) -> list[Operator]:
    """The ways to do the slowest of some operations."""
    return setting.operators(max(ops, key=setting.target.delay_ps))


def _of_products(
    kernel: Kernel, ways_of: dict[Block, list[Operator]], budget_ps: int
) -> dict[Block, int]:
    """The lowest latencies of each block's products. Those that share multipliers have one."""
    found = {block: _least(ways, budget_ps) for block, ways in ways_of.items()}
    return dict.fromkeys(found, max(found.values())) if found and kernel.multipliers else found


def _least(ways: list[Operator], budget_ps: int) -> int:
    """The lowest latency with which an operator fits a cycle, or else the highest."""
    fitting = (way.latency_cycles for way in ways if way.longest_ps <= budget_ps)
    return next(fitting, ways[-1].latency_cycles)


def _welcome(ways: list[Operator], least: int, budget_ps: int) -> list[tuple[int, float]]:
    """Higher latencies that take the operator out of a large part of a cycle, and the loss that
    each is worth."""
    found: list[tuple[int, float]] = []
    for before, after in pairwise(ways):
        if after.latency_cycles > least and before.longest_ps > policy.REGISTERED_PART * budget_ps:
            loss = policy.TIGHT_LOSS if before.longest_ps > policy.TIGHT_PART * budget_ps else 0.0
            found.append((after.latency_cycles, loss))
    return found
