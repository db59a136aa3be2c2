# SPDX-License-Identifier: Apache-2.0
"""keep-pivots: the row with which all rows of a matrix are computed is kept in a memory of its own.

    for (k) for (i) for (j) c[i][j] -= c[i][k] * c[k][j];

Each iteration of the innermost loop reads its own element and one of the pivot row, which is the
same for all `i`: two accesses to one port. The row is read once, before the loop over `i`, and then
comes from a memory that needs no port of the array. Where the pivot row is itself among the rows
that are written, what is stored there goes to both.

Requires: licm, sink-stores, count-loops. Nothing that is written reaches the row, or only the
element that the same iteration reads (`analysis.meetings`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tandem import policy
from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block, Branch, Edge
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import nests_of_two
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    And,
    Constant,
    Eq,
    Load,
    Ne,
    Op,
    Parameter,
    Store,
    constant,
    parameter_like,
    signed,
)
from tandem.ir.wiring import bits_of
from tandem.passes.licm import INSIDE
from tandem.passes.preheaders import before_loop
from tandem.passes.rebuild import Elsewhere, remake
from tandem.passes.simplify import substitute, tidy

SLUG = "keep-pivots"
SUMMARY = "keep a row with which all rows are computed in a memory of its own"

FILLS_PIVOT = "fills-pivot"
"""The part that the loop is which reads a row."""


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Keeps the pivot rows of loops that are `wanted`, and notes the others that have some."""
    changed, nests = False, None
    for header, body, inner in list(nests_of_two(kernel)):
        if not _reads_twice(kernel, inner):
            continue
        nests = nests or Nests.of(kernel, ranges_of(kernel))
        rows = list(_rows(nests, header, body, inner))
        if rows:
            kernel.pivots.add(inner.loop)
            if inner.loop in wanted:
                keeping = _Keeping(kernel, header, body, inner, nests.most_trips(inner) or 0)
                memories = tuple(keeping.run(rows))
                kernel.deeds.append(Deed(SLUG, inner.loop, header.loop, memories))
                kernel.facts.clear()
                changed, nests = True, None
    if changed:
        tidy(kernel)
    return changed


# -- what could be kept ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """A load of an element of a pivot row, and the stores that may come to the same element, in all
    of the inner loop's iterations or in none."""

    load: Op
    stores: tuple[Op, ...]


def _reads_twice(kernel: Kernel, inner: Block) -> bool:
    """Whether a loop reads an array twice that has one port to read it."""
    loads = [op.memory.name for op in inner.ops if isinstance(op, Load)]
    outside = {memory for memory in loads if kernel.memories[memory].kind not in INSIDE}
    is_ours = inner.wanted_ii is None and inner.loop != NO_LOOP and inner.trip_count is not None
    return is_ours and any(loads.count(memory) > 1 for memory in outside)


def _rows(nests: Nests, header: Block, body: set[Block], inner: Block) -> Iterator[_Row]:
    """The pivot rows that a nest reads."""
    outer, loop = nests.loops.get(header), nests.loops.get(inner)
    if outer is None or loop is None or loop.trips is None or inner not in outer.every:
        return
    trips, most = nests.form(loop.trips), nests.most_trips(inner)
    if (
        trips is None
        or header in trips.steps
        or most is None
        or not 1 < most <= policy.PIVOT_COLUMNS
    ):
        return
    meetings, loads = Meetings(nests), [op for op in inner.ops if isinstance(op, Load)]
    for load in loads:
        form = nests.form(load.index)
        is_shared = sum(other.memory is load.memory for other in loads) > 1
        if form is None or load.enable is not None or not is_shared:
            continue
        if header in form.steps or inner not in form.steps or not _is_known(header, body, load):
            continue
        stores = [
            (block, op)
            for block in body
            for op in block.ops
            if isinstance(op, Store) and op.memory is load.memory
        ]
        met = [op for _, op in stores if not meetings.apart(op.index, load.index, header)]
        in_step = all(meetings.in_column(op.index, load.index, header, inner) for op in met)
        if in_step and all(block is inner for block, op in stores if op in met):
            paces = [found.steps.get(inner) for op in met if (found := nests.form(op.index))]
            if len(paces) == len(met) and all(_is_same(p, form.steps[inner]) for p in paces):
                yield _Row(load, tuple(met))


def _is_same(one: Op | None, other: Op) -> bool:
    """Whether two steps are one number, in whatever bits."""
    if one is None or not isinstance(other, Constant) or not isinstance(one, Constant):
        return one is not None and bits_of(one) == bits_of(other)
    return signed(one.value, one.width) == signed(other.value, other.width)


def _is_known(header: Block, body: set[Block], load: Op) -> bool:
    """Whether an index can be computed before the loop around: of counters and what is fixed."""
    own = {op: block for block in body for op in [*block.parameters, *block.ops]}
    following = {p: a for block in body if block.is_loop for p, a in block.back_edge.given.items()}
    inner = own[load]
    ways = [e for b in body for e in b.end.edges if e.block is inner and b is not inner]
    if len(ways) != 1:
        return False
    starts = ways[0].given
    needed = made_of([load.index], own, following)
    needed |= made_of([starts[p] for p in inner.parameters if p in needed], own)
    needed |= made_of([inner.trip_count] if inner.trip_count is not None else [], own)
    return all(
        own[op] in (header, inner) if isinstance(op, Parameter) else op.pure for op in needed
    )


