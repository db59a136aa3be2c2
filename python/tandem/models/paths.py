# SPDX-License-Identifier: Apache-2.0
"""Where a walk branches.

The hardware computes both sides of a condition and chooses at the end; a processor is faster when
it guesses the condition and computes one side. So behind a condition that decides much the walk
goes on twice, once knowing that it holds and once that it does not, and of a block whose bits of
state decide much there is a copy for each of their values. What flatten-nests and if-convert have
joined falls apart again into the loops and branches that it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tandem.ir.blocks import Block, Edge
from tandem.ir.ops import Access, And, Constant, Op, Or, Select, Xor
from tandem.ir.wiring import Bit, Bits, bits_of, constant_bits, named_by
from tandem.models.slices import Slice

WORTH = 3
"""What a condition must decide for a branch: an access counts as much as so many selects."""
MOST_KNOWN = 2
"""Parameters of a block for whose values there are copies."""
MOST_SPLITS = 3
"""Branches on a way through a block."""
MOST_WRITTEN = 400
"""Operations of a block's copies; above, all of it is computed on one way."""

Place = tuple[int, Bits]
"""An element of an argument's array: position of the argument, and the index."""


@dataclass(frozen=True)
class Variant:
    """A copy of a block: the values of some of its parameters are known in it."""

    block: Block
    known: tuple[tuple[Op, int], ...] = ()


@dataclass(frozen=True)
class Landing:
    """A label from which a block is arrived at."""

    label: str
    block: Block


@dataclass
class Deciding:
    """What a block branches on: values, and those of them that are its parameters."""

    conditions: frozenset[Op] = frozenset()
    parameters: tuple[Op, ...] = ()
    splits: int = 0


def deciding(block: Block, found: Slice) -> Deciding:
    """The conditions of a block that decide enough of what is computed."""
    weights: Counter[Op] = Counter()
    written = 0
    for op in block.ops:
        if op not in found.ops and not found.is_watched(op):
            continue
        written += 1
        if isinstance(op, Access) and op.enable is not None:
            weights[op.enable] += WORTH
        elif isinstance(op, Select):
            weights[op.operands[0]] += 1
    copies = MOST_WRITTEN // max(1, written)
    if copies < 2:
        return Deciding()
    conditions = frozenset(op for op, weight in weights.items() if weight >= WORTH)
    parameters = tuple(p for p in block.parameters if p in conditions)[:MOST_KNOWN]
    return Deciding(conditions, parameters, min(MOST_SPLITS, copies.bit_length() - 1))


@dataclass
class Path:
    """What is known on one way through a block: the value of some 1-bit values, which other value
    some are equal to, and elements that are in their array's window. `splits`: how often it may
    still part; `computed`: the block's own operations."""

    splits: int = 0
    known: dict[Op, int] = field(default_factory=dict)
    computed: set[Op] = field(default_factory=set)
    equal: dict[Op, Op] = field(default_factory=dict)
    seen: set[Place] = field(default_factory=set)

    def meant(self, op: Op) -> Op:
        """The value that an operation's is equal to on this way."""
        while op in self.equal:
            op = self.equal[op]
        return op

    def value(self, op: Op) -> int | None:
        """The number that a 1-bit value is, where it is known."""
        op = self.meant(op)
        return op.value if isinstance(op, Constant) else self.known.get(op)

    def bits(self, op: Op) -> Bits:
        """Where each bit of a value comes from on this way."""
        op = self.meant(op)
        if op in self.known:
            return constant_bits(self.known[op], op.width)
        bits = bits_of(op)
        changed = {source for source in named_by(op) if source is not op}
        changed = {s: self.bits(s) for s in changed if s in self.equal or s in self.known}
        return tuple(
            b if type(b) is int or b[0] not in changed else changed[b[0]][b[1]] for b in bits
        )

    def learn(self, op: Op) -> bool:
        """Whether an operation needs no computing on this way."""
        if isinstance(op, Select):
            condition = self.value(op.operands[0])
            if condition is not None:
                self.equal[op] = op.operands[1 if condition else 2]
        elif op.width == 1 and isinstance(op, (And, Or, Xor)):
            self._learn_bit(op)
        return op in self.equal or op in self.known

    def _learn_bit(self, op: Op) -> None:
        values = [self.value(o) for o in op.operands]
        unknown = [o for o, v in zip(op.operands, values, strict=True) if v is None]
        ones = values.count(1)
        decisive = {And: 0, Or: 1}.get(type(op))
        if decisive is not None and decisive in values:
            self.known[op] = decisive
        elif not unknown:
            self.known[op] = ones & 1 if isinstance(op, Xor) else 1 - (decisive or 0)
        elif len(unknown) == 1 and (not isinstance(op, Xor) or not ones & 1):
            self.equal[op] = unknown[0]

    def source(self, condition: Op) -> Op:
        """What a condition is, or the opposite of."""
        op = self.meant(condition)
        while isinstance(op, Xor) and op in self.computed:
            unknown = [o for o in op.operands if self.value(o) is None]
            if len(unknown) != 1:
                break
            op = self.meant(unknown[0])
        return op

    def parted(self, condition: Op, value: int, before: Iterable[Op]) -> Path:
        """The way on where a condition has a value; `before` is what was computed already."""
        known = {**self.known, condition: value}
        path = Path(self.splits - 1, known, self.computed, {**self.equal}, {*self.seen})
        for op in before:
            path.learn(op)
        return path


@dataclass
class Arriving:
    """A way along an edge, for what its target asks."""

    edge: Edge
    path: Path

    def seen(self, places: set[Place]) -> set[Place]:
        """Those of the target's elements that are in their windows when it is entered."""
        arguments = self.edge.given

        def here(bit: Bit) -> Bit:
            if type(bit) is int:
                return bit
            source: Op = bit[0]
            return self.path.bits(arguments.get(source, source))[bit[1]]

        return {
            (position, bits)
            for position, bits in places
            if (position, tuple(map(here, bits))) in self.path.seen
        }
