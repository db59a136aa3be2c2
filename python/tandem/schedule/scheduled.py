# SPDX-License-Identifier: Apache-2.0
"""A schedule: when each operation of a block starts, and how blocks follow each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from tandem import policy
from tandem.ir.argument import ArgumentKind
from tandem.ir.blocks import Block, Return
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Divide, Op, Parameter, Push, StreamOp
from tandem.ir.processes import fifos, stream_ops
from tandem.schedule.delays import Target
from tandem.schedule.limits import Limits
from tandem.schedule.problem import Problem


@dataclass
class BlockSchedule:
    """`start`: the cycle of each operation within an iteration. A loop parameter is read in
    `reads` and its next value written in `writes`. In `decide` it is known which block is next;
    `length` cycles after an iteration starts it is over, and `leave` cycles after the last one has
    started another block does. `ii` is 0 for a block that is no loop."""

    block: Block
    length: int
    start: dict[Op, int]
    decide: int
    ports: dict[Op, int] = field(default_factory=dict)
    """Which of a memory's equal ports serves an access, or which multiplier a product."""
    ii: int = 0
    reads: dict[Op, int] = field(default_factory=dict)
    writes: dict[Op, int] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits())
    """What stands in the way of a smaller ii."""
    latency: dict[Op, int] = field(default_factory=dict)
    """Cycles from the start of an operation to its result, where there are any."""
    longest_ps: int = 0
    """The longest path between registers, without what these take themselves."""
    answer_ps: int = 0
    """How late in the last cycle what leaves the block is there."""
    leave: int = 0
    stay: int = 0
    """Another block does not start before so many cycles after the first iteration has, 0 where
    that follows from `leave`."""
    copies: dict[Op, list[int]] = field(default_factory=dict)
    """Values of other blocks that a pipeline reads when they are no longer there: in these cycles
    of each iteration they go from one copy to the next."""
    problem: Problem | None = None
    """What was asked for, so that it can be asked otherwise (`cures`)."""

    def __post_init__(self) -> None:
        self.leave = self.leave or self.length

    def delay(self, cycles: int) -> None:
        """Has everything in a block that is no loop start so much later."""
        self.start = {op: cycle + cycles for op, cycle in self.start.items()}
        self.length += cycles
        self.leave += cycles
        self.decide += cycles

    def readers(self) -> Iterator[tuple[Op, int]]:
        """Every value that is read in the block, with the cycle."""
        yield from self.inner_readers()
        yield from self.leaving_readers()

    def leaving_readers(self) -> Iterator[tuple[Op, int]]:
        """Those that are read as the block is left."""
        end, last = self.block.end, self.leave - 1
        if end.value is not None:
            yield end.value, last
        for edge in end.edges:
            if edge.block is not self.block:
                yield from ((value, last) for value in edge.arguments)

    def inner_readers(self) -> Iterator[tuple[Op, int]]:
        """Those that are not read as the block is left."""
        for op, cycle in self.start.items():
            yield from ((operand, cycle) for operand in op.operands)
        yield from self.deciding_readers()

    def deciding_readers(self) -> Iterator[tuple[Op, int]]:
        """What control and the next iteration read."""
        if self.block.end.condition is not None:
            yield self.block.end.condition, self.decide
        if self.block.is_loop:
            following = self.block.back_edge.arguments
            for parameter, value in zip(self.block.parameters, following, strict=True):
                yield value, self.writes[parameter]

    def ready(self, value: Op) -> int:
        """The cycle in which a value of the block is there."""
        if isinstance(value, Parameter):
            return self.reads.get(value, 0)
        return self.start[value] + self.latency.get(value, 0)

    @property
    def token_cycles(self) -> list[int]:
        """The cycles in which it matters whether the block runs: of a pipeline all, else without
        those of long waits."""
        if self.ii:
            return list(range(self.length))
        busy = {0, self.length - 1, *self.start.values(), *map(self.ready, self.start)}
        found = []
        for before, cycle in pairwise(sorted(busy)):
            is_long = cycle - before > policy.COUNTED_WAIT
            found += [before] if is_long else range(before, cycle)
        return [*found, self.length - 1]

    def records_on_their_way(self, push: Op) -> int:
        """How many records of earlier iterations may not be in a FIFO yet when one starts."""
        return self.start[push] // self.ii if self.ii else 0

    def records_before(self, op: Op) -> int:
        """The same of the FIFO that an operation gives to, or asks for room."""
        given = stream_ops(self.block, Push)
        push = next((o for o in given if o.memory is op.memory), None)
        return self.records_on_their_way(push) if push is not None else 0

    def keeps(self, value: Op) -> bool:
        """Whether the hardware of an operation keeps its result until the block runs again."""
        return isinstance(value, Divide) and not self.ii

    def passes_on(self, parameter: Op) -> bool:
        """Whether an iteration reads a loop parameter in the cycle in which the one before it
        writes it."""
        return self.ii > 0 and self.writes[parameter] - self.ii == self.reads[parameter]


