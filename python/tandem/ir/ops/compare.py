# SPDX-License-Identifier: Apache-2.0
"""Comparisons: operands of one width give a bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tandem.ir import wiring
from tandem.ir.ops.c import as_signed
from tandem.ir.ops.circuit import Circuit, Wire
from tandem.ir.ops.logic import Select, Xor, inverse_of
from tandem.ir.ops.op import Op, signed
from tandem.ir.ops.sums import Add
from tandem.ir.ops.values import Constant, constant

if TYPE_CHECKING:
    from tandem.ir.builder import Builder
    from tandem.ir.wiring import Bit, Bits


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

    def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
        return circuit.compare(self, wires[0], wires[1], name)

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        a, b = operands
        x, y = wiring.bits_of(a), wiring.bits_of(b)
        if wiring.is_constant(x) and wiring.is_constant(y):
            return super().fold(builder, [a, b], 1)
        if x == y:
            return constant(int(cls.holds_of_equals), 1)
        if wiring.is_constant(y) and _has_known_case(a):
            condition, *cases = a.operands
            found = [builder.compare(cls, case, b) for case in cases]
            return builder.build(Select, [condition, *found], 1)
        if wiring.is_constant(x) and _has_known_case(b):
            condition, *cases = b.operands
            found = [builder.compare(cls, a, case) for case in cases]
            return builder.build(Select, [condition, *found], 1)
        return cls._simplest(builder, a, b)

    @classmethod
    def _simplest(cls, builder: Builder, a: Op, b: Op) -> Op:
        """Where both are not known, and not one."""
        return _compare_order(builder, cls, wiring.bits_of(a), wiring.bits_of(b))


class Equality(Compare):
    """Of operands in any order."""

    __slots__ = ()
    delay_row = "eq"

    @classmethod
    def _simplest(cls, builder: Builder, a: Op, b: Op) -> Op:
        found = _compare_sum(builder, cls, a, b)
        return found or _compare_equal(builder, cls, wiring.bits_of(a), wiring.bits_of(b))


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


def _compare_sum(builder: Builder, kind: type[Compare], a: Op, b: Op) -> Op | None:
    """A sum with a constant is not waited for: `x + 1 == 3` is `x == 2`."""
    if wiring.is_constant(wiring.bits_of(a)):
        a, b = b, a
    if not isinstance(a, Add) or not wiring.is_constant(wiring.bits_of(b)):
        return None
    x, added = a.operands
    if not wiring.is_constant(wiring.bits_of(added)):
        return None
    rest = wiring.number(wiring.bits_of(b)) - wiring.number(wiring.bits_of(added))
    return builder.compare(kind, x, constant(rest, a.width))


def _compare_equal(builder: Builder, kind: type[Compare], x: Bits, y: Bits) -> Op:
    rest = [i for i, (p, q) in enumerate(zip(x, y, strict=True)) if p != q]
    if any(type(x[i]) is int and type(y[i]) is int for i in rest):
        return constant(int(kind is Ne), 1)
    pairs = dict.fromkeys((x[i], y[i]) for i in rest)
    upright = dict.fromkeys(_upright(p, q) for p, q in pairs)
    if any(type(q) is int and (p, 1 - q) in upright for p, q in upright):
        return constant(int(kind is Ne), 1)
    if len(upright) < len(pairs):  # else a value that is known as a whole may be hidden
        pairs = upright
    a, b = (builder.wire(bits) for bits in zip(*pairs, strict=True))
    if len(pairs) == 1:
        differ = builder.logic(Xor, [a, b])
        return differ if kind is Ne else builder.invert(differ)
    return builder.raw(kind, [a, b], 1)


def _upright(p: Bit, q: Bit) -> tuple[Bit, Bit]:
    """Two bits that are compared; one that is compared with a known one without inverters."""
    if type(p) is int:
        p, q = q, p
    while type(q) is int and (plain := inverse_of(p)) is not None:
        p, q = plain, 1 - q
    return p, q


def _compare_order(builder: Builder, kind: type[Compare], x: Bits, y: Bits) -> Op:
    if kind.is_signed and wiring.is_zero(x[-1]) and wiring.is_zero(y[-1]):
        kind = UNSIGNED[kind]
    if not kind.is_signed:
        while len(x) > 1 and x[-1] == y[-1] and type(x[-1]) is type(y[-1]):
            x, y = x[:-1], y[:-1]
    while kind.is_signed and len(x) > 1 and _repeats_sign(x) and _repeats_sign(y):
        x, y = x[:-1], y[:-1]
    if kind is ULt and wiring.is_constant(y) and wiring.number(y) == 0:
        return constant(0, 1)
    if kind is ULe and wiring.is_constant(x) and wiring.number(x) == 0:
        return constant(1, 1)
    return builder.raw(kind, [builder.wire(x), builder.wire(y)], 1)


def _repeats_sign(bits: Bits) -> bool:
    """Whether the highest bit is a copy of the one below it, so that it may go."""
    return bits[-1] == bits[-2] and type(bits[-1]) is type(bits[-2])


def _has_known_case(value: Op) -> bool:
    """Whether it is a choice with a constant, which comparing with a constant need not wait for."""
    return isinstance(value, Select) and any(isinstance(o, Constant) for o in value.operands[1:])
