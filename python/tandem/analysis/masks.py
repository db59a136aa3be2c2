# SPDX-License-Identifier: Apache-2.0
"""Indices that have all bits of a mask, or none: of `x | m`, `x & ~m` and `(x | m) ^ m`, and where
`!(x & m)` is asked before. What has them and what lacks them are never one number, and these are
sums: `(x | m) ^ m` is m less than `x | m`, and where x lacks m, `x | m` is m more than x."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tandem.analysis.linear import Ranges
from tandem.analysis.range_inputs import comparisons
from tandem.analysis.range_rules import range_of
from tandem.ir.ops import And, Constant, Eq, Op, Or, Xor
from tandem.ir.ops.logic import inverse_of
from tandem.ir.wiring import Bits, bits_of, leading_zeros, segments


@dataclass
class Masked:
    """The masks that an index has and those that it lacks, by their bits."""

    has: dict[Bits, Op] = field(default_factory=dict)
    lacks: dict[Bits, Op] = field(default_factory=dict)


def masked(index: Op, condition: Op | None = None) -> Masked:
    """What an index says itself, and what a condition says of it."""
    found = Masked()
    value = lowest(index)
    if isinstance(value, Or):
        found.has = {_bits(o): o for o in value.operands}
    found.lacks = {_bits(mask): mask for mask in _left_out(value)}
    for one, other in disjoint(condition):
        if bits_of(index)[: one.width] == bits_of(one):
            found.lacks[_bits(other)] = other
    return found


def masks_between(one: Masked, other: Masked, ranges: Ranges) -> Iterator[Op]:
    """Masks, never 0, of which one index has all bits and the other one none."""
    for having, lacking in ((one.has, other.lacks), (other.has, one.lacks)):
        for bits in having.keys() & lacking.keys():
            if (range_of(bits, ranges) or (0, 0))[0]:
                yield having[bits]


def are_apart(access: Op, op: Op, mask: Op) -> bool:
    """Whether an access happens only where a value has no bit of a mask."""
    wanted = {bits_of(op), bits_of(mask)}
    return any({bits_of(o) for o in pair} == wanted for pair in disjoint(access.enable))


def _bits(mask: Op) -> Bits:
    """Those of a mask, without the zeros above."""
    bits = bits_of(mask)
    return bits[: len(bits) - leading_zeros(bits)]


def lowest(value: Op) -> Op:
    """What the lowest bits of a value are, or all of it."""
    source, low, width = next(segments(bits_of(value)))
    return value if source is None or low or width != source.width else source


def without(value: Op) -> tuple[Op, Op] | None:
    """What `(x | m) ^ m` is less a mask than, and that; None for others."""
    if isinstance(value, Xor) and len(value.operands) == 2:
        for one, other in (value.operands, value.operands[::-1]):
            if isinstance(one, Or) and bits_of(other) in map(bits_of, one.operands):
                return one, other
    return None


def _left_out(value: Op) -> Iterator[Op]:
    """The masks of which a value has no bit."""
    if isinstance(value, And):
        for operand in value.operands:
            bits = [inverse_of(bit) for bit in bits_of(operand)]
            if isinstance(operand, Xor) and None not in bits:
                yield operand.operands[0]
    found = without(value)
    if found is not None:
        yield found[1]


def disjoint(condition: Op | None) -> Iterator[tuple[Op, Op]]:
    """Pairs of values, both ways round, that have no bit in common where a condition holds."""
    if condition is None:
        return
    for kind, a, b in comparisons(condition, True):
        is_none = kind is Eq and isinstance(b, Constant) and not b.value
        if is_none and isinstance(a, And) and len(a.operands) == 2:
            one, other = a.operands
            yield from ((one, other), (other, one))
