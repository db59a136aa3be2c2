# SPDX-License-Identifier: Apache-2.0
"""skew: a nest whose iterations each wait for the one before runs along diagonals instead.

    for (i) for (j) a[i][j] = (a[i-1][j+1] + a[i][j-1] + a[i][j+1] + a[i+1][j]) / 4;

a[i][j] waits for a[i][j-1], and for what the row above has left; a[i+1][j-2] waits for neither. So
the loops become one over the diagonals 2 i + j, and one over the iterations on each, which need
nothing of each other and start one after the other. A diagonal begins when the one before has
stored: that pays where an iteration takes long, as with numbers in floating point.

Requires: licm, sink-stores, count-loops. All that the inner loop carries are counters and what
lies in memory (`passes.carried`), and both loops' bounds are known before the nest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.meetings import ALWAYS_APART
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import (
    Access,
    Add,
    Constant,
    Load,
    Mul,
    Ne,
    Op,
    Parameter,
    Select,
    Store,
    Sub,
    ULe,
    ULt,
    constant,
    parameter_like,
)
from tandem.passes.carried import later
from tandem.passes.count_loops import bits_needed, count_down
from tandem.passes.diagonals import Diagonals, diagonals_of
from tandem.passes.each_nest import change_nests
from tandem.passes.left_behind import counted_on
from tandem.passes.preheaders import trips_before
from tandem.passes.rebuild import Elsewhere, remake

SLUG = "skew"
SUMMARY = "run a nest along its diagonals, where each iteration waits for the one before"


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Skews the loops that are `wanted` with those around them, and notes the others that could
    be."""
    return change_nests(kernel, wanted, kernel.diagonal, diagonals_of, _skew)


def _skew(kernel: Kernel, found: Diagonals) -> None:
    loops = found.nest.inner.loop, found.nest.header.loop
    _Skewing(kernel, found).run()
    kernel.deeds.append(Deed(SLUG, *loops))


