# SPDX-License-Identifier: Apache-2.0
"""Logic, bit by bit, and choices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from tandem.ir.ops.op import Op


class Logic(Op):
    """Of any number of operands."""

    __slots__ = ()
    rule = "same"
    delay_row = "logic"


class And(Logic):
    __slots__ = ()
    slug, summary, sign = "and", "bitwise and", "&"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return reduce(int.__and__, v)


class Or(Logic):
    __slots__ = ()
    slug, summary, sign = "or", "bitwise or", "|"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return reduce(int.__or__, v)


class Xor(Logic):
    __slots__ = ()
    slug, summary, sign = "xor", "bitwise exclusive or", "^"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return reduce(int.__xor__, v)


class Select(Op):
    __slots__ = ()
    slug, summary = "select", "the second operand if the first is 1, else the third"
    arity = 3
    delay_row = "select"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[1] if v[0] else v[2]

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        return f"{uses[0]} ? {uses[1]} : {uses[2]}"
