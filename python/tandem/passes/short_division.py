# SPDX-License-Identifier: Apache-2.0
"""short-division: what is less than twice its divisor is compared with it.

`place = (place + 1) % 10` goes round a buffer: the number is at most 10, so that the quotient is 0
or 1, and the remainder the number or what is left of it. And what is never negative is divided as a
number without a sign.

Requires: simplify (known divisors are constants).
"""

from __future__ import annotations

from tandem.analysis.range_rules import range_of
from tandem.analysis.ranges import ranges_of
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Division, Op, Range, Select, Sub, UDiv, ULe, URem, constant, mask
from tandem.ir.wiring import bits_of, known_number
from tandem.passes.rebuild import refold, remake

SLUG = "short-division"
SUMMARY = "compare what is less than twice its divisor"


def run(kernel: Kernel) -> bool:
    """Whether there was such a division."""
    if not any(isinstance(op, Division) for _, op in kernel.ops()):
        return False
    ranges = ranges_of(kernel)

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        shorter = None
        if isinstance(op, Division):
            dividend = range_of(bits_of(op.operands[0]), ranges) or (0, mask(op.width))
            shorter = _shorter(builder, op, operands, dividend)
        return shorter or remake(builder, op, operands)

    return refold(kernel, change)


def _shorter(builder: Builder, op: Division, operands: list[Op], dividend: Range) -> Op | None:
    """A quotient, or a remainder, in another way; None where there is none."""
    value, divisor = operands[0], known_number(operands[1])
    half = 1 << op.width - 1
    if not divisor or (op.is_signed and max(dividend[1], divisor) >= half):
        return None
    if dividend[1] >= 2 * divisor:
        kind = URem if op.is_remainder else UDiv
        return builder.build(kind, operands, op.width) if op.is_signed else None
    is_once = builder.compare(ULe, constant(divisor, op.width), value)
    if not op.is_remainder:
        return builder.resize(is_once, op.width)
    rest = builder.build(Sub, [value, constant(divisor, op.width)], op.width)
    return builder.build(Select, [is_once, rest, value], op.width)