@dataclass
class OwnArea:
    """Look-up tables and flip-flops of an estimate that are of one operation, or loop parameter:
    what computes it and where it waits; without choices, control and memories."""

    lut4: dict[Op, float] = field(default_factory=dict)
    ff: Counter[Op] = field(default_factory=Counter)


@dataclass
class KernelSchedule:
    """The schedule of a kernel for a clock period."""

    kernel: Kernel
    target: Target
    clock_ps: int
    blocks: dict[Block, BlockSchedule] = field(default_factory=dict)
    read_latency: dict[str, int] = field(default_factory=dict)
    """Cycles from a request to a memory to its answer."""
    area: dict[str, Any] | None = None
    """What it is estimated to take, once somebody has asked (`schedule.area`)."""
    own_area: OwnArea = field(default_factory=OwnArea)
    """Of that, what is each operation's own."""

    @cached_property
    def fifo_depths(self) -> dict[str, int]:
        """Records that each FIFO between processes holds, a power of two: as many as the C wants,
        or else so many that a pipeline that is emptied in every cycle never waits for room."""
        depths = {memory.name: max(2, memory.depth or 0) for memory in fifos(self.kernel)}
        for block, op in self.kernel.ops():
            if isinstance(op, Push) and op.memory.name in depths:
                wanted = op.memory.depth
                least = self.blocks[block].records_on_their_way(op) + (
                    1 if wanted else policy.FIFO_SLACK
                )
                depths[op.memory.name] = max(depths[op.memory.name], least)
        return {name: 1 << (depth - 1).bit_length() for name, depth in depths.items()}

    @property
    def pipeline(self) -> BlockSchedule | None:
        """The kernel's one loop, if it has just one and that is a pipeline. Of any other kernel no
        single `ii` and latency would tell the truth."""
        loops = list(natural_loops(self.kernel))
        if len(loops) != 1 or not self.blocks[loops[0]].ii:
            return None
        return self.blocks[loops[0]]

    @property
    def begins_at_once(self) -> bool:
        """Whether the first block starts in the cycle of `start`, and not in the next one: nothing
        else leads to it, and it asks for no record."""
        entry = self.kernel.entry
        ways_in = (edge.block for block in self.kernel.blocks for edge in block.end.edges)
        return entry not in ways_in and not any(isinstance(op, StreamOp) for op in entry.ops)

    @property
    def ends_at_once(self) -> bool:
        """Whether `done` is high in the last cycle of the last block, and not in the next one: no
        result needs a register, nothing is left in a FIFO, and it does not follow `start` through
        logic alone."""
        kernel = self.kernel
        waits = any(a.is_result or a.kind is ArgumentKind.STREAM for a in kernel.arguments)
        entry = self.blocks[kernel.entry]
        is_start = isinstance(kernel.entry.end, Return) and entry.length == 1
        return not waits and not (is_start and self.begins_at_once)

    @property
    def ii(self) -> int | None:
        """Initiation interval of a kernel that is one pipeline."""
        return self.pipeline.ii if self.pipeline else None

    @property
    def reachable_clock_ps(self) -> int:
        """The clock period that placement is expected to reach."""
        longest = max(schedule.longest_ps for schedule in self.blocks.values())
        return self.target.period_ps(longest)

    @property
    def latency_cycles(self) -> int | None:
        """Cycles from the start of an iteration of that pipeline to its last effect."""
        return self.pipeline.length if self.pipeline else None
