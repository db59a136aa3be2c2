# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tandem.ir import wiring
from tandem.ir.ops.c import as_signed, c_type
from tandem.ir.ops.op import Op, Range, mask, signed
from tandem.ir.ops.shifts import LShr
from tandem.ir.ops.values import constant

if TYPE_CHECKING:
    from tandem.ir.builder import Builder


class Division(Op):
    """As C has it; a pass expands it."""

    __slots__ = ()
    arity, rule = 2, "same"
    is_signed: ClassVar[bool] = False
    is_remainder: ClassVar[bool] = False
    delay_row = "expanded before anything is scheduled"

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        result = c_type(width)
        if cls.is_signed:
            # One bit more, so that the least number by -1 does not overflow.
            wider = c_type(width + 1, True)
            uses = [f"(({wider})({as_signed(u, w)}))" for u, w in zip(uses, widths, strict=True)]
        return (
            f"{uses[1]} ? ({result})({uses[0]} {cls.sign} {uses[1]}) : {cls._by_zero(width, uses)}"
        )

    def bounds(self, ranges: Sequence[Range]) -> Range:
        (low, high), (least, most) = ranges
        if self.is_signed and max(high, most) >> self.width - 1:
            return super().bounds(ranges)
        if self.is_remainder:
            return 0, min(high, most - 1) if least else high
        return (low // most, high // least) if least else super().bounds(ranges)

    @classmethod
    def _by_zero(cls, width: int, uses: Sequence[str]) -> str:
        result = c_type(width)
        if cls.is_remainder:
            return f"({result}){uses[0]}"
        return f"({result})({uses[0]} < 0 ? 1 : -1)" if cls.is_signed else f"({result})-1"


class UDiv(Division):
    __slots__ = ()
    slug, summary = "udiv", "unsigned quotient; all ones when dividing by zero"
    sign = "/"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] // v[1] if v[1] else mask(w[0])

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        a, b = operands
        power = _power_of_two(b)
        if power is None:
            return super().fold(builder, [a, b], width)
        return builder.shift(LShr, a, constant(power, 8))


class URem(Division):
    __slots__ = ()
    slug, summary = "urem", "unsigned remainder; the dividend when dividing by zero"
    sign = "%"
    is_remainder = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] % v[1] if v[1] else v[0]

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        a, b = operands
        power = _power_of_two(b)
        if power is None:
            return super().fold(builder, [a, b], width)
        return builder.wire(wiring.bits_of(a)[:power] + wiring.zeros(width - power))


class SDiv(Division):
    __slots__ = ()
    slug, sign = "sdiv", "/"
    summary = "signed quotient, towards zero; by zero -1, or 1 for a negative dividend"
    is_signed = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        a, b = signed(v[0], w[0]), signed(v[1], w[1])
        if not b:
            return -1 if a >= 0 else 1
        return _divided(a, b)[0]


class SRem(Division):
    __slots__ = ()
    slug, summary, sign = "srem", "signed remainder, with the dividend's sign", "%"
    is_signed = is_remainder = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return _divided(signed(v[0], w[0]), signed(v[1], w[1]))[1] if v[1] else v[0]


def _divided(a: int, b: int) -> tuple[int, int]:
    quotient = abs(a) // abs(b)
    quotient = -quotient if (a < 0) != (b < 0) else quotient
    return quotient, a - b * quotient


class Divide(Op):
    """What hardware makes quotients and remainders of."""

    __slots__ = ()
    slug, arity = "divide", 2
    summary = (
        "the remainder, as wide as the divisor, above the quotient, as wide as the dividend, of "
        "unsigned numbers; by zero the dividend's lowest bits above the inverse of the others"
    )

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        if v[1]:
            quotient, remainder = divmod(v[0], v[1])
        else:  # as subtracting one bit after the other goes
            quotient, remainder = mask(w[0]) ^ v[0] >> w[1], v[0] & mask(w[1])
        return remainder << w[0] | quotient

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        result = c_type(width)
        a, b = (f"(({result}){use})" for use in uses)
        rest, quotient = f"({b} ? {a} % {b} : {a})", f"({b} ? {a} / {b} : ~({a} >> {widths[1]}))"
        parts = zip((quotient, rest), widths, (0, widths[0]), strict=True)
        return " | ".join(f"({result})({c_type(bits)}){part} << {low}" for part, bits, low in parts)


def _power_of_two(value: Op) -> int | None:
    """The exponent where `value` is a known power of two."""
    bits = wiring.bits_of(value)
    if not wiring.is_constant(bits) or sum(bits) != 1:
        return None
    return bits.index(1)
