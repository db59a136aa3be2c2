# SPDX-License-Identifier: Apache-2.0
"""plane-buffers: what a nest of three loops reads again in later planes is kept in memories.

A stencil in space reads three planes in every iteration. All but the plane that is furthest ahead
have been read before, by an earlier iteration of the loop over planes: a memory for each keeps
them, as `line-buffers` keeps rows. What is read of the plane in the middle may be a row further
than what is read ahead; the last of these rows, which nobody has read, comes before each plane.

Requires: line-buffers, which leaves a load a plane; nests of fixed sizes (`analysis.planes`).
"""

from __future__ import annotations

from collections.abc import Collection

from tandem.analysis.planes import Planes, find_planes
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.loops import natural_loops
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Load, Ne, Op, Parameter, Store, constant
from tandem.passes.count_loops import count_down
from tandem.passes.left_behind import counted_on
from tandem.passes.preheaders import before_loop
from tandem.passes.rebuild import Elsewhere
from tandem.passes.simplify import substitute, tidy

SLUG = "plane-buffers"
SUMMARY = "keep the planes that a nest reads again in memories of its own"

FILLS_PLANES = "fills-planes"
"""The part that all loops are which fill the memories."""


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Keeps the planes of nests whose inner loop is `wanted`; the others are noted."""
    found = list(find_planes(kernel))
    kernel.planes |= {planes.inner.loop for planes in found}
    taken = [planes for planes in found if planes.inner.loop in wanted]
    for planes in taken:
        keeping = _Keeping(kernel, planes)
        keeping.run()
        names = tuple(memory.name for memory in keeping.memories)
        deed = Deed(SLUG, planes.inner.loop, planes.outer.loop, names)
        kernel.deeds.append(deed)
        kernel.blocks = reverse_postorder(kernel.entry)
    if taken:
        tidy(kernel)
    return bool(taken)


class _Keeping:
    """Of one nest. Elements of a plane lie in the order in which they are read; `width` are the
    bits of their numbers."""

    def __init__(self, kernel: Kernel, planes: Planes) -> None:
        self.kernel = kernel
        self.planes = planes
        self.loops = natural_loops(kernel)
        size = planes.rows * planes.columns
        self.below = sorted({one.planes for one in planes.kept if one.is_below})
        depth = size + (planes.columns if self.below else 0)
        self.width = max(1, (depth - 1).bit_length())
        lead = planes.lead
        made = (
            Memory(f"{lead.memory.name}_plane", MemoryKind.RAM, lead.width, depth)
            for _ in range(planes.most)
        )
        self.memories = [kernel.add_memory(memory) for memory in made]
        """One for each plane, the latest first."""

    def run(self) -> None:
        """Does it."""
        column = self._count()
        self._fill_below()
        self._fill_all()
        self._read_kept(column)

    def _block(self, what: str) -> Block:
        inner = self.planes.inner
        name = block_name(self.kernel, f"{inner.name}_{what}")
        made = Block(name, line=inner.line, loop=inner.loop, part=FILLS_PLANES)
        self.kernel.blocks.append(made)
        return self.kernel.blocks[-1]

    def _builder(self, block: Block) -> Builder:
        return Builder(self.kernel, block, self.planes.lead.line)

    def _number(self, value: int) -> Op:
        return constant(value, self.width)

    def _ways(self, header: Block) -> list[tuple[Block, Edge]]:
        """The edges into a loop's header, with where they come from."""
        return self.kernel.predecessors()[header]

    def _count(self) -> Op:
        """A parameter of the inner loop: the number of the element, in its plane."""
        middle, inner = self.planes.middle, self.planes.inner
        row = Parameter((), self.width, line=inner.line, name="row")
        for block, edge in self._ways(middle):
            if block in self.loops[middle]:
                builder = self._builder(block)
                edge.arguments.append(builder.plus(row, self.planes.columns))
            else:
                edge.arguments.append(self._number(0))
        middle.parameters.append(row)
        column = Parameter((), self.width, line=inner.line, name="column")
        following = self._builder(inner).plus(column, 1)
        for block, edge in self._ways(inner):
            edge.arguments.append(following if block is inner else row)
        inner.parameters.append(column)
        return column

    # -- before -------------------------------------------------------------------------------

    def _fill_below(self) -> None:
        """Before each plane: the row behind the last one of those that are read a row further."""
        if not self.below:
            return
        planes = self.planes
        source = before_loop(self.kernel, planes.middle, self.loops[planes.middle])
        builder = self._builder(source)
        first = self._first(builder, [planes.inner, planes.middle])
        first = builder.plus(first, planes.steps[1] * planes.rows)
        start = self._number(planes.rows * planes.columns)
        (way,) = (e for e in source.end.edges if e.block is planes.middle)
        onward = Edge(planes.middle, way.arguments)
        entry = self._filling(builder, self.below, (first, start), onward)
        way.block, way.arguments = entry.block, entry.arguments

    def _fill_all(self) -> None:
        """Before the first plane: all of those before it."""
        planes = self.planes
        source = before_loop(self.kernel, planes.outer, self.loops[planes.outer])
        first = self._first(self._builder(source), [planes.inner, planes.middle, planes.outer])
        row, behind = self._block("row"), self._block("behind")
        index: Op = Parameter((), first.width, name="index")
        start: Op = Parameter((), self.width, name="row")
        left: Op = Parameter((), planes.rows.bit_length(), name="left")
        counters: list[Op] = [index, start, left]
        row.parameters = counters
        every = list(range(1, planes.most + 1))
        entry = self._filling(self._builder(row), every, (index, start), Edge(behind))
        row.end = Jump(edges=[entry], line=row.line)
        leaving = self._builder(behind)
        following = counted_on(leaving, counters, [planes.steps[1], planes.columns, -1])
        is_more = leaving.compare(Ne, following[2], constant(0, left.width))
        (way,) = (e for e in source.end.edges if e.block is planes.outer)
        edges = [Edge(row, following), Edge(planes.outer, way.arguments)]
        behind.end = Branch(is_more, edges, line=row.line)
        way.block = row
        way.arguments = [first, self._number(0), constant(planes.rows, left.width)]

    def _filling(
        self, builder: Builder, kept: list[int], starts: tuple[Op, Op], onward: Edge
    ) -> Edge:
        """The way from where `builder` is to a loop that reads a row of some planes, and then goes
        on. `starts`: the index of its first element in the lead's plane, and its number."""
        planes, fill = self.planes, self._block("fill")
        index, column = (Parameter((), start.width) for start in starts)
        fill.parameters = [index, column]
        inside = self._builder(fill)
        for number in kept:
            place = inside.plus(index, -planes.steps[0] * number)
            value = inside.raw(Load, [place], planes.lead.width, memory=planes.lead.memory)
            inside.raw(Store, [column, value], 0, memory=self.memories[number - 1])
        back = Edge(fill, counted_on(inside, fill.parameters, [planes.steps[2], 1]))
        fill.end = Branch(constant(0, 1), [back, onward], line=fill.line)
        entry = Edge(fill, list(starts))
        bits = planes.columns.bit_length()
        count_down(builder, fill, entry, constant(planes.columns, bits))
        return entry

    def _first(self, builder: Builder, headers: list[Block]) -> Op:
        """The lead's index in the first iterations of some loops, from the innermost one on, made
        before the last of them."""
        index, starts = self.planes.lead.index, dict[Op, Op]()
        for header in headers:
            entry = next(e for b, e in self._ways(header) if b not in self.loops[header])
            starts |= entry.given
        own = {op for block in self.loops[headers[-1]] for op in block.ops}
        needed = made_of([index], {*own, *starts}, starts)
        known: dict[Op, Op] = {}
        for header in reversed(headers):
            there = Elsewhere(builder, own, known)
            moving = [p for p in header.parameters if p in needed]
            known |= {p: there.value(starts[p]) for p in moving}
        return Elsewhere(builder, own, known).value(index)

    # -- in the nest --------------------------------------------------------------------------

    def _read_kept(self, column: Op) -> None:
        """The inner loop reads what earlier planes have left, and leaves what later ones read."""
        planes, inner = self.planes, self.planes.inner
        ops, inner.ops = inner.ops, []
        builder = self._builder(inner)
        here = {n: self._load(builder, n, column) for n in range(1, planes.most + 1)}
        further = builder.plus(column, planes.columns)
        below = {n: self._load(builder, n, further) for n in self.below}
        known = {one.load: (below if one.is_below else here)[one.planes] for one in planes.kept}
        inner.ops += [op for op in ops if op not in known]
        for memory, value in zip(self.memories, [planes.lead, *here.values()], strict=False):
            builder.raw(Store, [column, value], 0, memory=memory, in_step=self._in_step())
        substitute(self.kernel, known)

    def _load(self, builder: Builder, number: int, place: Op) -> Op:
        memory, width = self.memories[number - 1], self.planes.lead.width
        return builder.raw(Load, [place], width, memory=memory, in_step=self._in_step())

    def _in_step(self) -> str:
        """Rows come to an element in the same column."""
        return str(self.planes.middle.loop)
