# SPDX-License-Identifier: Apache-2.0
"""Shifts. A known amount is wiring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tandem.ir import wiring
from tandem.ir.ops.c import as_signed, c_type
from tandem.ir.ops.circuit import Circuit, Wire
from tandem.ir.ops.op import Op, Range, mask, signed

if TYPE_CHECKING:
    from tandem.ir.builder import Builder


class Shift(Op):
    __slots__ = ()
    arity = 2
    delay_row = "shift"

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        result, amount = c_type(width), f"(uint64_t){uses[1]}"
        return f"{amount} < {width} ? ({result})({uses[0]} {cls.sign} {amount}) : ({result})0"

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        value, amount = operands
        bits, by = wiring.bits_of(value), wiring.bits_of(amount)
        width = len(bits)
        if not wiring.is_constant(by):
            if wiring.is_constant(bits) and wiring.number(bits) == 0:
                return value
            shortened = builder.wire(by[: max(1, len(by) - wiring.leading_zeros(by))])
            return builder.raw(cls, [value, shortened], width)
        count = min(wiring.number(by), width)
        if cls is Shl:
            return builder.wire((wiring.zeros(count) + bits)[:width])
        fill = bits[-1] if cls is AShr else 0
        return builder.wire((bits + (fill,) * count)[count:])

    def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
        return circuit.shift(self, wires[0], wires[1], name)


class Shl(Shift):
    __slots__ = ()
    slug, summary, sign = "shl", "shift left; 0 from the width up", "<<"
    comb = "shl"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] << v[1] if v[1] < width else 0

    def demands(self, wanted: int) -> list[int]:
        return [mask(wanted.bit_length()), mask(self.operands[1].width)]

    def bounds(self, ranges: Sequence[Range]) -> Range:
        (low, high), (least, most) = ranges
        # From the width up the result is 0, whatever the value.
        return (low << least, high << most) if most < self.width else super().bounds(ranges)


class LShr(Shift):
    __slots__ = ()
    slug, summary, sign = "lshr", "shift right, zeros enter", ">>"
    comb = "shru"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[0] >> min(v[1], w[0])

    def bounds(self, ranges: Sequence[Range]) -> Range:
        (low, high), (least, most) = ranges
        return low >> min(most, self.width), high >> min(least, self.width)


class AShr(Shift):
    __slots__ = ()
    slug, summary, sign = "ashr", "shift right, copies of the sign enter", ">>"
    comb = "shrs"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return signed(v[0], w[0]) >> min(v[1], w[0])

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        value, amount = as_signed(uses[0], width), f"(uint64_t){uses[1]}"
        return f"({c_type(width)})(({value}) >> ({amount} < {width} ? {amount} : {width - 1}))"
