# SPDX-License-Identifier: Apache-2.0
"""line-buffers: what a nest reads again in later rows is kept in memories of its own.

A filter over an image reads several rows in every iteration, through one port. All but the row that
is furthest ahead have been read before, in the same columns, by earlier iterations of the outer
loop. A memory a row keeps them (a line buffer): every iteration reads its column, and writes there
what the next row will ask for. Before the first row a loop of its own fills them, with what that
row's iterations would have read. A load may be one column further than the one ahead, as in a
cross: what it reads behind the last column comes before each row.

Rows longer than the memories are taken in parts, and every part is filled before it is begun: then
nothing is gained, and little lost.

Requires: bind-arguments (extents are told from where the C reads), scalar-replacement (of one row,
what moves along with the columns is in registers). It is tried where it is asked for: the memories,
and the loop that fills them, are worth their area only where the port was what the loop waited for.
"""

from __future__ import annotations

from collections.abc import Collection

from tandem import policy
from tandem.analysis.affine import AffineLoop, most_turns
from tandem.analysis.ranges import find_ranges
from tandem.analysis.readers import made_of
from tandem.analysis.rows import Lead, Nest, find_nests
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.loops import natural_loops
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    Add,
    Load,
    Mul,
    Ne,
    Op,
    Or,
    Parameter,
    Select,
    Store,
    Sub,
    constant,
    mask,
    parameter_like,
)
from tandem.passes.count_loops import count_down
from tandem.passes.preheaders import preheader
from tandem.passes.rebuild import remake
from tandem.passes.simplify import substitute, tidy

SLUG = "line-buffers"
SUMMARY = "keep the rows that a nest reads again in memories of its own"

FILLS_ROWS, LONG_ROWS = "fills-rows", "long-rows"
"""Parts: the loop that fills the memories, and one over the parts of rows that are too long."""


def run(
    kernel: Kernel,
    wanted: Collection[LoopId] = frozenset(),
    ahead: Collection[LoopId] = frozenset(),
) -> bool:
    """Keeps the rows of nests whose inner loop is `wanted`, or of which a directive wants what
    cannot be had else; the others are noted. Whether there were any. A column further is read of
    them in the loops `ahead`: these are faster then, and their operators serve less."""
    nests = find_nests(kernel)
    kernel.rows |= {nest.inner.loop for nest in nests}
    asked = {nest.inner for nest in nests if _is_asked_for(nest)}
    nests = [n if n.inner in asked or n.inner.loop in ahead else n.in_place() for n in nests]
    taken = [n for n in nests if n.leads and (n.inner.loop in wanted or n.inner in asked)]
    for nest in taken:
        keeping = _Keeping(kernel, nest)
        keeping.run()
        memories = tuple(m.name for kept in keeping.memories.values() for m in kept)
        kernel.deeds.append(Deed(SLUG, nest.inner.loop, memories=memories))
        kernel.blocks = reverse_postorder(kernel.entry)
    if taken:
        tidy(kernel)
    return bool(taken)


def _is_asked_for(nest: Nest) -> bool:
    """Whether a directive wants iterations closer to each other than a port serves their loads."""
    wanted = nest.inner.wanted_ii or 0
    return any(0 < wanted < 1 + len(lead.later) for lead in nest.leads)


