# SPDX-License-Identifier: Apache-2.0
"""A second kernel that says the same, and that nothing done to the first one changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tandem.ir.argument import Argument
from tandem.ir.blocks import Block, Edge
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory
from tandem.ir.ops import Constant, Op


def clone(kernel: Kernel) -> Kernel:
    """The kernel again: its blocks, operations, memories and arguments are objects of its own."""
    return _Clone(kernel).run()


class _Clone:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.memories: dict[Memory, Memory] = {}
        self.blocks = {block: block.outline() for block in kernel.blocks}
        self.ops: dict[Op, Op] = {}

    def run(self) -> Kernel:
        kernel = self.kernel
        memories = {name: self._memory(memory) for name, memory in kernel.memories.items()}
        arguments = [self._argument(argument) for argument in kernel.arguments]
        for old, new in self.blocks.items():
            new.parameters = [self._op(p) for p in old.parameters]
            new.ops = [self._op(op) for op in old.ops]
        for old, new in self.ops.items():
            new.operands = [self._op(o) for o in old.operands]
            if old.settled is not None:
                new.settled = new.operands if old.settled is old.operands else []
        for old, new in self.blocks.items():
            _end_as(old, new, self.blocks, self._op)
        return replace(
            kernel,
            arguments=arguments,
            memories=memories,
            blocks=list(self.blocks.values()),
            in_place=set(kernel.in_place),
            unrolled={line: set(inside) for line, inside in kernel.unrolled.items()},
            copyable=dict(kernel.copyable),
            rows=set(kernel.rows),
            stores_read=set(kernel.stores_read),
            windows=set(kernel.windows),
            divisions=set(kernel.divisions),
            nests=set(kernel.nests),
            pairs=set(kernel.pairs),
            mixed=set(kernel.mixed),
            planes=set(kernel.planes),
            borders=set(kernel.borders),
            diagonal=set(kernel.diagonal),
            pivots=set(kernel.pivots),
            interchangeable=set(kernel.interchangeable),
            while_nests=set(kernel.while_nests),
            independent=dict(kernel.independent),
            deeds=list(kernel.deeds),
            probes={},
            facts={},
        )

    def _op(self, op: Op) -> Op:
        """Constants have no place and never change."""
        if isinstance(op, Constant):
            return op
        if op not in self.ops:
            self.ops[op] = copy = op.like()
            if op.has_memory:
                copy.attributes["memory"] = self._memory(op.memory)
        return self.ops[op]

    def _value(self, op: Op | None) -> Op | None:
        return None if op is None else self._op(op)

    def _memory(self, memory: Memory) -> Memory:
        return self.memories.setdefault(memory, replace(memory))

    def _argument(self, argument: Argument) -> Argument:
        memory = None if argument.memory is None else self._memory(argument.memory)
        return replace(argument, memory=memory, op=self._value(argument.op))


def copy_blocks(kernel: Kernel, blocks: list[Block]) -> tuple[dict[Block, Block], dict[Op, Op]]:
    """Some blocks of a kernel once more, as part of it, before the first of them, and what is made
    there. Edges between them lead to the copies, others to where they led; nothing leads to the
    copies yet."""
    copies = {block: replace(block.outline(), loop=block.loop) for block in blocks}
    ops = {op: op.like() for block in blocks for op in [*block.parameters, *block.ops]}

    def value(op: Op) -> Op:
        return ops.get(op, op)

    for old, new in ops.items():
        new.operands = [value(o) for o in old.operands]
    place = kernel.blocks.index(blocks[0])
    for old, new in copies.items():
        new.name = block_name(kernel, old.name)
        new.parameters = [ops[p] for p in old.parameters]
        new.ops = [ops[op] for op in old.ops]
        _end_as(old, new, copies, value)
        kernel.blocks.insert(place, new)
        place += 1
    return copies, ops


def _end_as(old: Block, new: Block, blocks: dict[Block, Block], value: Callable[[Op], Op]) -> None:
    """Has a copy end as its block does, with copies of blocks and values in the place of those."""

    def known(op: Op | None) -> Op | None:
        return None if op is None else value(op)

    end = old.end
    edges = [
        Edge(blocks.get(e.block, e.block), [value(a) for a in e.arguments], e.seldom)
        for e in end.edges
    ]
    ends = known(end.condition), edges, known(end.value)
    new.end = type(end)(*ends, end.line, end.callee)
    new.trip_count = known(old.trip_count)
