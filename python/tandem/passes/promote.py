# SPDX-License-Identifier: Apache-2.0
"""promote: a local array reached only at known places becomes one value an element.

Requires: simplify (indices folded). What is read before it was written is 0. An array that several
functions share stays one: no value of theirs is another's. So does a variable of a function that is
called: it lives from call to call.
"""

from __future__ import annotations

from collections import deque

from tandem.ir.builder import Builder
from tandem.ir.functions import blocks_of, entries
from tandem.ir.kernel import Block, Kernel, Op, constant
from tandem.passes.simplify import substitute

SLUG = "promote"
SUMMARY = "turn small local arrays with constant indices into values"

Cell = tuple[str, int]


def run(kernel: Kernel) -> bool:
    """Promotes every array that qualifies; whether there was any."""
    names = {m.name for m in kernel.memories.values() if m.kind == "ram"}
    for _, op in kernel.ops():
        if op.kind in ("load", "store") and op.operands[0].kind != "constant":
            names.discard(op.memory)
    names -= _outlives_a_call(kernel)
    if not any(op.memory in names for _, op in kernel.ops()):
        return False
    _Promotion(kernel, names).run()
    return True


def _outlives_a_call(kernel: Kernel) -> set[str]:
    """Memories that several functions reach, and those with contents that a called one reaches."""
    called = entries(kernel).values()
    bodies = [blocks_of(entry) for entry in (kernel.entry, *called)] if called else []
    reached = [{op.memory for block in body for op in block.ops} for body in bodies]
    found = {name for i, one in enumerate(reached) for other in reached[:i] for name in one & other}
    kept = {m.name for m in kernel.memories.values() if m.contents}
    return found.union(*(kept & names for names in reached[1:]))


class _Promotion:
    def __init__(self, kernel: Kernel, names: set[str]) -> None:
        self.kernel = kernel
        self.names = names
        self.predecessors = kernel.predecessors()
        self.first = {kernel.entry, *entries(kernel).values()}
        self.at_start: dict[tuple[Block, Cell], Op] = {}
        self.at_end: dict[Block, dict[Cell, Op]] = {b: {} for b in kernel.blocks}
        self.pending: deque[tuple[Block, Cell]] = deque()
        # First in, first out: edges receive arguments in the order of the parameters.
        self.replace: dict[Op, Op] = {}

    def run(self) -> None:
        for block in self.kernel.blocks:
            self._sweep(block)
        while self.pending:
            block, cell = self.pending.popleft()
            for source, edge in self.predecessors[block]:
                edge.arguments.append(self._value_at_end(source, cell))
        substitute(self.kernel, self.replace)

    def _sweep(self, block: Block) -> None:
        ops, block.ops = block.ops, []
        builder = Builder(self.kernel, block)
        current = self.at_end[block]
        for op in ops:
            if op.kind not in ("load", "store") or op.memory not in self.names:
                block.ops.append(op)
                continue
            cell = (op.memory, op.operands[0].value)
            builder.line = op.line
            if op.kind == "load":
                self.replace[op] = self._read(block, cell)
            else:
                current[cell] = self._written(builder, block, cell, op)

    def _written(self, builder: Builder, block: Block, cell: Cell, op: Op) -> Op:
        value = op.stored
        if op.enable is None:
            return value
        return builder.raw("select", [op.enable, value, self._read(block, cell)], value.width)

    def _read(self, block: Block, cell: Cell) -> Op:
        current = self.at_end[block]
        if cell not in current:
            current[cell] = self._value_at_start(block, cell)
        return current[cell]

    def _value_at_start(self, block: Block, cell: Cell) -> Op:
        key = (block, cell)
        if key not in self.at_start:
            memory = self.kernel.memories[cell[0]]
            width = memory.element_bits
            if block in self.first:
                self.at_start[key] = constant(memory.initial(cell[1]), width)
            else:
                self.at_start[key] = parameter = Op("parameter", (), width)
                parameter.name = f"{cell[0]}_{cell[1]}"
                block.parameters.append(parameter)
                self.pending.append(key)
        return self.at_start[key]

    def _value_at_end(self, block: Block, cell: Cell) -> Op:
        return self._read(block, cell)
