# SPDX-License-Identifier: Apache-2.0
"""scalarise: a local array reached only at known places becomes one value an element.

So does a small one that is mostly reached so (`is_final`): what chooses one of its values by an
index, in the few accesses that do not know their place, is less than the ports that the others
would need.

Requires: simplify (indices folded). What is read before it was written is 0. An array that several
functions share stays one: no value of theirs is another's. So does a variable of a function that is
called, and what that may read before it has written it: it may be a caller's, and live from call to
call.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from tandem import policy
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.functions import blocks_of, entries
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Access, And, Constant, Eq, Load, Op, Parameter, Select, constant
from tandem.passes.simplify import substitute

SLUG = "scalarise"
SUMMARY = "turn small local arrays with constant indices into values"

Cell = tuple[str, int]


def run(kernel: Kernel, is_final: bool = False) -> bool:
    """Promotes every array that qualifies; whether there was any. `is_final`: no more places will
    become known."""
    names = {m.name for m in kernel.memories.values() if m.kind is MemoryKind.RAM}
    known, open_ = Counter[str](), Counter[str]()
    for _, op in kernel.ops():
        if isinstance(op, Access) and op.memory.name in names:
            (known if isinstance(op.index, Constant) else open_)[op.memory.name] += 1
    for name, count in open_.items():
        memory = kernel.memories[name]
        if not is_final or not _is_mostly_known(memory, known[name], count):
            names.discard(name)
    names -= _outlives_a_call(kernel, names)
    if not any(op.has_memory and op.memory.name in names for _, op in kernel.ops()):
        return False
    _Promotion(kernel, names).run()
    return True


def _is_mostly_known(memory: Memory, known: int, open_: int) -> bool:
    """Whether values are better than an array that so many accesses reach at known places, and so
    many at open ones."""
    depth = memory.depth or 0
    chosen = open_ * depth * memory.element_bits
    is_worth_it = known >= policy.PLACES_OF_AN_ELEMENT * depth
    return memory.banks == 1 and is_worth_it and chosen <= policy.CHOSEN_BITS


def _outlives_a_call(kernel: Kernel, names: set[str]) -> set[str]:
    """Memories that several functions reach, and of those that only a called one reaches what has
    contents, or is one of `names` and may be read before it is written."""
    called = entries(kernel).values()
    bodies = [blocks_of(entry) for entry in (kernel.entry, *called)] if called else []
    reached = [
        {op.memory.name for block in body for op in block.ops if op.has_memory} for body in bodies
    ]
    found = {name for i, one in enumerate(reached) for other in reached[:i] for name in one & other}
    kept = {m.name for m in kernel.memories.values() if m.contents}
    for body in bodies[1:]:
        found |= {name for name, _ in _read_first(body, names)}
    return found.union(*(kept & names for names in reached[1:]))


def _read_first(body: list[Block], names: set[str]) -> set[Cell]:
    """The elements of some arrays that a function may read before it has written them."""
    written, read = dict[Block, set[Cell]](), dict[Block, set[Cell]]()
    for block in body:
        written[block], read[block] = set(), set()
        for op in block.ops:
            if not isinstance(op, Access) or op.memory.name not in names:
                continue
            if isinstance(op, Load):
                read[block].update(set(_places(op)) - written[block])
            elif isinstance(op.index, Constant) and op.enable is None:
                written[block].update(_places(op))
    changed = True
    while changed:
        changed = False
        for block in reversed(body):
            before = len(read[block])
            for following in block.successors:
                read[block] |= read[following] - written[block]
            changed |= len(read[block]) > before
    return read[body[0]]


def _places(access: Access) -> Iterator[Cell]:
    """The elements that it may reach."""
    name, depth = access.memory.name, access.memory.depth or 0
    known = isinstance(access.index, Constant)
    return ((name, place) for place in ([access.index.value] if known else range(depth)))


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
            if not isinstance(op, Access) or op.memory.name not in self.names:
                block.ops.append(op)
                continue
            builder.line = op.line
            if isinstance(op, Load):
                self.replace[op] = self._loaded(builder, block, op)
                continue
            for cell, enable in self._stored(builder, op):
                current[cell] = self._written(builder, block, cell, (op.stored, enable))

    def _loaded(self, builder: Builder, block: Block, op: Op) -> Op:
        """What a load gives; one whose place is open chooses, bit by bit of its index."""
        depth = op.memory.depth or 0

        def chosen(first: int, bits: int) -> Op:
            if not bits:
                return self._read(block, (op.memory.name, first))
            half = 1 << (bits - 1)
            low = chosen(first, bits - 1)
            if first + half >= depth:
                return low
            bit = builder.extract(op.index, bits - 1, 1)
            return builder.raw(Select, [bit, chosen(first + half, bits - 1), low], op.width)

        if isinstance(op.index, Constant):
            return self._read(block, (op.memory.name, op.index.value))
        return chosen(0, min((depth - 1).bit_length(), op.index.width))

    def _stored(self, builder: Builder, op: Op) -> Iterator[tuple[Cell, Op | None]]:
        """The elements that a store may write, each with the condition under which it does."""
        if isinstance(op.index, Constant):
            yield (op.memory.name, op.index.value), op.enable
            return
        for place in range(op.memory.depth or 0):
            is_there = [] if op.enable is None else [op.enable]
            if place >> op.index.width == 0:
                here = builder.compare(Eq, op.index, constant(place, op.index.width))
                yield (op.memory.name, place), builder.logic(And, [*is_there, here])

    def _written(
        self, builder: Builder, block: Block, cell: Cell, store: tuple[Op, Op | None]
    ) -> Op:
        value, enable = store
        if enable is None:
            return value
        return builder.raw(Select, [enable, value, self._read(block, cell)], value.width)

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
                self.at_start[key] = parameter = Parameter((), width)
                parameter.name = f"{cell[0]}_{cell[1]}"
                block.parameters.append(parameter)
                self.pending.append(key)
        return self.at_start[key]

    def _value_at_end(self, block: Block, cell: Cell) -> Op:
        return self._read(block, cell)
