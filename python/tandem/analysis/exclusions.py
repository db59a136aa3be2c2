# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a block exclude each other: those on two sides of an `if`, and those of buffers
that change places with each round of a loop around, of which one is read and the other one written.
Either their conditions do, or a bit of one's index is always the opposite of the other one's, or
one index has the bits of a mask that the other one lacks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tandem.analysis.linear import Ranges
from tandem.analysis.masks import Masked, masked, masks_between
from tandem.analysis.predicates import ALWAYS, NEVER, Condition, Predicates, upright
from tandem.ir.blocks import Block
from tandem.ir.ops import Op
from tandem.ir.wiring import bits_of, makers_of


class Exclusions:
    """Of one block, of which some values' ranges are known."""

    def __init__(self, block: Block, ranges: Ranges) -> None:
        self._ranges = ranges
        self._masked: dict[Op, Masked] = {}
        self._predicates = Predicates()
        self._read: dict[Op, Condition] = {}
        self._changing = set(block.parameters)
        """Values that are others in each iteration; the rest stay from when a loop is entered until
        it is left."""
        for op in block.ops:
            if not op.pure or not self._changing.isdisjoint(makers_of(op.operands)):
                self._changing.add(op)

    def now(self, first: Op, second: Op) -> bool:
        """Whether not both come to one element in one iteration."""
        conditions = self._condition(first), self._condition(second)
        return (
            self._exclude(*conditions)
            or any(_opposites(first, second))
            or any(self._masks_between(first, second))
        )

    def ever(self, first: Op, second: Op) -> bool:
        """Whether none comes to an element in any iteration to which the other one has come in
        whichever one, from when a loop is entered until it is left."""
        conditions = self._condition(first), self._condition(second)
        kept = (self._predicates.kept(c, self._changing) for c in conditions)
        apart_by = chain(_opposites(first, second), self._masks_between(first, second))
        return self._exclude(*kept) or any(
            self._changing.isdisjoint(makers_of([op])) for op in apart_by
        )

    def _masks_between(self, first: Op, second: Op) -> Iterator[Op]:
        return masks_between(self._masks_of(first), self._masks_of(second), self._ranges)

    def _masks_of(self, access: Op) -> Masked:
        if access not in self._masked:
            self._masked[access] = masked(access.index, access.enable)
        return self._masked[access]

    def _exclude(self, first: Condition, second: Condition) -> bool:
        return self._predicates.both(first, second) == NEVER

    def _condition(self, op: Op) -> Condition:
        if op.enable is None:
            return ALWAYS
        if op not in self._read:
            self._read[op] = self._predicates.read(op.enable)
        return self._read[op]


def _opposites(first: Op, second: Op) -> Iterator[Op]:
    """What makes those bits of an index that are the opposite of another one's."""
    if first.index.width != second.index.width:
        return
    for one, other in zip(bits_of(first.index), bits_of(second.index), strict=True):
        (bit, is_plain), (same, is_other) = upright(one, True), upright(other, True)
        if type(bit) is not int and bit == same and is_plain != is_other:
            yield bit[0]