class _Keeping:
    """Of one nest. `inner` stays the loop that computes; before it, a block decides whether the
    memories are to be filled first."""

    def __init__(self, kernel: Kernel, nest: Nest) -> None:
        self.kernel = kernel
        self.nest = nest
        self.inner = nest.inner
        assert nest.inner.trip_count is not None
        self.trips = nest.inner.trip_count
        self.most = most_turns(nest.inner, find_ranges(kernel)) or 1 << self.trips.width
        longest = min(self.most, policy.ROW_COLUMNS)
        depth = longest + any(lead.ahead for lead in nest.leads)
        self.memories = {lead: self._memories_of(lead, depth) for lead in nest.leads}
        self.column_bits = max(1, (depth - 1).bit_length())
        self.part_bits = max(1, (longest - 1).bit_length())

    def _memories_of(self, lead: Lead, depth: int) -> list[Memory]:
        """A memory for each row that is kept, the latest first."""
        name = f"{lead.load.memory.name}_row"
        made = (Memory(name, MemoryKind.RAM, lead.load.width, depth) for _ in range(lead.most))
        return [self.kernel.add_memory(memory) for memory in made]

    def run(self) -> None:
        ways = [(b, e) for b, e in self.kernel.predecessors()[self.inner] if b is not self.inner]
        source, entry = preheader(self.kernel, *ways[0])
        gate = self._builder(source)
        to_fill = gate.invert(self._are_filled(gate))
        if self.most > policy.ROW_COLUMNS:
            gate, entry, to_fill = self._in_parts(gate, entry, to_fill)
        column = self._count_columns(entry)
        ready = self._block("ready")  # a loop keeps one way in
        ready.end = Jump(edges=[entry], line=self.inner.loop.line)
        self._fill_behind(ready, entry)
        ways = [self._filling(gate, entry, column, ready), Edge(ready)]
        gate.block.end = Branch(to_fill, ways, line=self.inner.loop.line)
        self._read_kept(column)

    def _builder(self, block: Block) -> Builder:
        return Builder(self.kernel, block, self.inner.line)

    def _block(self, what: str) -> Block:
        name = block_name(self.kernel, f"{self.inner.name}_{what}")
        self.kernel.blocks.append(Block(name, line=self.inner.loop.line))
        return self.kernel.blocks[-1]

    def _are_filled(self, builder: Builder) -> Op:
        """One bit, made where the inner loop comes from: whether the rows before have left what
        this one reads. As many of them, one after the other, must have run through the inner loop
        as pass until what is read is read again; a bit for each goes from row to row."""
        count = max(lead.gap for lead in self.nest.leads)
        outer = self.nest.outer
        body = natural_loops(self.kernel)[outer] - {self.inner}
        bits = {block: Parameter((), count, name="filled") for block in body}
        here, none = bits[outer], constant(0, count)
        earlier = [builder.extract(here, 0, count - 1)] if count > 1 else []
        after = builder.concat(*earlier, constant(1, 1))
        for source in self.kernel.blocks:
            own = after if source is self.inner else bits.get(source, none)
            own = none if source is outer else own
            for edge in source.end.edges:
                if edge.block in bits:
                    edge.arguments.append(own)
        for block, parameter in bits.items():
            block.parameters.append(parameter)
        return builder.extract(here, count - 1, 1)

    def _in_parts(self, before: Builder, entry: Edge, to_fill: Op) -> tuple[Builder, Edge, Op]:
        """A loop around the inner one, which then takes no more columns at once than are kept. A
        row that has more of them is one of several parts, which are all filled. Returns where a
        part begins, its edge to the inner loop, and whether the part is to be filled."""
        inner, trips, bits = self.inner, self.trips, self.part_bits
        width = min(trips.width, self.most.bit_length())
        start, behind = self._block("part"), self._block("behind")
        start.loop, start.part = inner.loop, LONG_ROWS
        own = [parameter_like(p) for p in inner.parameters]
        # How many columns are left behind the first one: so a count of 0, which is 2^width, fits.
        rest, again = Parameter((), width, name="rest"), Parameter((), 1)
        start.parameters = [*own, rest, again]
        entry.block = start
        less = before.build(Sub, [trips, constant(1, trips.width)], trips.width)
        entry.arguments += [before.extract(less, 0, width), to_fill]
        builder, onward = self._builder(start), Edge(inner, list(own))
        is_long = builder.compare(
            Ne, builder.extract(rest, bits, width - bits), constant(0, width - bits)
        )
        last = [constant(policy.ROW_COLUMNS - 1, bits), builder.extract(rest, 0, bits)]
        last = builder.resize(builder.build(Select, [is_long, *last], bits), bits + 1)
        part = builder.plus(last, 1)
        left = builder.build(Sub, [rest, constant(policy.ROW_COLUMNS, width)], width)
        following = [*inner.back_edge.arguments, left, constant(1, 1)]
        leave = inner.exit_edge
        out = Edge(leave.block, leave.arguments, leave.seldom)
        ways = [Edge(start, following, seldom=True), out]
        behind.end = Branch(is_long, ways, line=inner.loop.line)
        leave.block, leave.arguments = behind, []
        count_down(builder, inner, onward, part)
        return builder, onward, builder.logic(Or, [again, is_long])

    def _count_columns(self, entry: Edge) -> Op:
        """A parameter of the inner loop: the number of the column, as the memories have it."""
        inner, width = self.inner, self.column_bits
        column = Parameter((), width, line=inner.line, name="column")
        following = self._builder(inner).plus(column, 1)
        inner.parameters.append(column)
        entry.arguments.append(constant(0, width))
        inner.back_edge.arguments.append(following)
        return column

    def _filling(self, gate: Builder, entry: Edge, column: Op, ready: Block) -> Edge:
        """The way to a loop that fills the memories for the iterations of the inner loop, as it is
        entered, and leads to `ready`."""
        inner, fill = self.inner, self._block("fill")
        fill.loop, fill.part = inner.loop, FILLS_ROWS
        following = inner.back_edge.given
        indices = [column, *(load.index for load in self.nest.later)]
        needed = made_of(indices, {*inner.parameters, *inner.ops}, following)
        moving = {p: parameter_like(p) for p in inner.parameters if p in needed}
        made, builder = dict(moving), self._builder(fill)
        for op in inner.ops:
            if op in needed:
                builder.line = op.line
                new = remake(builder, op, [made.get(o, o) for o in op.operands])
                assert new is not None
                made[op] = new
        for lead, memories in self.memories.items():
            for row, load in lead.later.items():
                builder.line = load.line
                index = [made.get(load.index, load.index)]
                value = builder.raw(Load, index, load.width, memory=load.memory)
                place = builder.plus(made[column], 1) if load in lead.ahead else made[column]
                builder.raw(Store, [place, value], 0, memory=memories[row - 1])
        fill.parameters = list(moving.values())
        firsts = entry.given
        way = Edge(fill, [firsts[p] for p in moving], seldom=True)
        back = Edge(fill, [made.get(following[p], following[p]) for p in moving])
        fill.end = Branch(constant(0, 1), [back, Edge(ready)], line=inner.end.line)
        assert inner.trip_count is not None
        count_down(gate, fill, way, inner.trip_count)
        return way

    def _fill_behind(self, ready: Block, entry: Edge) -> None:
        """Before every row, what its last iteration reads behind the last column of the lead."""
        builder, trips = self._builder(ready), self.inner.trip_count
        assert trips is not None
        for lead, memories in self.memories.items():
            for row, load in lead.later.items():
                if load in lead.ahead:
                    builder.line = load.line
                    index = _in_last(builder, self.inner, entry, load, trips)
                    value = builder.raw(Load, [index], load.width, memory=load.memory)
                    place = builder.resize(trips, self.column_bits)
                    builder.raw(Store, [place, value], 0, memory=memories[row - 1])

    def _read_kept(self, column: Op) -> None:
        """The inner loop reads what earlier rows have left in its column, and leaves there what the
        next row will read."""
        inner = self.inner
        ops, inner.ops = inner.ops, []
        builder = self._builder(inner)
        rows = {lead: self._kept(builder, lead, column) for lead in self.nest.leads}
        known = {
            load: rows[lead][row - 1]
            for lead in self.nest.leads
            for row, load in lead.later.items()
        }
        for lead, values in rows.items():
            for row, load in lead.later.items():
                here = lead.ahead.get(load)
                if here is not None:  # what the next row is handed is of this column
                    values[row - 1] = here
        inner.ops += [op for op in ops if op not in known]
        for lead, values in rows.items():
            builder.line = lead.load.line
            told = self._told(lead)
            for memory, value in zip(self.memories[lead], [lead.load, *values], strict=False):
                builder.raw(Store, [column, value], 0, memory=memory, **told)
        substitute(self.kernel, known)

    def _kept(self, builder: Builder, lead: Lead, column: Op) -> list[Op]:
        """What the memories of a lead hold in a column."""
        builder.line, width = lead.load.line, lead.load.width
        ahead = {row for row, load in lead.later.items() if load in lead.ahead}
        places = [
            builder.plus(column, 1) if row in ahead else column for row in range(1, lead.most + 1)
        ]
        told = self._told(lead)
        return [
            builder.raw(Load, [place], width, memory=memory, **told)
            for place, memory in zip(places, self.memories[lead], strict=True)
        ]

    def _told(self, lead: Lead) -> dict[str, str]:
        """What is known of the accesses to a lead's memories: where none is a column ahead, rows
        come to each element in the same iteration."""
        return {} if lead.ahead else {"in_step": str(self.nest.outer.loop)}


def _in_last(builder: Builder, inner: Block, entry: Edge, load: Op, trips: Op) -> Op:
    """The index of a load in the last iteration of a loop: its parameters are then as many steps
    further as there are iterations before."""
    steps = AffineLoop(inner, [None] * len(inner.parameters)).increments
    needed = made_of([load.index], {*inner.parameters, *inner.ops})
    made: dict[Op, Op] = {}
    for parameter, first in entry.given.items():
        if parameter in needed:
            step, width = steps[parameter], parameter.width
            assert step is not None, "what reads ahead counts"
            last = builder.build(Sub, [builder.resize(trips, width), constant(1, width)], width)
            far = builder.build(Mul, [last, constant(step & mask(width), width)], width)
            made[parameter] = builder.build(Add, [first, far], width)
    for op in inner.ops:
        if op in needed:
            new = remake(builder, op, [made.get(o, o) for o in op.operands])
            assert new is not None
            made[op] = new
    return made.get(load.index, load.index)
