# SPDX-License-Identifier: Apache-2.0
"""fill-tables: a local array that every call fills with the same numbers is a table.

The C fills it by loops (`for (k = 0; k < 64; k++) table[k] = 1000 * sin(k * 0.05)`) or stores, and
what fills it knows nothing of the call. It is run here once, in the order of the C, up to the first
branch that depends on the call; arrays in which nothing is stored later become tables, and what
filled them goes.

First of all: loops are still those of the C.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tandem import policy
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.interpreter import Machine, edge_taken, first_cells, run_op, take, value_in
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Access, Constant, Load, Op, Rom, Store, constant
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import substitute, tidy

SLUG = "fill-tables"
SUMMARY = "make tables of local arrays that every call fills with the same numbers"

MOST_STEPS = 1 << 19
"""Operations that are run for it: some tenths of a second."""


class _Cells(list[int]):
    """The elements of a local array as far as they are known."""

    def __init__(self, depth: int) -> None:
        super().__init__([_UNKNOWN] * depth)

    def __getitem__(self, place):  # pyright: ignore
        value = super().__getitem__(place)
        if value == _UNKNOWN:
            raise KeyError(place)
        return value


_UNKNOWN = -1
"""No element is negative."""


@dataclass(eq=False)
class _Filling:
    """What is run of a kernel: a block, with the `values` of its loads that are known, or a loop,
    with the edges `into` it and `out` of it and the last values of all that it makes."""

    ops: list[Op]
    into: Edge | None = None
    out: Edge | None = None
    values: dict[Op, int] = field(default_factory=dict)

    def stored(self) -> set[str]:
        return {op.memory.name for op in self.ops if isinstance(op, Store)}


def run(kernel: Kernel) -> bool:
    """Whether any array has become a table."""
    arrays = {
        m.name: m
        for m in kernel.memories.values()
        if m.kind is MemoryKind.RAM
        and not m.contents
        and (m.depth or 0) * m.element_bits <= policy.TABLE_BITS
    }
    if not any(isinstance(op, Store) and op.memory.name in arrays for _, op in kernel.ops()):
        return False
    walk = _Walk(kernel, arrays.values())
    walk.run()
    tables = _tables(kernel, arrays, walk)
    if not tables:
        return False
    for name in tables:
        cells = walk.machine.cells[name]
        assert isinstance(cells, _Cells)
        arrays[name].contents = tuple(0 if v == _UNKNOWN else v for v in iter(cells))
        arrays[name].kind, arrays[name].banks = MemoryKind.ROM, 1
    loops = [f for f in walk.fillings if f.into and f.stored() and f.stored() <= tables]
    loaded = {op: v for f in walk.fillings if not f.into for op, v in f.values.items()}
    loaded = {op: constant(v, op.width) for op, v in loaded.items() if op.memory.name in tables}
    _leave_out(loops, kernel)
    substitute(kernel, loaded)
    _read_tables(kernel, tables)
    return True


def _tables(kernel: Kernel, arrays: Iterable[str], walk: _Walk) -> set[str]:
    """Arrays of which every store has been run, by what can go, and that nothing that stays has
    read before they were full."""
    run_stores = {op for f in walk.fillings for op in f.ops if isinstance(op, Store)}
    found = set(arrays).intersection(op.memory.name for op in run_stores)
    found -= {
        op.memory.name for _, op in kernel.ops() if isinstance(op, Store) and op not in run_stores
    }
    found = {name for name in found if name in walk.machine.cells}
    while True:
        staying = [f for f in walk.fillings if not f.into or not f.stored() <= found]
        loops = {name for f in staying if f.into for name in f.stored()}
        lost = {n for n in found if n in loops or _is_read_early(n, walk.fillings, staying)}
        if not lost:
            return found
        found -= lost


def _is_read_early(name: str, fillings: Sequence[_Filling], staying: Sequence[_Filling]) -> bool:
    """Whether what stays reads an array before its last store."""
    is_read = False
    for filling in fillings:
        accesses = (op for op in filling.ops if isinstance(op, Access) and op.memory.name == name)
        for op in accesses:
            if isinstance(op, Store) and is_read:
                return True
            is_known = filling.into is None and op in filling.values
            is_read |= isinstance(op, Load) and filling in staying and not is_known
    return False


class _Walk:
    """The run of a kernel as far as it is the same in all calls."""

    def __init__(self, kernel: Kernel, arrays: Iterable[Memory]) -> None:
        self.kernel = kernel
        self.loops = natural_loops(kernel)
        self.machine = Machine(kernel)
        self.fillings: list[_Filling] = []
        tables = (memory for memory in kernel.memories.values() if memory.kind is MemoryKind.ROM)
        self.machine.cells.update({table.name: first_cells(table) for table in tables})
        self.machine.cells.update({array.name: _Cells(array.depth or 0) for array in arrays})

    def run(self) -> None:
        """Up to the first branch that depends on the call, or loop that does."""
        edge: Edge | None = Edge(self.kernel.entry)
        while edge is not None:
            block = edge.block
            edge = self._loop(edge) if block in self.loops else self._block(block)

    def _block(self, block: Block) -> Edge | None:
        for op in block.ops:
            try:
                run_op(self.machine, op)
            except KeyError:
                if isinstance(op, Store):
                    self.machine.cells.pop(op.memory.name, None)
        values = self.machine.values
        known: dict[Op, int] = {
            op: values[op] for op in block.ops if isinstance(op, Load) and op in values
        }
        self.fillings.append(_Filling(block.ops, values=known))
        edge = self._following(block)
        if edge is not None and edge.block not in self.loops:
            for parameter, argument in zip(edge.block.parameters, edge.arguments, strict=True):
                if isinstance(argument, Constant) or argument in self.machine.values:
                    self.machine.values[parameter] = value_in(self.machine, argument)
        return edge

    def _following(self, block: Block) -> Edge | None:
        """Where a block leads to; None where that depends on the call, or is more than a jump."""
        if not isinstance(block.end, (Jump, Branch)):
            return None
        try:
            return edge_taken(self.machine, block.end)
        except KeyError:
            return None

    def _loop(self, into: Edge) -> Edge | None:
        """Runs a whole loop; None where it depends on the call, or is too long."""
        body = self.loops[into.block]
        edge: Edge | None = into
        try:
            while edge is not None and edge.block in body:
                block = take(self.machine, edge)
                for op in block.ops:
                    run_op(self.machine, op)
                self.machine.steps += 1 + len(block.ops)
                edge = self._following(block) if self.machine.steps < MOST_STEPS else None
            if edge is None:
                return None
            arguments = [value_in(self.machine, a) for a in edge.arguments]
        except KeyError:
            return None
        ops = [op for block in body for op in block.ops]
        made = [*ops, *(p for block in body for p in block.parameters)]
        values = {op: self.machine.values[op] for op in made if op in self.machine.values}
        self.fillings.append(_Filling(ops, into, edge, values))
        self.machine.values.update(zip(edge.block.parameters, arguments, strict=True))
        return edge


def _leave_out(loops: Sequence[_Filling], kernel: Kernel) -> None:
    """Jumps over loops that have been run."""
    for loop in reversed(loops):  # a loop may lead into the next one
        assert loop.into and loop.out
        known = {op: constant(v, op.width) for op, v in loop.values.items()}
        loop.into.block = loop.out.block
        loop.into.arguments = [known.get(a, a) for a in loop.out.arguments]
        kernel.blocks = reverse_postorder(kernel.entry)
        substitute(kernel, known)


def _read_tables(kernel: Kernel, tables: set[str]) -> None:
    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if isinstance(op, Store) and op.memory.name in tables:
            return None
        if isinstance(op, Load) and op.memory.name in tables:
            return builder.build(Rom, operands[:1], op.width, memory=op.memory)
        return remake(builder, op, operands)

    rebuild(kernel, change)
    tidy(kernel)
