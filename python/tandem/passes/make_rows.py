# SPDX-License-Identifier: Apache-2.0
"""make-rows: a loop whose counter is taken apart into rows and columns becomes a loop over rows
around one over columns.

    for (i = 0; i < w * h; i++) { x = i % w; y = i / w; ... }

The two are counters then: nothing is divided, and it is seen which accesses are in one row, which
tests are about borders, and which rows are read again.

Requires: simplify. The counter begins with 0 and goes up by 1 to a multiple of a row's length,
which is a number, or to the product of two sides that the call tells. Products that might have
wrapped, and sides that are negative, are for the loop as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tandem import policy
from tandem.analysis.courses import PlainLoop, plain_loop
from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.linear import Sums
from tandem.analysis.open_courses import Start, as_root, end_of, starts_of
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.clone import copy_blocks
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name, put_on
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.loops import another, each_loop
from tandem.ir.ops import (
    Add,
    And,
    Concat,
    Constant,
    Division,
    Extract,
    Mul,
    Ne,
    Op,
    Parameter,
    SDiv,
    SLt,
    SRem,
    UDiv,
    ULt,
    constant,
    parameter_like,
)
from tandem.ir.wiring import bits_of, segments
from tandem.passes.simplify import read_instead, tidy

SLUG = "make-rows"
SUMMARY = "make two loops of one whose counter is taken apart into rows and columns"

ROWS, FLAT = "rows", "flat"
"""Parts: the loop over rows, and the loop as it was, for sides whose product may wrap."""
SIDE_BITS = 15
"""Sides of so many bits have a product that is whole in an `int`."""


def run(kernel: Kernel) -> bool:
    """Makes rows of every loop that has them; whether there was any."""
    changed = False
    for header, loops in each_loop(kernel, outer_first=True):
        found = _rows_of(kernel, header, loops[header])
        if found is not None:
            kernel.deeds.append(Deed(SLUG, header.loop))
            _Making(kernel, found).run()
            tidy(kernel)
            changed = True
    return changed


@dataclass(frozen=True)
class _Rows:
    """Of a loop: its counter, and how many columns and rows there are. `parts`: what is the number
    of a row, or else (False) of a column, in each iteration."""

    loop: PlainLoop
    counter: Op
    columns: Op
    rows: Op
    parts: dict[Op, bool]


def _rows_of(kernel: Kernel, header: Block, body: set[Block]) -> _Rows | None:
    """The rows of a loop; None where there are none."""
    is_ours = header.loop != NO_LOOP and header.part != FLAT and header.wanted_ii is None
    may_be = is_ours and any(_may_divide(op) for block in body for op in block.ops)
    loop = plain_loop(kernel, header, body) if may_be else None
    if loop is None:
        return None
    starts = starts_of(loop)
    trips = _trips(loop, starts)
    if trips is None:
        return None
    for counter in (p for p, start in starts.items() if start == Start(None, 0, 1)):
        most = trips.value if isinstance(trips, Constant) else 1 << WRAPS_BITS - 1
        for columns, parts in _taken_apart(loop, counter, most).items():
            rows = _quotient(trips, columns)
            if rows is not None and not any(map(loop.is_made_in, (columns, rows))):
                return _Rows(loop, counter, columns, rows, parts)
    return None


def _may_divide(op: Op) -> bool:
    """Whether an operation may take a counter apart, by a division or as bits of it."""
    return isinstance(op, Division) or (
        isinstance(op, Concat) and isinstance(op.operands[0], Constant)
    )


def _trips(loop: PlainLoop, starts: Mapping[Op, Start]) -> Op | None:
    """How often a loop runs that counts up by one."""
    end = end_of(loop, starts)
    if end is None or end.start.root is not None or end.start.step != 1:
        return None
    root, number, _ = as_root(end.fixed)
    count = number - end.start.number + 1
    if root is None:
        return constant(count, WRAPS_BITS) if 0 < count < 1 << WRAPS_BITS - 1 else None
    return root if count == 0 else None


def _taken_apart(loop: PlainLoop, counter: Op, trips: int) -> dict[Op, dict[Op, bool]]:
    """How long rows are -> what is the number of a row, or (False) of a column, in an iteration."""
    found: dict[Op, dict[Op, bool]] = {}
    sums, lengths = Sums(), dict[int, Op]()
    for op in (op for block in loop.body for op in block.ops):
        length, is_row = _divided(op, counter, sums, trips)
        if length is not None and isinstance(length, Constant):
            length = lengths.setdefault(length.value, constant(length.value, WRAPS_BITS))
        if length is not None:
            found.setdefault(length, {})[op] = is_row
    found = {length: parts for length, parts in found.items() if not all(parts.values())}
    for length, parts in found.items():
        parts.update(_bits(loop, counter, length))
    return found


def _bits(loop: PlainLoop, counter: Op, length: Op) -> dict[Op, bool]:
    """The bits of a counter above a row's length, if that is a power of two, and those below."""
    if not isinstance(length, Constant) or length.value & (length.value - 1):
        return {}
    place = length.value.bit_length() - 1
    cuts = [
        o for b in loop.body for o in b.ops if isinstance(o, Extract) and o.operands == [counter]
    ]
    rows: dict[Op, bool] = {op: True for op in cuts if op.low == place}
    return rows | {op: False for op in cuts if (op.low, op.width) == (0, place)}


