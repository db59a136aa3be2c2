# SPDX-License-Identifier: Apache-2.0
"""What an operation makes of its operands' ranges."""

from __future__ import annotations

from collections.abc import Callable

from tandem.ir.ops import (
    Add,
    And,
    Concat,
    Extract,
    LShr,
    Mul,
    Op,
    Or,
    Select,
    Shl,
    Sub,
    Sum,
    UDiv,
    URem,
    Xor,
    mask,
)

Range = tuple[int, int]
"""The least and the greatest number."""


def full(op: Op) -> Range:
    """Any number of the value's width."""
    return 0, mask(op.width)


def join(a: Range, b: Range) -> Range:
    """The least range with both in it."""
    return min(a[0], b[0]), max(a[1], b[1])


Lookup = Callable[[Op], Range]


def result_range(op: Op, of: Lookup) -> Range:
    """The range of an operation's result, by those of its operands."""
    rule = _RULES.get(type(op))
    if rule is None:
        return full(op)
    found = _wrapped(op, rule(op, [of(o) for o in op.operands]))
    if not isinstance(op, Sum) or found != full(op):
        return found
    return _wrapped(op, rule(op, [_whole(o, of) for o in op.operands]))


def _whole(operand: Op, of: Lookup) -> Range:
    """The range of what an operand of a sum is the lowest bits of, or else its own: the bits above
    may be left out of the sum as of its result. `n - 1` of 5 bits is from 2 to 31 where n is from 3
    to 32, though the lowest bits of n can be any."""
    return of(operand.operands[0] if is_lowest(operand) else operand)


def is_lowest(op: Op) -> bool:
    """Whether a value is the lowest bits of another one."""
    return isinstance(op, Extract) and not op.attributes["low"]


def cut_range(op: Op, found: Range) -> Range:
    """What an extract makes of numbers."""
    return _wrapped(op, _extract(op, [found]))


def _wrapped(op: Op, found: Range) -> Range:
    """What has wrapped as a whole is where it was, less the turns."""
    low, high = found
    turns = low >> op.width
    if turns != high >> op.width:
        return full(op)
    return low - (turns << op.width), high - (turns << op.width)


def _extract(op: Op, ranges: list[Range]) -> Range:
    low = op.attributes["low"]
    return ranges[0][0] >> low, ranges[0][1] >> low


def _concat(op: Op, ranges: list[Range]) -> Range:
    low = high = 0
    for part, found in zip(op.operands, ranges, strict=True):
        low, high = low << part.width | found[0], high << part.width | found[1]
    return low, high


def _most_bits(op: Op, ranges: list[Range]) -> Range:
    del op
    return 0, mask(max(high.bit_length() for _, high in ranges))


def _shifted_right(op: Op, ranges: list[Range]) -> Range:
    (low, high), (least, most) = ranges
    return low >> min(most, op.width), high >> min(least, op.width)


def _shifted_left(op: Op, ranges: list[Range]) -> Range:
    (low, high), (least, most) = ranges
    # From the width up the result is 0, whatever the value.
    return (low << least, high << most) if most < op.width else full(op)


def _remainder(op: Op, ranges: list[Range]) -> Range:
    del op
    (_, high), (least, most) = ranges
    return 0, min(high, most - 1) if least else high


def _quotient(op: Op, ranges: list[Range]) -> Range:
    (low, high), (least, most) = ranges
    return (low // most, high // least) if least else full(op)


_RULES: dict[type[Op], Callable[[Op, list[Range]], Range]] = {
    Add: lambda _, r: (r[0][0] + r[1][0], r[0][1] + r[1][1]),
    Sub: lambda _, r: (r[0][0] - r[1][1], r[0][1] - r[1][0]),
    Mul: lambda _, r: (r[0][0] * r[1][0], r[0][1] * r[1][1]),
    And: lambda _, r: (0, min(high for _, high in r)),
    Or: _most_bits,
    Xor: _most_bits,
    Select: lambda _, r: join(r[1], r[2]),
    Extract: _extract,
    Concat: _concat,
    LShr: _shifted_right,
    Shl: _shifted_left,
    URem: _remainder,
    UDiv: _quotient,
}
