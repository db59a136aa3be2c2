# SPDX-License-Identifier: Apache-2.0
"""expand-division: quotients and remainders become one subtraction a bit.

A divider in one operation would be slower than any clock; as a chain of steps the scheduler puts
its registers where they are needed, and a pipelined loop takes a new division every cycle.
"""

from __future__ import annotations

from tandem.ir import wiring
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Op, constant
from tandem.ir.operations import DIVIDE
from tandem.ir.wiring import bits_of
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "expand-division"
SUMMARY = "turn division and remainder into a chain of subtractions"


def run(kernel: Kernel) -> None:
    """Expands every division that is left."""
    if any(op.kind in DIVIDE for _, op in kernel.ops()):
        rebuild(kernel, _change)
        tidy(kernel)


def _change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    if op.kind not in DIVIDE:
        return remake(builder, op, operands)
    a, b = operands
    remainder = op.kind.endswith("rem")
    if op.kind[0] == "u":
        return divide(builder, a, b)[int(remainder)]
    return _signed(builder, a, b, remainder)


def _signed(builder: Builder, a: Op, b: Op, remainder: bool) -> Op:
    """Magnitudes are divided; the remainder has the dividend's sign."""
    sign_a, sign_b = (builder.extract(v, v.width - 1, 1) for v in (a, b))
    parts = divide(builder, _negated(builder, a, sign_a), _negated(builder, b, sign_b))
    if remainder:
        return _negated(builder, parts[1], sign_a)
    return _negated(builder, parts[0], builder.logic("xor", [sign_a, sign_b]))


def _negated(builder: Builder, value: Op, condition: Op) -> Op:
    negative = builder.build("sub", [constant(0, value.width), value], value.width)
    return builder.build("select", [condition, negative, value], value.width)


def divide(builder: Builder, a: Op, b: Op) -> tuple[Op, Op]:
    """(quotient, remainder) of unsigned numbers, highest bit first; all ones and the dividend when
    dividing by zero."""
    width = a.width
    bits = bits_of(a)
    used = width - wiring.leading_zeros(bits)
    size = max(1, width - wiring.leading_zeros(bits_of(b)))
    divisor = builder.resize(b, size + 1)
    rest = constant(0, size)
    quotient: list = []
    for i in reversed(range(used)):
        taken = builder.concat(rest, builder.wire((bits[i],)))
        difference = builder.build("sub", [taken, divisor], size + 1)
        borrow = builder.extract(difference, size, 1)
        fits = builder.invert(borrow)
        rest = builder.build(
            "select",
            [fits, builder.extract(difference, 0, size), builder.extract(taken, 0, size)],
            size,
        )
        quotient.append(bits_of(fits)[0])
    by_zero = builder.compare("eq", b, constant(0, width))
    high = (bits_of(by_zero)[0],) * (width - used)
    result = builder.wire(tuple(reversed(quotient)) + high)
    remainder = builder.resize(rest, width)
    if size < width:  # a rest of `size` bits is enough for every divisor but 0
        everywhere = builder.wire(bits_of(by_zero) * width)
        result = builder.logic("or", [result, everywhere])
        remainder = builder.build("select", [by_zero, a, remainder], width)
    return result, remainder
