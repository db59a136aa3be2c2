# SPDX-License-Identifier: Apache-2.0
"""Sums, products, quotients and shifts of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tandem.ir.ops.c import as_signed, c_type
from tandem.ir.ops.op import Op, mask, signed


class Sum(Op):
    """Modulo 2^width."""

    __slots__ = ()
    arity, rule = 2, "same"
    delay_row = "add"


class Add(Sum):
    __slots__ = ()
    slug, summary, sign = "add", "sum, modulo 2^width", "+"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] + v[1]


class Sub(Sum):
    __slots__ = ()
    slug, summary, sign = "sub", "difference, modulo 2^width", "-"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] - v[1]


class Mul(Op):
    __slots__ = ()
    slug, summary, sign = "mul", "product, modulo 2^width", "*"
    delay_row = "mul"
    arity, rule = 2, "same"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] * v[1]


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


class URem(Division):
    __slots__ = ()
    slug, summary = "urem", "unsigned remainder; the dividend when dividing by zero"
    sign = "%"
    is_remainder = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] % v[1] if v[1] else v[0]


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


class Shift(Op):
    __slots__ = ()
    arity = 2
    delay_row = "shift"

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        result, amount = c_type(width), f"(uint64_t){uses[1]}"
        return f"{amount} < {width} ? ({result})({uses[0]} {cls.sign} {amount}) : ({result})0"


class Shl(Shift):
    __slots__ = ()
    slug, summary, sign = "shl", "shift left; 0 from the width up", "<<"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] << v[1] if v[1] < width else 0


class LShr(Shift):
    __slots__ = ()
    slug, summary, sign = "lshr", "shift right, zeros enter", ">>"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] >> min(v[1], w[0])


class AShr(Shift):
    __slots__ = ()
    slug, summary, sign = "ashr", "shift right, copies of the sign enter", ">>"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return signed(v[0], w[0]) >> min(v[1], w[0])

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        value, amount = as_signed(uses[0], width), f"(uint64_t){uses[1]}"
        return f"({c_type(width)})(({value}) >> ({amount} < {width} ? {amount} : {width - 1}))"
