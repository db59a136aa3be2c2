# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a block exclude each other: those on two sides of an `if`, and those of buffers
that change places with each round of a loop around, of which one is read and the other one written.
Either their conditions do, or a bit of one's index is always the opposite of the other one's, or
one index has the bits of a mask that the other one lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.analysis.linear import Ranges
from tandem.analysis.masks import Masked, masked, masks_between
from tandem.analysis.predicates import ALWAYS, NEVER, Condition, Predicates, upright
from tandem.ir.blocks import Block
from tandem.ir.ops import Op
from tandem.ir.wiring import Bit, bits_of, makers_of


@dataclass(frozen=True)
class _Seen:
    """An access, as it is compared with all others of its memory: the work grows with their square.
    `condition`: when it happens, and `kept`, what of that stays in all iterations. `bits`: those
    of its index, without inverters, and whether these are an even number; `inverted`: the places
    of bits where they are not."""

    condition: Condition
    kept: Condition
    bits: tuple[tuple[Bit, bool], ...]
    inverted: frozenset[int]
    masks: Masked


class Exclusions:
    """Of one block, of which some values' ranges are known."""

    def __init__(self, block: Block, ranges: Ranges) -> None:
        self._ranges = ranges
        self._predicates = Predicates()
        self._seen: dict[Op, _Seen] = {}
        self._excluded: dict[tuple[Condition, Condition], bool] = {}
        self._changing = set(block.parameters)
        """Values that are others in each iteration; the rest stay from when a loop is entered until
        it is left."""
        for op in block.ops:
            if not op.pure or not self._changing.isdisjoint(makers_of(op.operands)):
                self._changing.add(op)

    def now(self, first: Op, second: Op) -> bool:
        """Whether not both come to one element in one iteration."""
        one, other = self._of(first), self._of(second)
        return self._exclude(one.condition, other.condition) or any(self._apart_by(one, other))

    def ever(self, first: Op, second: Op) -> bool:
        """Whether none comes to an element in any iteration to which the other one has come in
        whichever one, from when a loop is entered until it is left."""
        one, other = self._of(first), self._of(second)
        return self._exclude(one.kept, other.kept) or any(
            self._changing.isdisjoint(makers_of([op])) for op in self._apart_by(one, other)
        )

    def _of(self, access: Op) -> _Seen:
        if access not in self._seen:
            self._seen[access] = self._look_at(access)
        return self._seen[access]

    def _look_at(self, access: Op) -> _Seen:
        enable = access.enable
        condition = ALWAYS if enable is None else self._predicates.read(enable)
        bits = tuple([upright(bit, True) for bit in bits_of(access.index)])
        return _Seen(
            condition,
            self._predicates.kept(condition, self._changing),
            bits,
            frozenset(i for i, (_, is_plain) in enumerate(bits) if not is_plain),
            masked(access.index, enable),
        )

    def _exclude(self, first: Condition, second: Condition) -> bool:
        found = self._excluded.get((first, second))
        if found is None:
            found = self._predicates.both(first, second) == NEVER
            self._excluded[first, second] = found
        return found

    def _apart_by(self, one: _Seen, other: _Seen) -> Iterator[Op]:
        """What makes those bits of an index that are the opposite of another one's, and masks that
        one has and the other one lacks."""
        inverted = one.inverted ^ other.inverted if len(one.bits) == len(other.bits) else ()
        for i in inverted:
            bit = one.bits[i][0]
            if type(bit) is not int and bit == other.bits[i][0]:
                yield bit[0]
        yield from masks_between(one.masks, other.masks, self._ranges)
