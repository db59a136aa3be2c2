# SPDX-License-Identifier: Apache-2.0
"""bound-sizes: numbers of a call are no greater than rows of arrays have columns.

    void scale(int n, double a[][40])  ...  for (j = 0; j < n; j++) a[i][j] *= 2;

C lets no column be beyond its row: with more than 40, a call is the host's, and so is one with
less than 1, in which there is nothing to do (`Argument.least`, `most`). In all others it is then
known how often a loop runs, that its accesses to other rows are others, and so how many sums may
take turns and how much is kept of a row.

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
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block
from tandem.ir.dominators import immediate_dominators
from tandem.ir.kernel import Kernel
from tandem.ir.loops import reaches
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import (
    OPPOSITE,
    Access,
    Compare,
    Constant,
    Eq,
    Ne,
    Op,
    Select,
    SLe,
    SLt,
    ULe,
    ULt,
    signed,
)
from tandem.ir.wiring import bits_of, extended_from

SLUG = "bound-sizes"
SUMMARY = "tell of numbers that they are no greater than rows of arrays are long"

COUNTED = (MemoryKind.ARGUMENT, MemoryKind.VARIABLE)
"""Kinds of memories whose size the call tells."""


def run(kernel: Kernel) -> bool:
    """Whether anything is told of any number."""
    numbers = {
        a.op: a
        for a in kernel.arguments
        if a.op and a.kind is ArgumentKind.SCALAR and a.is_parameter and not a.float_bytes
    }
    accesses = [
        (block, op.index, row)
        for block, op in kernel.ops()
        if isinstance(op, Access) and op.enable is None
        for row in _rows(kernel, op)
    ]
    if not numbers or not accesses:
        return False
    columns = _Columns(Nests.of(kernel), numbers)
    found = False
    for access in accesses:
        for argument, least, most in columns.bounds(*access):
            if argument.most is None or argument.most > most:
                argument.most = most
            argument.least = max(argument.least, least)
            found = True
    return found


def _rows(kernel: Kernel, op: Op) -> list[int]:
    """Of how many elements the rows are that an access goes to."""
    memory = op.memory
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

    def least(self, value: int) -> dict[Op, int]:
        """How great the only number that it is made of has to be, in the first iterations, for a
        value; nothing where there are several."""
        used = {op: n for op, n in self.numbers.items() if n}
        if len(used) != 1 or min(used.values()) < 0:
            return {}
        return {op: -((self.constant - value) // factor) for op, factor in used.items()}


class _Columns:
    """The columns that accesses come to."""

    def __init__(self, nests: Nests, numbers: dict[Op, Argument]) -> None:
        self.nests = nests
        self.numbers = numbers
        self.sums = Sums()
        self.dominators = immediate_dominators(nests.kernel)
        self.needed: dict[Block, dict[Op, int] | None] = {nests.kernel.entry: {}}

    def bounds(self, block: Block, index: Op, row: int) -> Iterator[tuple[Argument, int, int]]:
        """The least number of the call with which there is an access, and the greatest with which
        it stays in rows of a length."""
        column = self._of(index, row)
        needed = self._needed(block)
        if column is None or not column.is_in_rows or needed is None:
            return
        least = 0
        for header in self.nests.around(block):
            loop = self.nests.loops.get(header)
            trips = None if loop is None or loop.trips is None else self._of(loop.trips, 0)
            factor = column.iterations.pop(header, 0)
            if trips is not None:
                least = max(least, *trips.least(1).values(), 0)
            if trips is not None and factor > 0:
                column.add(trips, factor)
                column.constant -= factor
            elif factor > 0 or loop is None:
                return
        used = {op: n for op, n in column.numbers.items() if n}
        if column.iterations or len(used) != 1:
            return
        ((number, factor),) = used.items()
        most = (row - 1 - column.constant) // factor
        if factor > 0 and most > 0:
            # Where a test asks for more than its loop does, there is another way for less.
            is_entered = needed.get(number, 0) <= least <= most
            yield self.numbers[number], least if is_entered else 0, most

    def _needed(self, block: Block) -> dict[Op, int] | None:
        """How great numbers of the call have to be for control to come to a block; None where that
        alone does not have it come there."""
        behind: list[Block] = []
        while block not in self.needed:
            behind.append(block)
            block = self.dominators[block]
        found = self.needed[block]
        for block in reversed(behind):
            onward = None if found is None else self._leads_on(self.dominators[block], block)
            found = None if found is None or onward is None else _greater(found, onward)
            self.needed[block] = found
        return found

    def _leads_on(self, source: Block, block: Block) -> dict[Op, int] | None:
        """The same for the way from a block to one behind it, sooner or later: tests that end
        counted loops do not count."""
        heads = [edge.block for edge in source.end.edges]
        ways = [head is block or reaches(head, block, without=source) for head in heads]
        if all(ways) or self._is_counted(source):
            return {}
        condition = source.end.condition
        if len(ways) != 2 or condition is None or not isinstance(condition, Compare):
            return None
        less, more = (self._of(value, 0) for value in condition.operands)
        if less is None or more is None:
            return None
        kind = type(condition)
        if not ways[0]:
            kind, less, more = OPPOSITE[kind], more, less
        more.add(less, -1)
        factors = more.numbers.values()
        if kind is Ne:
            return {}
        if kind is Eq or min(factors, default=-1) < 0 or not any(factors):
            return None
        return more.least(int(kind in (SLt, ULt)))

    def _is_counted(self, block: Block) -> bool:
        """Whether a block is where a loop ends whose iterations are counted."""
        return any(
            block in loop.body
            and loop.trips is not None
            and any(s not in loop.body for s in block.successors)
            for loop in self.nests.loops.values()
        )

    def _of(self, value: Op, row: int) -> _Column | None:
        """A value, or the column in rows of a length that it is; None where it is no such sum."""
        form = self.nests.form(value)
        base = None if form is None else self._sum(form.base)
        if form is None or base is None:
            return None
        column = _Column(_rest(base.constant, row))
        for header, step in form.steps.items():
            if not isinstance(step, Constant):
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


def _greater(one: dict[Op, int], other: dict[Op, int]) -> dict[Op, int]:
    return one | {op: max(least, one.get(op, least)) for op, least in other.items()}


def _greatest(value: Op) -> Op:
    """Of a value that is a constant where a number is small, what it is where that is not."""
    if not isinstance(value, Select) or not isinstance(value.operands[0], (SLt, ULt, SLe, ULe)):
        return value
    condition, yes, no = value.operands
    less, more = (isinstance(operand, Constant) for operand in condition.operands)
    if less and isinstance(no, Constant):
        return yes
    return no if more and isinstance(yes, Constant) else value


def _rest(number: int, row: int) -> int:
    """What is left of a number of columns without whole rows; all of it where there are none."""
    return (number + row // 2) % row - row // 2 if row else number