class _Skewing:
    """Of one nest."""

    def __init__(self, kernel: Kernel, found: Diagonals) -> None:
        self.kernel = kernel
        self.found = found
        self.nest = nest = found.nest
        self.source, rows = trips_before(kernel, nest.header, set(nest.blocks), nest.latch)
        (self.way_in,) = (e for e in self.source.block.end.edges if e.block is nest.header)
        self.leaving = next(e for e in nest.latch.end.edges if e.block is not nest.header)
        outer_starts = self.way_in.given
        made = {op for b in nest.before for op in [*b.parameters, *b.ops]}
        self.fixed = Elsewhere(self.source, made, outer_starts).value
        """What a value is, before the nest, that no outer iteration changes."""
        assert nest.inner.trip_count is not None
        counts = [bits_needed(self.source, n) for n in (rows, self.fixed(nest.inner.trip_count))]
        self.row_bits = counts[0].width
        self.shift = found.slope.bit_length() - 1
        self.width = max(*(n.width for n in counts), WRAPS_BITS) + self.shift + 1
        self.rows, self.columns = (self.source.resize(n, self.width) for n in counts)
        self.starts = nest.entry.given
        self.first = outer_starts | {p: self.fixed(self.starts[p]) for p in found.steps}
        """What all counters begin with."""

    def run(self) -> None:
        """Does it."""
        diagonal, behind = self._block("diagonal"), self._block("behind")
        diagonal.loop = self.nest.header.loop
        number = Parameter((), self.width, line=diagonal.line, name="diagonal")
        diagonal.parameters = [number]
        count = self._count()
        self._lead_in(diagonal)
        self._run_along(diagonal, number, behind)
        builder = Builder(self.kernel, behind, behind.line)
        following = builder.plus(number, 1)
        is_more = builder.compare(Ne, following, count)
        edges = [Edge(diagonal, [following]), self.leaving]
        behind.end = Branch(is_more, edges, line=behind.line)
        self.kernel.blocks = reverse_postorder(self.kernel.entry)

    def _block(self, what: str) -> Block:
        header = self.nest.header
        return Block(block_name(self.kernel, f"{header.name}_{what}"), line=header.line)

    def _number(self, value: int) -> Op:
        return constant(value, self.width)

    def _count(self) -> Op:
        """How many diagonals there are."""
        last = self.source.plus(self.rows, -1)
        far = self.source.build(Mul, [last, self._number(self.found.slope)], self.width)
        return self.source.build(Add, [far, self.columns], self.width)

    def _lead_in(self, diagonal: Block) -> None:
        """Leads to the first diagonal; past all of them where no row has a column."""
        nest, onward = self.nest, Edge(diagonal, [self._number(0)])
        if not nest.is_guarded:
            self.way_in.block, self.way_in.arguments = onward.block, onward.arguments
            return
        end, asking = nest.header.end, self._block("any")
        assert end.condition is not None
        past = Edge(self.leaving.block, list(self.leaving.arguments))
        edges = [past, onward] if end.edges[0].block is nest.latch else [onward, past]
        asking.end = Branch(self.fixed(end.condition), edges, line=end.line)
        self.way_in.block, self.way_in.arguments = asking, []

    def _run_along(self, diagonal: Block, number: Op, behind: Block) -> None:
        """Has each diagonal lead to a loop over its iterations, or past that if it has none."""
        builder, width = Builder(self.kernel, diagonal, diagonal.line), self.width
        first, last = self._rows_of(builder, number)
        gone = builder.build(Sub, [last, first], width)
        count = builder.plus(gone, 1)
        passed = builder.build(Mul, [first, self._number(self.found.slope)], width)
        column = builder.build(Sub, [number, passed], width)
        inner, entry = self._along(builder, first, column)
        inner.end = Branch(constant(0, 1), [inner.back_edge, Edge(behind)], line=inner.line)
        count_down(builder, inner, entry, builder.extract(count, 0, self.row_bits))
        diagonal.end = Jump(edges=[entry], line=diagonal.line)
        columns = self.columns
        if not isinstance(columns, Constant) or columns.value < self.found.slope:
            has_some = builder.compare(ULe, first, last)
            edges = [entry, Edge(behind)]
            diagonal.end = Branch(has_some, edges, line=diagonal.line)

    def _rows_of(self, builder: Builder, number: Op) -> tuple[Op, Op]:
        """The first and the last row of a diagonal."""
        width, slope = self.width, self.found.slope

        def rows_in(columns: Op) -> Op:
            whole = builder.extract(columns, self.shift, width - self.shift)
            return builder.resize(whole, width)

        beyond = builder.build(Sub, [number, self.columns], width)
        beyond = builder.plus(beyond, slope)
        is_short = builder.compare(ULt, number, self.columns)
        first = builder.build(Select, [is_short, self._number(0), rows_in(beyond)], width)
        last, bottom = rows_in(number), builder.plus(self.rows, -1)
        is_within = builder.compare(ULt, last, self.rows)
        return first, builder.build(Select, [is_within, last, bottom], width)

    def _along(self, builder: Builder, row: Op, column: Op) -> tuple[Block, Edge]:
        """The loop over a diagonal's iterations from one on, without what ends it, and the edge to
        it from where `builder` is."""
        nest, found = self.nest, self.found
        inner = replace(nest.inner.outline(), name=self._block("along").name)
        made: dict[Op, Op] = {p: parameter_like(p) for p in (*found.outer_steps, *found.steps)}
        inner.parameters = list(made.values())
        self._compute(inner, made)
        rows = found.outer_steps | found.paces  # by how much counters grow with a row
        columns = dict.fromkeys(found.outer_steps, 0) | found.steps
        begin = [self._at(builder, p, (rows[p], row), (columns[p], column)) for p in rows]
        steps = [rows[p] - found.slope * columns[p] for p in rows]
        inside = Builder(self.kernel, inner, inner.line)
        back = Edge(inner, counted_on(inside, inner.parameters, steps))
        inner.end = Jump(edges=[back])
        inner.rounds = self._mean()
        return inner, Edge(inner, begin)

    def _mean(self) -> int:
        """How many iterations a diagonal has on average; 0 if that is not known."""
        rows, columns = self.rows, self.columns
        if not isinstance(rows, Constant) or not isinstance(columns, Constant):
            return 0
        diagonals = self.found.slope * (rows.value - 1) + columns.value
        return max(1, rows.value * columns.value // diagonals)

    def _at(self, builder: Builder, counter: Op, *ways: tuple[int, Op]) -> Op:
        """What a counter is so many iterations of loops on, with which it grows by so much."""
        value, width = self.first[counter], counter.width
        for step, iterations in ways:
            far = builder.resize(iterations, width)
            far = builder.build(Mul, [far, constant(step, width)], width)
            value = builder.build(Add, [value, far], width)
        return value

    def _compute(self, inner: Block, made: dict[Op, Op]) -> None:
        """What an iteration does: `made` says what its counters are. What came from an earlier one
        is read."""
        nest, found = self.nest, self.found
        builder = Builder(self.kernel, inner, inner.line)
        counters = dict(made)
        starts_read = {self.starts[one.parameter] for one in found.carried}
        for op in (op for block in nest.before for op in block.ops if op not in starts_read):
            self._again(builder, op, made)
        fixed, own = dict(made), set(nest.inner.ops)
        for one in found.carried:
            builder.line = one.access.line
            known = fixed | later(builder, counters, found.steps, -one.lag)
            index = Elsewhere(builder, own, known).value(one.access.index)
            memory, width = one.access.memory, one.parameter.width
            made[one.parameter] = builder.raw(Load, [index], width, memory=memory)
        for op in (op for op in nest.inner.ops if op in found.needed or isinstance(op, Store)):
            self._again(builder, op, made)
        for access in (op for op in inner.ops if isinstance(op, Access)):
            access.attributes.pop("alone", None)  # that was about rows
            access.attributes["apart"] = ALWAYS_APART
            # A diagonal may begin a row further down than the one before.
            access.attributes["in_step"] = f"{nest.header.loop}+1"

    def _again(self, builder: Builder, op: Op, made: dict[Op, Op]) -> None:
        builder.line = op.line
        new = remake(builder, op, [made.get(o, o) for o in op.operands])
        if new is not None:
            new.name = new.name or op.name
            made[op] = new
