# SPDX-License-Identifier: Apache-2.0
"""Sums and differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tandem.ir import wiring
from tandem.ir.ops.logic import Or, Xor
from tandem.ir.ops.op import Op, Range, mask
from tandem.ir.ops.values import constant

if TYPE_CHECKING:
    from tandem.ir.builder import Builder


class Sum(Op):
    """Modulo 2^width."""

    __slots__ = ()
    arity, rule = 2, "same"
    delay_row = "add"

    def demands(self, wanted: int) -> list[int]:
        return [mask(wanted.bit_length())] * 2


class Add(Sum):
    __slots__ = ()
    slug, summary, sign = "add", "sum, modulo 2^width", "+"
    comb = "add"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] + v[1]

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        a, b = operands
        if width == 1:
            return builder.logic(Xor, [a, b])
        x, y = wiring.bits_of(a), wiring.bits_of(b)
        if wiring.is_constant(x) and wiring.is_constant(y):
            return constant(wiring.number(x) + wiring.number(y), width)
        if wiring.is_constant(x):
            a, b, x, y = b, a, y, x
        if (
            wiring.is_constant(y)
            and isinstance(a, Add)
            and wiring.is_constant(wiring.bits_of(a.operands[1]))
        ):
            both = wiring.number(wiring.bits_of(a.operands[1])) + wiring.number(y)
            return builder.build(Add, [a.operands[0], constant(both, width)], width)
        for plus, minus in ((a, b), (b, a)):
            if _is_negation(minus):
                return builder.build(Sub, [plus, minus.operands[1]], width)
        low = max(wiring.trailing_zeros(x), wiring.trailing_zeros(y))
        if low:
            passed = y if wiring.trailing_zeros(x) >= low else x
            if low == width:
                return builder.wire(passed)
            high = builder.build(Add, [builder.wire(x[low:]), builder.wire(y[low:])], width - low)
            return builder.wire(passed[:low] + wiring.bits_of(high))
        if all(wiring.is_zero(p) or wiring.is_zero(q) for p, q in zip(x, y, strict=True)):
            return builder.logic(Or, [a, b])
        spare = min(wiring.leading_zeros(x), wiring.leading_zeros(y)) - 1
        if spare > 0:
            kept = width - spare
            made = builder.raw(Add, [builder.wire(x[:kept]), builder.wire(y[:kept])], kept)
            return builder.wire(wiring.bits_of(made) + wiring.zeros(spare))
        return builder.raw(Add, [a, b], width)

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return ranges[0][0] + ranges[1][0], ranges[0][1] + ranges[1][1]


class Sub(Sum):
    __slots__ = ()
    slug, summary, sign = "sub", "difference, modulo 2^width", "-"
    comb = "sub"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] - v[1]

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        a, b = operands
        if width == 1:
            return builder.logic(Xor, [a, b])
        x, y = wiring.bits_of(a), wiring.bits_of(b)
        if x == y:
            return constant(0, width)
        if wiring.is_constant(x) and wiring.is_constant(y):
            return constant(wiring.number(x) - wiring.number(y), width)
        low = wiring.trailing_zeros(y)
        if low == width:
            return a
        if low:
            high = builder.build(Sub, [builder.wire(x[low:]), builder.wire(y[low:])], width - low)
            return builder.wire(x[:low] + wiring.bits_of(high))
        if wiring.is_constant(y):
            return builder.build(Add, [a, constant(-wiring.number(y), width)], width)
        if _is_negation(b):
            return builder.build(Add, [a, b.operands[1]], width)
        return builder.raw(Sub, [a, b], width)

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return ranges[0][0] - ranges[1][1], ranges[0][1] - ranges[1][0]


def _is_negation(value: Op) -> bool:
    return isinstance(value, Sub) and all(map(wiring.is_zero, wiring.bits_of(value.operands[0])))
