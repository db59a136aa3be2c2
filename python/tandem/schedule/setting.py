# SPDX-License-Identifier: Apache-2.0
"""What is the same for every block of a kernel that is scheduled, and the latencies chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

from tandem import policy
from tandem.analysis.ranges import turns_of
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Mul, Op
from tandem.schedule.access_orders import AccessOrder, access_orders
from tandem.schedule.cover import Cover, covers_of
from tandem.schedule.delays import Operator, Target
from tandem.schedule.expected import MANY, expected_entries
from tandem.schedule.problem import Problem
from tandem.schedule.rounds import rounds_of
from tandem.schedule.unsplit import block_before

MULTIPLIERS = "multipliers"
"""The unit of products that share some."""


@dataclass
class Latencies:
    """The latencies chosen: of reading a memory, of every product of a block, and of a division.
    Where none is, it is the lowest that the target has."""

    reads: dict[str, int] = field(default_factory=dict)
    products: dict[Block, int] = field(default_factory=dict)
    divisions: dict[Op, int] = field(default_factory=dict)

    def of(self, block: Block) -> tuple[Hashable, ...]:
        """Those that matter to a block, and some that do not."""
        return *self.reads.items(), self.products.get(block, 0), *self.divisions.values()


class Setting:
    """What is the same for every block, whatever its latencies are. `sharing`: how many operations
    of the whole kernel each unit serves; `covers` of all its logic; `cores`: how many there are of
    each. `is_core`: the kernel is one, whose operands come and go every cycle."""

    def __init__(self, kernel: Kernel, target: Target, is_core: bool = False) -> None:
        self.kernel = kernel
        self.target = target
        self.is_core = is_core
        self.cores = Counter(op.core for _, op in kernel.ops() if op.core)
        accesses = (op for _, op in kernel.ops() if isinstance(op, Access))
        self.sharing = Counter(unit_name(op.memory.name, op.slug) for op in accesses)
        self.sharing[MULTIPLIERS] = sum(isinstance(op, Mul) for _, op in kernel.ops())
        self.sharing.update(self.cores)
        self._orders: dict[Block, list[AccessOrder]] = {}
        self.problems: dict[tuple[Hashable, ...], Problem] = {}
        """What blocks ask for, by block and latencies, whatever the clock is."""
        self.covers: dict[Op, Cover] = {}
        for block in kernel.blocks:
            self.covers |= covers_of(block, target)
        self.rounds = rounds_of(kernel)
        cores = [target.core(kind).area for kind in self.cores]
        self.least_area = policy.LEAVING_AREA + sum(core["lut4"] + core["ff"] for core in cores)
        """About how many look-up tables and flip-flops the kernel takes at least."""

    def with_all_cores(self) -> Setting:
        """The same once more, for another clock."""
        other = copy(self)
        other.cores = Counter({kind: self.sharing[kind] for kind in self.cores})
        return other

    def orders(self, block: Block) -> list[AccessOrder]:
        """What a block's accesses must wait for each other."""
        if block not in self._orders:
            self._orders[block] = access_orders(self.kernel, block)
        return self._orders[block]

    def trips(self, block: Block) -> float:
        """How often a loop runs once it is entered: in the middle of what it may be, if that is
        known to be few."""
        before = block_before(self.kernel, block)
        whole = self.kernel.unsplit if before else None
        turns = turns_of(whole or self.kernel).get(before or block)
        return min(sum(turns) / 2, MANY.loops) if turns else MANY.loops

    @cached_property
    def entries(self) -> dict[Block, float]:
        """How often each block is expected to be entered in a call."""
        return expected_entries(self.kernel)

    @cached_property
    def shares(self) -> dict[Block, float]:
        """About what part of the time each block takes."""
        times = {b: n * (self.trips(b) if b.is_loop else 1) for b, n in self.entries.items()}
        total = sum(times.values())
        return {block: time / total for block, time in times.items()}

    def operators(self, op: Op) -> list[Operator]:
        """The ways to do an operation that is no access, by latency. In front of what it shares
        with others is a choice, and a register behind that."""
        found = self.target.operators(op)
        if op.core:
            ways = -(-self.sharing[op.core] // self.cores[op.core])
            return [replace(way, request_ps=self.target.choice_ps(ways)) for way in found]
        if not isinstance(op, Mul) or not self.kernel.multipliers:
            return found
        chosen_ps = self.target.choice_ps(-(-self.sharing[MULTIPLIERS] // self.kernel.multipliers))
        return [replace(way, request_ps=chosen_ps) for way in found if way.latency_cycles]


def unit_name(memory: str, kind: str) -> str:
    """The side of a memory that serves its loads or its stores (`kind`)."""
    return f"{kind} {memory}"