# -- keeping --------------------------------------------------------------------------------------


class _Keeping:
    """Of the pivot rows of one nest."""

    def __init__(
        self, kernel: Kernel, header: Block, body: set[Block], inner: Block, most: int
    ) -> None:
        self.kernel = kernel
        self.inner = inner
        self.most = most
        source = before_loop(kernel, header, body)
        (self.way_in,) = (e for e in source.end.edges if e.block is header)
        ((self.entering, self.entry),) = (
            (b, e) for b in body for e in b.end.edges if e.block is inner and b is not inner
        )
        starts = self.way_in.given
        made = {op for b in body for op in [*b.parameters, *b.ops]}
        builder = Builder(kernel, source)
        self.at_first = Elsewhere(builder, made, starts).value
        """What a value is in the first iteration of the outer loop, before that."""
        self.computed = set(inner.ops)
        assert inner.trip_count is not None
        trips = self.at_first(inner.trip_count)
        self.trips = builder.resize(trips, max(trips.width, WRAPS_BITS))

    def run(self, rows: list[_Row]) -> list[str]:
        """Keeps them; the memory of each."""
        number, names = self._number(), list[str]()
        for row in rows:
            memory = Memory(
                f"{row.load.memory.name}_row", MemoryKind.RAM, row.load.width, self.most
            )
            names.append(self.kernel.add_memory(memory).name)
            self._fill(row.load, memory)
            self._read(row, memory, number)
        return names

    def _number(self) -> Op:
        """A parameter that counts the iterations of the inner loop."""
        inner, width = self.inner, self.trips.width
        number = Parameter((), width, line=inner.line, name="column")
        builder = Builder(self.kernel, inner, inner.line)
        self.entry.arguments.append(constant(0, width))
        inner.back_edge.arguments.append(builder.plus(number, 1))
        inner.parameters.append(number)
        return number

    def _fill(self, load: Op, memory: Memory) -> None:
        """A loop before the outer one that reads the row."""
        inner, width = self.inner, self.trips.width
        following = inner.back_edge.given
        needed = made_of([load.index], {*inner.parameters, *inner.ops}, following)
        starts = self.entry.given
        filling = Block(
            block_name(self.kernel, f"{memory.name}_fill"), line=inner.loop.line or inner.line
        )
        filling.part = FILLS_PIVOT
        copies = {p: parameter_like(p) for p in inner.parameters if p in needed}
        number = Parameter((), width, line=inner.line, name="column")
        filling.parameters = [*copies.values(), number]
        filling.trip_count = self.trips
        begin = [self.at_first(starts[p]) for p in copies] + [constant(0, width)]
        again = [following[p] for p in copies]
        builder = Builder(self.kernel, filling)

        def use(op: Op) -> Op:
            return copies[op] if op in copies else self.at_first(op)

        for op in (op for op in inner.ops if op in needed):
            builder.line = op.line
            made = remake(builder, op, [use(o) for o in op.operands])
            assert made is not None
            copies[op] = made
        builder.line = load.line
        element = builder.raw(Load, [use(load.index)], load.width, memory=load.memory)
        place = builder.extract(number, 0, memory.index_bits)
        builder.raw(Store, [place, element], 0, memory=memory)
        up = builder.plus(number, 1)
        is_more = builder.compare(Ne, up, self.trips)
        back = Edge(filling, [*map(use, again), up])
        onward = Edge(self.way_in.block, self.way_in.arguments)
        filling.end = Branch(is_more, [back, onward], line=inner.line)
        self.way_in.block, self.way_in.arguments = filling, begin
        self.way_in = onward
        blocks = self.kernel.blocks
        blocks.insert(blocks.index(onward.block), filling)

    def _read(self, row: _Row, memory: Memory, number: Op) -> None:
        """Has the inner loop read the row where it is kept, and write it there too."""
        ops, self.inner.ops = self.inner.ops, []
        builder = Builder(self.kernel, self.inner, row.load.line)
        place = builder.extract(number, 0, memory.index_bits)
        for op in ops:
            if op is row.load:
                kept = builder.raw(Load, [place], op.width, memory=memory)
                kept.name = op.name
            else:
                self.inner.ops.append(op)
            if op in row.stores:
                builder.line = op.line
                is_there = self._meets(op, row.load)
                conditions = [is_there, *([op.enable] if op.enable is not None else [])]
                enable = builder.logic(And, conditions)
                builder.raw(Store, [place, op.stored, enable], 0, memory=memory)
        substitute(self.kernel, {row.load: kept})

    def _meets(self, one: Op, other: Op) -> Op:
        """Whether two accesses that go at one pace come to the same element, as their memory sees
        it, known before the inner loop."""
        builder, bits = Builder(self.kernel, self.entering), self.kernel.index_bits(other)
        starts = self.entry.given
        at_start = Elsewhere(builder, self.computed, starts)
        indices = [builder.resize(at_start.value(op.index), bits) for op in (one, other)]
        return builder.compare(Eq, *indices)