def _divided(op: Op, counter: Op, sums: Sums, trips: int) -> tuple[Op | None, bool]:
    """By what a counter is divided, None where it is not; and whether that gives a row, or the
    rest. By a power of two, that are some of its bits as a number: an index is made of such bits
    too, but puts them together again."""
    if isinstance(op, Division) and trips <= 1 << op.width - (isinstance(op, (SDiv, SRem))):
        form = sums.form(op.operands[0])
        is_it = form is not None and (form.terms, form.constant) == ({counter: 1}, 0)
        return op.operands[1] if is_it else None, isinstance(op, (UDiv, SDiv))
    if not isinstance(op, Concat) or op.width < WRAPS_BITS:
        return None, False
    (source, low, width), *above = segments(bits_of(op))
    is_number = source is counter and all(other is None and not low for other, low, _ in above)
    place = low or width
    if not is_number or place >= WRAPS_BITS - 1 or (low and low + width < WRAPS_BITS):
        return None, False
    return constant(1 << place, WRAPS_BITS), low > 0


def _quotient(trips: Op, columns: Op) -> Op | None:
    """How many rows of so many columns there are, without a rest."""
    if isinstance(trips, Constant) and isinstance(columns, Constant):
        rows, rest = divmod(trips.value, columns.value)
        is_long = columns.value >= policy.SHORTEST_ROW and rows > 1 and not rest
        return constant(rows, WRAPS_BITS) if is_long else None
    if not isinstance(trips, Mul) or columns not in trips.operands or len({*trips.operands}) != 2:
        return None
    (rows,) = {*trips.operands} - {columns}
    is_whole = columns.width == rows.width == WRAPS_BITS and not isinstance(columns, Constant)
    return rows if is_whole and not isinstance(rows, Constant) else None


