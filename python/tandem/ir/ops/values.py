# SPDX-License-Identifier: Apache-2.0
"""Values that no other values make, and bits by another name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tandem.ir.ops.op import Op, Range, mask

if TYPE_CHECKING:
    from tandem.ir.builder import Builder


class Constant(Op):
    __slots__ = ()
    slug, summary, arity = "constant", "a known value", 0


class ArgumentOp(Op):
    __slots__ = ()
    slug, summary, arity = "argument", "a scalar or block argument of the kernel", 0


class Parameter(Op):
    __slots__ = ()
    slug, summary, arity = "parameter", "a value that enters a block with the jump to it", 0


class Extract(Op):
    __slots__ = ()
    slug, summary, arity = "extract", "bits low .. low + width - 1", 1

    @property
    def low(self) -> int:
        """The operand's bit that is the result's lowest one."""
        return self.attributes["low"]

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        return builder.extract(operands[0], attributes["low"], width)

    def demands(self, wanted: int) -> list[int]:
        return [wanted << self.low]

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return ranges[0][0] >> self.low, ranges[0][1] >> self.low


class Concat(Op):
    __slots__ = ()
    slug, summary = "concat", "operands side by side, the first highest"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], _: int) -> int:
        result = 0
        for value, width in zip(v, w, strict=True):
            result = result << width | value
        return result

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        return builder.concat(*operands)

    def demands(self, wanted: int) -> list[int]:
        found, position = [], self.width
        for part in self.operands:
            position -= part.width
            found.append(wanted >> position & mask(part.width))
        return found

    def bounds(self, ranges: Sequence[Range]) -> Range:
        low = high = 0
        for part, found in zip(self.operands, ranges, strict=True):
            low, high = low << part.width | found[0], high << part.width | found[1]
        return low, high


WIRING = (Constant, Extract, Concat)
"""Operations that cost no logic: they only name bits."""


def constant(value: int, width: int) -> Op:
    """A constant of `width` bits; the value is taken modulo 2^width."""
    return Constant((), width, {"value": value & mask(width)})


def parameter_like(value: Op) -> Op:
    """A new parameter of the width, line and name of a value."""
    return Parameter((), value.width, line=value.line, name=value.name)


def is_same(a: Op, b: Op) -> bool:
    """Whether two values are one, or equal constants, which are as many objects as are made."""
    if a is b:
        return True
    are_constant = isinstance(a, Constant) and isinstance(b, Constant)
    return are_constant and (a.value, a.width) == (b.value, b.width)


def are_same(values: Sequence[Op], others: Sequence[Op]) -> bool:
    """Whether values are one with others, each with that of its place."""
    return values == others or (len(values) == len(others) and all(map(is_same, values, others)))


def is_computable(op: Op) -> bool:
    """Whether an operation's value follows from those of its operands."""
    return op.evaluate is not None or isinstance(op, Extract)


def computed(op: Op, operands: Sequence[int]) -> int:
    """The value of what `is_computable`."""
    if isinstance(op, Extract):
        return operands[0] >> op.low & mask(op.width)
    evaluate = type(op).evaluate
    assert evaluate is not None
    return evaluate(operands, [o.width for o in op.operands], op.width) & mask(op.width)
