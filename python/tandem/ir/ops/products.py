# SPDX-License-Identifier: Apache-2.0
"""Products: few terms are shifts and sums, others as narrow as what is known of the factors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tandem.ir import wiring
from tandem.ir.ops.op import Op, Range, mask
from tandem.ir.ops.sums import Add, Sub
from tandem.ir.ops.values import constant

if TYPE_CHECKING:
    from tandem.ir.builder import Builder
    from tandem.ir.wiring import Bits


class Mul(Op):
    __slots__ = ()
    slug, summary, sign = "mul", "product, modulo 2^width", "*"
    comb = delay_row = "mul"
    arity, rule, commutes = 2, "same", True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] * v[1]

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        a, b = operands
        x, y = wiring.bits_of(a), wiring.bits_of(b)
        if wiring.is_constant(x):
            a, b, x, y = b, a, y, x
        if wiring.is_constant(y):
            return _multiply_by_constant(builder, a, wiring.number(y), width)
        if wiring.is_sign_extended(x) or wiring.is_sign_extended(y):
            return _multiply_signed(builder, x, y)
        low = wiring.trailing_zeros(x) + wiring.trailing_zeros(y)
        if low >= width:
            return constant(0, width)
        x, y = x[wiring.trailing_zeros(x) :], y[wiring.trailing_zeros(y) :]
        x, y = x[: len(x) - wiring.leading_zeros(x)], y[: len(y) - wiring.leading_zeros(y)]
        kept = min(width - low, len(x) + len(y))
        pad = wiring.zeros(width)
        made = builder.raw(
            Mul, [builder.wire((x + pad)[:kept]), builder.wire((y + pad)[:kept])], kept
        )
        return builder.wire((wiring.zeros(low) + wiring.bits_of(made) + pad)[:width])

    def demands(self, wanted: int) -> list[int]:
        return [mask(wanted.bit_length())] * 2

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return ranges[0][0] * ranges[1][0], ranges[0][1] * ranges[1][1]


def _multiply_signed(builder: Builder, x: Bits, y: Bits) -> Op:
    """The product of signed numbers is no wider than both together, less what fills them."""
    width, low = len(x), wiring.trailing_zeros(x) + wiring.trailing_zeros(y)
    if low >= width:
        return constant(0, width)
    factors = [bits[wiring.trailing_zeros(bits) :] for bits in (x, y)]
    factors = [bits[: wiring.signed_width(bits)] for bits in factors]
    kept = min(width - low, sum(map(len, factors)))
    wide = [builder.wire((bits + bits[-1:] * kept)[:kept]) for bits in factors]
    bits = wiring.bits_of(builder.raw(Mul, wide, kept))
    return builder.wire((wiring.zeros(low) + bits + bits[-1:] * width)[:width])


def _multiply_by_constant(builder: Builder, a: Op, factor: int, width: int) -> Op:
    """Shifts and adds while that is cheaper than a multiplier: up to three terms.
    Nothing is added where copies of the constant lie beside each other."""
    if wiring.is_constant(wiring.bits_of(a)):
        return constant(wiring.number(wiring.bits_of(a)) * factor, width)
    if (placed := _placed(wiring.bits_of(a), factor)) is not None:
        return builder.wire(placed)
    digits = _signed_digits(factor, width)
    if len(digits) > 3:
        fixed = wiring.constant_bits(factor, width)
        if wiring.is_sign_extended(wiring.bits_of(a)) or wiring.is_sign_extended(fixed):
            return _multiply_signed(builder, wiring.bits_of(a), fixed)
        return builder.raw(Mul, [a, constant(factor, width)], width)
    total = constant(0, width)
    for position, negative in digits:
        term = builder.wire((wiring.zeros(position) + wiring.bits_of(a))[:width])
        total = builder.build(Sub if negative else Add, [total, term], width)
    return total


def _placed(bits: Bits, factor: int) -> Bits | None:
    """The bits of a product of a constant with bits that stand alone, of each byte of a word as it
    may be: copies of the constant beside each other. None where some are no neighbours of zeros
    only, or two copies meet."""
    places = [i for i, bit in enumerate(bits) if not wiring.is_zero(bit)]
    if len(places) < 2 or any(b - a == 1 for a, b in pairwise(places)):
        return None
    found = list(wiring.zeros(len(bits)))
    for place in places:
        ones = [at for at in range(place, len(bits)) if factor >> (at - place) & 1]
        if not all(wiring.is_zero(found[at]) for at in ones):
            return None
        for at in ones:
            found[at] = bits[place]
    return tuple(found)


def _signed_digits(factor: int, width: int) -> list[tuple[int, bool]]:
    """Non-adjacent form: (position, negative) of each non-zero digit, the positives first."""
    digits = []
    position = 0
    while factor and position < width:
        if factor & 1:
            negative = factor & 3 == 3
            digits.append((position, negative))
            factor += 1 if negative else -1
        factor >>= 1
        position += 1
    return sorted(digits, key=lambda digit: digit[1])
