# SPDX-License-Identifier: Apache-2.0
"""What the iterations of one loop leave to those of another that runs later, as often: what is made
of counters is computed once more, and all else lies in memories with a place for each iteration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.names import plain
from tandem.ir.ops import Load, Mul, Op, Parameter, Store


def counted_on(builder: Builder, counters: Sequence[Op], steps: Iterable[int]) -> list[Op]:
    """What counters of a loop are next; steps of more than these are left out."""
    return [builder.plus(counter, step) for counter, step in zip(counters, steps, strict=False)]


class LeftBehind:
    """Memories in which a loop leaves values; `number` counts its iterations, of which there are
    `most`. `blocks`: those of its blocks that every iteration goes through where it leaves
    something, in their order; what other blocks make is left at the end of the last one."""

    def __init__(self, kernel: Kernel, blocks: list[Block], number: Op, most: int) -> None:
        self.kernel = kernel
        self.blocks = blocks
        self.number = number
        self.most = most
        self.memories: dict[Op, Memory] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Of the memories, in the order in which they were made."""
        return tuple(memory.name for memory in self.memories.values())

    def memory(self, value: Op) -> Memory:
        """The memory in which the loop leaves a value."""
        if value not in self.memories:
            what = plain(value.name.partition(".")[0], "value")
            memory = Memory(f"{what}_left", MemoryKind.RAM, value.width, self.most)
            self.memories[value] = self.kernel.add_memory(memory)
            made_in = (b for b in self.blocks if value in b.ops or value in b.parameters)
            builder = Builder(self.kernel, next(made_in, self.blocks[-1]), value.line)
            self.store(builder, self.memories[value], self.number, value)
        return self.memories[value]

    def store(self, builder: Builder, memory: Memory, number: Op, value: Op) -> None:
        """Leaves a value for the iteration of a number."""
        place = builder.extract(number, 0, memory.index_bits)
        builder.raw(Store, [place, value], 0, memory=memory)

    def load(self, builder: Builder, memory: Memory, number: Op, width: int) -> Op:
        """What has been left for the iteration of a number."""
        place = builder.extract(number, 0, memory.index_bits)
        return builder.raw(Load, [place], width, memory=memory)


class Again:
    """What a loop has `made`, in a `block` of another loop that is in the iteration `number`.
    `known`: what stands there for each of the counters of the first loop."""

    def __init__(
        self, left: LeftBehind, made: Collection[Op], block: Block, number: Op, known: dict[Op, Op]
    ) -> None:
        self.left = left
        self.made = made
        self.block = block
        self.number = number
        self.counters = set(known)
        self.known = dict(known)

    def value(self, value: Op) -> Op:
        """What stands for a value."""
        if value not in self.made:
            return value
        if value not in self.known:
            self.known[value] = self._again(value) or self._left(value)
        return self.known[value]

    def _again(self, value: Op) -> Op | None:
        """The value computed once more, if it is made of counters and of what does not change."""
        if not value.pure or isinstance(value, Parameter) or not self._is_counted(value):
            return None
        operands = [self.value(o) for o in value.operands]
        copy = value.like(operands)
        self.block.ops.append(copy)
        return copy

    def _is_counted(self, value: Op) -> bool:
        work, seen = [value], set[Op]()
        while work:
            op = work.pop()
            if op not in self.made or op in seen or op in self.counters:
                continue
            if not op.pure or isinstance(op, (Parameter, Mul)) or op.core:
                return False
            seen.add(op)
            work += op.operands
        return True

    def _left(self, value: Op) -> Op:
        name = self.left.memory(value)
        reading = Builder(self.left.kernel, self.block, value.line)
        return self.left.load(reading, name, self.number, value.width)