class _Making:
    """Makes two loops of one: over the columns, and around it, with the header `block`, over the
    rows. `column` and `row` count in them."""

    def __init__(self, kernel: Kernel, rows: _Rows) -> None:
        self.kernel = kernel
        self.rows = rows
        self.loop = rows.loop
        header = self.loop.header
        self.column = Parameter((), WRAPS_BITS, line=header.line, name="column")
        self.row = Parameter((), WRAPS_BITS, line=header.line, name="row")
        self.block = Block(block_name(kernel, f"{header.name}_rows"), line=header.line)
        self.block.loop, self.block.part = another(kernel, header.loop), ROWS
        self.block.parameters = [parameter_like(p) for p in header.parameters]

    def run(self) -> None:
        """Does it."""
        rows, header = self.rows, self.loop.header
        entry, starts = self.loop.entry, list(self.loop.entry.arguments)
        if not isinstance(rows.columns, Constant):
            self._keep_flat(entry)
            entry = next(e for e in entry.block.end.edges if e.block is header)
        entry.block, entry.arguments = self.block, [*starts, constant(0, WRAPS_BITS)]
        first = Edge(header, [*self.block.parameters, constant(0, WRAPS_BITS)])
        self.block.end = Jump(edges=[first], line=header.line)
        self._close()
        self.block.parameters.append(self.row)
        header.parameters.append(self.column)
        own, header.ops = header.ops, []
        numbers = self._numbers(Builder(self.kernel, header, header.line))
        header.ops += own
        for block in self.loop.body:
            read_instead(block, lambda op: numbers.get(op, op))
        self.kernel.blocks = reverse_postorder(self.kernel.entry)

    def _numbers(self, builder: Builder) -> dict[Op, Op]:
        """What stands for the counter, and for its parts, in each iteration."""
        rows, width = self.rows, self.rows.counter.width
        numbers = {
            op: builder.resize(self.row if is_row else self.column, op.width)
            for op, is_row in rows.parts.items()
        }
        before = Builder(self.kernel, self.block, self.block.line)
        sides = [before.resize(side, width) for side in (self.row, rows.columns)]
        begin = before.build(Mul, sides, width)
        column = builder.resize(self.column, width)
        numbers[rows.counter] = builder.build(Add, [begin, column], width)
        return numbers | self._tests(builder)

    def _tests(self, builder: Builder) -> dict[Op, Op]:
        """What stands for tests of the counter that tell rows from those before, or after."""
        rows, found = self.rows, dict[Op, Op]()
        if not isinstance(rows.columns, Constant):
            return found
        row = builder.resize(self.row, rows.counter.width)
        for op in (
            op for block in self.loop.body for op in block.ops if isinstance(op, (ULt, SLt))
        ):
            is_below = op.operands[0] is rows.counter
            bound = op.operands[is_below]
            if rows.counter not in op.operands or not isinstance(bound, Constant):
                continue
            number, rest = divmod(bound.value + (not is_below), rows.columns.value)
            if not rest and bound.value < rows.columns.value * rows.rows.value:
                limit = constant(number - (not is_below), row.width)
                sides = [row, limit] if is_below else [limit, row]
                found[op] = builder.compare(type(op), *sides)
        return found

    def _close(self) -> None:
        """Has the loop end with each row, and go on with the next one."""
        loop, rows, latch = self.loop, self.rows, self.loop.latch
        back, leaving, line = loop.back, loop.exit, loop.latch.end.line
        behind = Block(block_name(self.kernel, f"{loop.header.name}_row"), line=line)
        builder = Builder(self.kernel, behind, line)
        row = builder.plus(self.row, 1)
        edges = [Edge(self.block, [*back.arguments, row]), Edge(leaving.block, leaving.arguments)]
        more = builder.compare(Ne, row, rows.rows)
        behind.end = Branch(more, edges, line=line)
        builder = Builder(self.kernel, latch, line)
        column = builder.plus(self.column, 1)
        back.arguments = [*back.arguments, column]
        more = builder.compare(Ne, column, rows.columns)
        latch.end = Branch(more, [back, Edge(behind)], line=line)

    def _keep_flat(self, entry: Edge) -> None:
        """Keeps the loop as it was for sides of more than `SIDE_BITS`, or of none or less."""
        loop, rows = self.loop, self.rows
        copies, _ = copy_blocks(self.kernel, [b for b in self.kernel.blocks if b in loop.body])
        for block in loop.body:
            copies[block].part = FLAT if block.is_loop or block is loop.header else ""
        asking, onward = put_on(self.kernel, entry, f"{loop.header.name}_sides")
        builder = Builder(self.kernel, asking, loop.header.line)
        fit = [
            builder.compare(ULt, builder.plus(side, -1), constant(1 << SIDE_BITS, side.width))
            for side in (rows.columns, rows.rows)
        ]
        flat = Edge(copies[loop.header], list(onward.arguments), seldom=True)
        condition = builder.logic(And, fit)
        asking.end = Branch(condition, [onward, flat], line=loop.header.line)
