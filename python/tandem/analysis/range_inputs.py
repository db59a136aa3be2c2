# SPDX-License-Identifier: Apache-2.0
"""What the range of a value follows from. Ranges are found in rounds, in which this stays as it is:
a value of whose inputs none has changed need not be looked at again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from tandem.analysis.range_conditions import CHOSEN_DEPTH, parts_of
from tandem.analysis.range_rules import is_lowest
from tandem.ir.blocks import Edge
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    OPPOSITE,
    And,
    Compare,
    Concat,
    Constant,
    Eq,
    Equality,
    Extract,
    Op,
    Or,
    Range,
    Select,
    Sum,
    Xor,
    constant,
)
from tandem.ir.wiring import bits_of, is_sign_extended, segments, signed_width

REDONE_DEPTH = 4
"""How far below an edge's value what the edge's condition says is put in."""
MOST_REDONE = 3
"""Operands of what is done again."""

Run = tuple[Op, int, int]
"""(source, first, end) of bits."""


class Inputs:
    """Of one kernel, which no pass changes meanwhile; each is looked at once."""

    def __init__(self) -> None:
        self._runs: dict[Op, Run | None] = {}
        self._signed: dict[Op, int] = {}
        self._comparisons: dict[tuple[Op, bool], list[tuple[type[Op], Op, Op]]] = {}
        self._of: dict[Op, Collection[Op]] = {}
        self.besides: Mapping[Op, Collection[Op]] = {}
        """What the ranges of some operations follow from besides their operands'."""
        self.entered: dict[Op, Collection[Op]] = {}
        """The values that what control brings to a parameter follows from."""
        self.told_on: dict[Edge, Collection[Op]] = {}
        """Those of which something is said where control takes an edge."""

    def run(self, value: Op) -> Run | None:
        """`one_run` of a value."""
        if value not in self._runs:
            self._runs[value] = one_run(value)
        return self._runs[value]

    def signed(self, value: Op) -> int:
        """In how many of its bits a value is with its sign."""
        if value not in self._signed:
            bits = bits_of(value)
            self._signed[value] = signed_width(bits) if is_sign_extended(bits) else len(bits)
        return self._signed[value]

    def comparisons(self, condition: Op, holds: bool) -> list[tuple[type[Op], Op, Op]]:
        """`comparisons` of a condition."""
        found = self._comparisons.get((condition, holds))
        if found is None:
            found = self._comparisons[condition, holds] = list(comparisons(condition, holds))
        return found

    def within(self, value: Op, known: Mapping[Op, Range], most: int) -> Range | None:
        """The range of a value, which is `most` at the most, that is the upper bits of another one
        of which something is known, or, with zeros above, all of another one's."""
        if not isinstance(value, (Extract, Concat)):
            return None
        for other, found in known.items():
            is_low = other.width < value.width and bits_of(value)[: other.width] == bits_of(other)
            if is_low and not most >> other.width:
                return found
        run = self.run(value)
        for other, found in known.items() if run else ():
            whole = self.run(other)
            if run and whole and run[0] is whole[0] and run[1] >= whole[1] and run[2] == whole[2]:
                return found[0] >> (run[1] - whole[1]), found[1] >> (run[1] - whole[1])
        return None

    def of(self, op: Op) -> Collection[Op]:
        """The values whose ranges that of an operation follows from."""
        if op in self.besides:
            return [*_read(op), *self.besides[op]]
        chosen = op.operands[0] if isinstance(op, Extract) else op
        if not isinstance(chosen, Select):
            return _read(op)
        if op not in self._of:
            self._of[op] = self._choice(op, chosen)
        return self._of[op]

    def _choice(self, op: Op, select: Op) -> Collection[Op]:
        """Those of the sides, as deep as conditions are put into them, and of the conditions."""
        condition, *sides = select.operands
        found = {*op.operands, *select.operands, *self.below(sides, CHOSEN_DEPTH)}
        for holds in (True, False):
            found |= self.told(condition, holds)
        return without_constants(found)

    def below(self, values: Collection[Op], depth: int) -> set[Op]:
        """The values, and what they are made of as deep as conditions are put into them."""
        found = set(values)
        for _ in range(depth):
            redone = (value for value in values if len(value.operands) <= MOST_REDONE)
            values = {read for value in redone for read in _read(value)}
            found |= values
        return found

    def told(self, condition: Op, holds: bool) -> set[Op]:
        """The values that a condition says something of."""
        found: set[Op] = set()
        for _, *compared in self.comparisons(condition, holds):
            runs = filter(None, map(self.run, compared))
            found.update(compared, (source for source, _, _ in runs))
            found.update(part for op in compared for part in parts_of(op))
        return found


def without_constants(values: Iterable[Op]) -> list[Op]:
    """Values but for those whose range is known from the beginning."""
    return [value for value in values if not isinstance(value, Constant)]


def _read(op: Op) -> Collection[Op]:
    """What `range_rules.result_range` goes by: of a sum also that of which operands are the lowest
    bits."""
    if not isinstance(op, Sum) or not any(is_lowest(o) for o in op.operands):
        return op.operands
    return [*op.operands, *(o.operands[0] for o in op.operands if is_lowest(o))]


def one_run(value: Op) -> Run | None:
    """The bits that a value is, with zeros above; None for others."""
    (source, low, width), *above = segments(bits_of(value))
    if source is None or any(part[:2] != (None, 0) for part in above):
        return None
    return source, low, low + width


def comparisons(condition: Op, holds: bool) -> Iterator[tuple[type[Op], Op, Op]]:
    """What holds where a condition does, or does not."""
    if isinstance(condition, Xor) and isinstance(condition.operands[-1], Constant):
        parts = condition.operands[:-1]
        if len(parts) == 1:
            yield from comparisons(parts[0], holds != bool(condition.operands[-1].value & 1))
    elif isinstance(condition, And if holds else Or):
        for part in condition.operands:
            yield from comparisons(part, holds)
    elif isinstance(condition, Compare):
        a, b = condition.operands
        kind, a, b = (type(condition), a, b) if holds else _opposite(type(condition), a, b)
        yield kind, a, b
        if kind is Eq and isinstance(a, Or) and isinstance(b, Constant) and not b.value:
            yield from ((Eq, part, b) for part in a.operands)
    elif isinstance(condition, Extract):  # a bit says which half its value is in
        yield Eq, condition, constant(holds, 1)


def _opposite(kind: type[Op], a: Op, b: Op) -> tuple[type[Op], Op, Op]:
    """The comparison that holds where the given one does not."""
    return (OPPOSITE[kind], a, b) if issubclass(kind, Equality) else (OPPOSITE[kind], b, a)


def deciding_ops(kernel: Kernel) -> set[Op]:
    """The operations that conditions, counts and what edges carry are made of."""
    found: set[Op] = set()
    work = [op for block in kernel.blocks for op in block.end.inputs()]
    work += [block.trip_count for block in kernel.blocks if block.trip_count is not None]
    while work:
        op = work.pop()
        if op not in found:
            found.add(op)
            work += op.operands
    return found
