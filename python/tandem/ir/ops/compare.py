# SPDX-License-Identifier: Apache-2.0
"""Comparisons: operands of one width give a bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tandem.ir.ops.c import as_signed
from tandem.ir.ops.op import Op, signed


class Compare(Op):
    __slots__ = ()
    arity, rule = 2, "bit"
    delay_row = "lt"
    is_signed: ClassVar[bool] = False
    holds_of_equals: ClassVar[bool] = False

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        if cls.is_signed:
            uses = [f"({as_signed(u, w)})" for u, w in zip(uses, widths, strict=True)]
        return super().c(width, uses, widths)


class Equality(Compare):
    """Of operands in any order."""

    __slots__ = ()
    delay_row = "eq"


class Eq(Equality):
    __slots__ = ()
    slug, summary, sign = "eq", "equal", "=="
    holds_of_equals = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return int(v[0] == v[1])


class Ne(Equality):
    __slots__ = ()
    slug, summary, sign = "ne", "not equal", "!="

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return int(v[0] != v[1])


class ULt(Compare):
    __slots__ = ()
    slug, summary, sign = "ult", "unsigned less than", "<"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return int(v[0] < v[1])


class ULe(Compare):
    __slots__ = ()
    slug, summary, sign = "ule", "unsigned less or equal", "<="
    holds_of_equals = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return int(v[0] <= v[1])


class SLt(Compare):
    __slots__ = ()
    slug, summary, sign = "slt", "signed less than", "<"
    is_signed = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return int(signed(v[0], w[0]) < signed(v[1], w[1]))


class SLe(Compare):
    __slots__ = ()
    slug, summary, sign = "sle", "signed less or equal", "<="
    is_signed = holds_of_equals = True

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return int(signed(v[0], w[0]) <= signed(v[1], w[1]))


UNSIGNED: dict[type[Op], type[Compare]] = {Eq: Eq, Ne: Ne, ULt: ULt, ULe: ULe, SLt: ULt, SLe: ULe}
"""The same comparison of what both have no sign."""
SIGNED: dict[type[Op], type[Compare]] = {Eq: Eq, Ne: Ne, ULt: SLt, ULe: SLe, SLt: SLt, SLe: SLe}
"""... of what both have a sign."""
STRICT: dict[type[Op], type[Compare]] = {ULt: ULt, ULe: ULt, SLt: SLt, SLe: SLt}
"""The same order without equals."""
OPPOSITE: dict[type[Op], type[Compare]] = {Eq: Ne, Ne: Eq, ULt: ULe, ULe: ULt, SLt: SLe, SLe: SLt}
"""The comparison that holds where another one does not; of an order with its operands swapped."""
