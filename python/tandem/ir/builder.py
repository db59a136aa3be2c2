# SPDX-License-Identifier: Apache-2.0
"""Builds operations, simplifying each as it is made.

Every pass that rebuilds a kernel does so through a `Builder`: each operation folds as its class
says (known bits, wiring, narrowing by known zeros, tables narrowed to their live columns), and
equal ones are made once a block. A builder never changes an existing operation: one that comes out
as it was stays the same object, with all that is known of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tandem.ir import wiring
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    WIRING,
    Add,
    Compare,
    Concat,
    Constant,
    Extract,
    Logic,
    Op,
    Select,
    Shift,
    Sum,
    Xor,
    are_same,
    constant,
    mask,
)
from tandem.ir.wiring import Bit, Bits, bits_of

SEEN_THROUGH = (*WIRING, Sum, Xor, Select)
"""Operations below which folding looks: what becomes of others does not depend on their operands,
where it reads their results."""


class Builder:
    """Appends simplified operations to `block` of `kernel`."""

    def __init__(self, kernel: Kernel, block: Block, line: int = 0) -> None:
        self.kernel = kernel
        self.block = block
        self.line = line
        self.settled: list[Op] | None = None
        """Operands of which the operation that is to be made again was made, and nothing folds."""
        self.before: Op | None = None
        """The operation that is to be made again, which serves itself if it becomes what it is."""
        self._made: dict[Any, Op] = {}

    # -- plain making ---------------------------------------------------------------------------

    def raw(self, kind: type[Op], operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        """The operation as given; an equal pure one made before in this block serves again."""
        return self._add(kind, operands, width, attributes)

    def again(self, op: Op, operands: Sequence[Op]) -> Op:
        """The same of an operation with other operands, or those that it has."""
        if op is self.before and operands is op.operands:
            return self._keep(op)
        return self._add(type(op), operands, op.width, dict(op.attributes))

    def _keep(self, op: Op) -> Op:
        """The operation itself, or an equal one before it."""
        if op.pure:
            op.meaning = op.meaning or meaning(type(op), op.operands, op.width, op.attributes)
            made = self._made.setdefault(op.meaning, op)
            if made is not op:
                return made
        self.before = None
        self.block.ops.append(op)
        return op

    def _add(
        self, kind: type[Op], operands: Sequence[Op], width: int, attributes: dict[str, Any]
    ) -> Op:
        key = None
        if kind.pure:
            key = meaning(kind, operands, width, attributes)
            made = self._made.get(key)
            if made is not None:
                return made
        op = self.before
        if op is not None and _is_made_so(op, kind, operands, width, attributes):
            self.before = None
        else:
            op = kind(operands, width, attributes, self.line)
        self.block.ops.append(op)
        if key is not None:
            self._made[key] = op
        return op

    def wire(self, bits: Bits) -> Op:
        """A value with these bits: an existing one, or extracts and a concat."""
        first = bits[0]
        if type(first) is not int and first[1] == 0 and first[0].width == len(bits):
            source = first[0]
            if bits == bits_of(source):
                return source
        key = ("wire", bits)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._wire(bits)
        return made

    def _wire(self, bits: Bits) -> Op:
        parts = [self._segment(*segment) for segment in wiring.segments(bits)]
        if len(parts) == 1:
            return parts[0]
        return self.raw(Concat, parts[::-1], len(bits))

    def _segment(self, source: Op | None, low: int, width: int) -> Op:
        if source is None:
            return constant(low, width)
        if low == 0 and width == source.width:
            return source
        return self.raw(Extract, [source], width, low=low)

    # -- folding making -------------------------------------------------------------------------

    def build(self, kind: type[Op], operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        """The simplest value equal to the operation."""
        return kind.fold(self, operands, width, **attributes)

    def evaluated(
        self, kind: type[Op], operands: Sequence[Op], width: int, **attributes: Any
    ) -> Op:
        """The operation, or its value where those of its operands are known."""
        known = [bits_of(o) for o in operands]
        if kind.evaluate is None or not kind.pure or not all(map(wiring.is_constant, known)):
            return self.raw(kind, operands, width, **attributes)
        values, widths = [wiring.number(bits) for bits in known], [o.width for o in operands]
        return constant(kind.evaluate(values, widths, width), width)

    def logic(self, kind: type[Logic], operands: Sequence[Op]) -> Op:
        """and, or, xor of any number of operands of one width."""
        return kind.fold(self, operands, operands[0].width)

    def compare(self, kind: type[Compare], a: Op, b: Op) -> Op:
        """A comparison of operands of one width."""
        return kind.fold(self, [a, b], 1)

    def shift(self, kind: type[Shift], value: Op, amount: Op) -> Op:
        """A shift; the result is as wide as the value."""
        return kind.fold(self, [value, amount], value.width)

    def extract(self, value: Op, low: int, width: int) -> Op:
        """Bits low .. low + width - 1."""
        return self.wire(bits_of(value)[low : low + width])

    def concat(self, *parts: Op) -> Op:
        """The parts side by side, the first highest."""
        bits: list[Bit] = []
        for part in reversed(parts):
            bits += bits_of(part)
        return self.wire(tuple(bits))

    def resize(self, value: Op, width: int, is_signed: bool = False) -> Op:
        """Truncated, or extended by zeros or copies of the sign."""
        bits = bits_of(value)
        fill = bits[-1] if is_signed else 0
        return self.wire((bits + (fill,) * (width - len(bits)))[:width])

    def plus(self, value: Op, number: int) -> Op:
        """A value and a number, in the value's bits."""
        return self.build(Add, [value, constant(number, value.width)], value.width)

    def invert(self, value: Op) -> Op:
        """Every bit flipped."""
        return self.logic(Xor, [value, constant(mask(value.width), value.width)])


def _is_made_so(
    op: Op, kind: type[Op], operands: Sequence[Op], width: int, attributes: dict[str, Any]
) -> bool:
    return (
        type(op) is kind
        and op.width == width
        and are_same(op.operands, operands)
        and op.attributes == attributes
    )


def _in_order(attributes: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    if len(attributes) < 2:
        return tuple(attributes.items())
    return tuple(sorted(attributes.items(), key=lambda item: item[0]))


def meaning(kind: type[Op], operands: Sequence[Op], width: int, attributes: dict[str, Any]) -> Any:
    """What pure operations that compute the same of the same operands have in common."""
    read = [(o.value, o.width) if isinstance(o, Constant) else id(o) for o in operands]
    return kind, width, (frozenset if kind.commutes else tuple)(read), _in_order(attributes)
