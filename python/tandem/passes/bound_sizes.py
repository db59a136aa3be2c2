# SPDX-License-Identifier: Apache-2.0
"""bound-sizes: numbers of a call are no greater than rows of arrays have columns.

    void scale(int n, double a[][40])  ...  for (j = 0; j < n; j++) a[i][j] *= 2;

C lets no column be beyond its row: with more than 40, and with less than 0, a call is the host's
(`Argument.most`). In all others it is then known how often a loop runs at most, that its accesses
to other rows are others, and so how many sums may take turns and how much is kept of a row.

Requires: count-loops. An access tells whose index is a row and a column, which is the last one for
one number of the call, if all that it waits for are tests that hold for greater numbers all the
more: that of `for (j = i + 1; j < n; j++)` does, one for `n < 8` does not. LLVM keeps no rows of
pointers that move from one to the next: of these nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tandem.analysis.linear import Linear, Sums
from tandem.analysis.nests import Nests
from tandem.ir.dominators import immediate_dominators
from tandem.ir.kernel import Argument, Block, Kernel, Op
from tandem.ir.operations import COMPARE, OPPOSITE, signed
from tandem.ir.wiring import bits_of, extended_from

SLUG = "bound-sizes"
SUMMARY = "tell of numbers that they are no greater than rows of arrays are long"

COUNTED = frozenset({"argument", "variable"})
"""Kinds of memories whose size the call tells."""


def run(kernel: Kernel) -> bool:
    """Whether anything is told of any number."""
    numbers = {
        a.op: a
        for a in kernel.arguments
        if a.op and a.kind == "scalar" and a.is_parameter and not a.float_bytes
    }
    accesses = [
        (block, op)
        for block, op in kernel.ops()
        if op.is_access and op.enable is None and _rows(kernel, op)
    ]
    if not numbers or not accesses:
        return False
    columns = _Columns(Nests.of(kernel), numbers)
    found = False
    for block, op in accesses:
        for row in _rows(kernel, op):
            for argument, most in columns.bounds(block, op.index, row):
                argument.most = most if argument.most is None else min(most, argument.most)
                found = True
    return found


def _rows(kernel: Kernel, op: Op) -> list[int]:
    """Of how many elements the rows are that an access goes to."""
    memory = kernel.memories[op.memory]
    if memory.kind not in COUNTED:
        return []
    lengths = [divmod(8 * row, memory.element_bits) for row in memory.rows]
    return [length for length, rest in lengths if length > 1 and not rest]


@dataclass
class _Column:
    """constant + sum(factor * iteration) + sum(factor * number of the call)."""

    constant: int
    iterations: dict[Block, int] = field(default_factory=dict)
    numbers: dict[Op, int] = field(default_factory=dict)
    is_in_rows: bool = False
    """Whether it is a column of different rows."""

    def add(self, other: _Column, factor: int) -> None:
        self.constant += factor * other.constant
        for header, weight in other.iterations.items():
            self.iterations[header] = self.iterations.get(header, 0) + factor * weight
        for number, weight in other.numbers.items():
            self.numbers[number] = self.numbers.get(number, 0) + factor * weight


class _Columns:
    """The columns that accesses come to."""

    def __init__(self, nests: Nests, numbers: dict[Op, Argument]) -> None:
        self.nests = nests
        self.numbers = numbers
        self.sums = Sums()
        self.dominators = immediate_dominators(nests.kernel)
        self.may_grow: dict[Block, bool] = {}

    def bounds(self, block: Block, index: Op, row: int) -> Iterator[tuple[Argument, int]]:
        """The greatest number of the call with which an access stays in rows of a length."""
        column = self._last(block, index, row)
        used = {} if column is None else {op: n for op, n in column.numbers.items() if n}
        if column is None or len(used) != 1:
            return
        ((number, factor),) = used.items()
        most = (row - 1 - column.constant) // factor
        if factor > 0 and most > 0:
            yield self.numbers[number], most

    def _last(self, block: Block, index: Op, row: int) -> _Column | None:
        """The last column that an access in every iteration comes to; None where that is not
        known."""
        column = self._of(index, row)
        if column is None or not column.is_in_rows or not self._comes(block):
            return None
        for header in self.nests.around(block):
            loop = self.nests.loops.get(header)
            if loop is None or loop.trips is None:
                return None
            factor = column.iterations.pop(header, 0)
            if factor > 0:
                trips = self._of(loop.trips, 0)
                if trips is None:
                    return None
                column.add(trips, factor)
                column.constant -= factor
        return None if column.iterations else column

    def _comes(self, block: Block) -> bool:
        """Whether control comes to a block if the numbers of the call are great enough."""
        if block not in self.may_grow:
            above = self.dominators[block]
            self.may_grow[block] = above is block or (
                self._comes(above) and self._leads_on(above, block)
            )
        return self.may_grow[block]

    def _leads_on(self, source: Block, block: Block) -> bool:
        """Whether control goes from a block to one behind it, sooner or later: where a test could
        have it leave no loop but go elsewhere, for numbers that are great enough."""
        ways = [self._reaches(edge.block, block, source) for edge in source.end.edges]
        if all(ways) or self._is_counted(source):
            return True
        condition = source.end.condition
        if len(ways) != 2 or condition is None or condition.kind not in COMPARE:
            return False
        less, more = (self._of(value, 0) for value in condition.operands)
        if less is None or more is None:
            return False
        kind = condition.kind
        if not ways[0]:
            kind, less, more = OPPOSITE[kind], more, less
        more.add(less, -1)
        factors = more.numbers.values()
        return kind == "ne" or (kind != "eq" and min(factors, default=-1) >= 0 and any(factors))

    def _is_counted(self, block: Block) -> bool:
        """Whether a block is where a loop ends whose iterations are counted."""
        return any(
            block in loop.body
            and loop.trips is not None
            and any(s not in loop.body for s in block.successors)
            for loop in self.nests.loops.values()
        )

    def _reaches(self, source: Block, block: Block, without: Block) -> bool:
        left, seen = [source], {without}
        while left:
            here = left.pop()
            if here is block:
                return True
            if here not in seen:
                seen.add(here)
                left += here.successors
        return False

    def _of(self, value: Op, row: int) -> _Column | None:
        """A value, or the column in rows of a length that it is; None where it is no such sum."""
        form = self.nests.form(value)
        base = None if form is None else self._sum(form.base)
        if form is None or base is None:
            return None
        column = _Column(_rest(base.constant, row))
        for header, step in form.steps.items():
            if step.kind != "constant":
                return None
            factor = signed(step.value, step.width)
            column.is_in_rows |= row > 0 and abs(factor) >= row
            column.iterations[header] = _rest(factor, row)
        for number, factor in base.terms.items():
            column.is_in_rows |= row > 0 and abs(factor) >= row
            column.numbers[number] = _rest(factor, row)
        known = all(n in self.numbers for n, factor in column.numbers.items() if factor)
        return column if known else None

    def _sum(self, value: Op) -> Linear | None:
        """A value as a sum of numbers of the call and others. That narrower parts of it wrap is
        nothing that a program for such numbers would want."""
        found = self.sums.form(value)
        if found is None:
            return None
        found = Linear(value.width).plus(found).centred()
        total = Linear(value.width, found.constant)
        for term, factor in found.terms.items():
            source = _greatest(extended_from(bits_of(term)) or term)
            part = None if source is value or source in self.numbers else self._sum(source)
            total = total.plus(part or Linear(value.width, terms={source: 1}), factor)
        return total


def _greatest(value: Op) -> Op:
    """Of a number that is raised to a constant where it is less, the number."""
    if value.kind != "select" or value.operands[0].kind not in ("slt", "ult", "sle", "ule"):
        return value
    condition, yes, no = value.operands
    less, more = condition.operands
    if less.kind == "constant" and yes is more and no.kind == "constant":
        return more
    if more.kind == "constant" and no is less and yes.kind == "constant":
        return less
    return value


def _rest(number: int, row: int) -> int:
    """What is left of a number of columns without whole rows; all of it where there are none."""
    return (number + row // 2) % row - row // 2 if row else number
