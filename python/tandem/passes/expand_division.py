# SPDX-License-Identifier: Apache-2.0
"""expand-division: quotients and remainders become one subtraction a bit.

A divider in one operation would be slower than any clock; as a chain of steps the scheduler puts
its registers where they are needed, and a pipelined loop takes a new division every cycle.

By a known divisor a quotient is a product: x / d is (x * m) >> s, where m is 2^s / d rounded up and
2^s is so large that the rounding of m never shows. Powers of two are wiring.
"""

from __future__ import annotations

from tandem.ir import wiring
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Op, constant
from tandem.ir.operations import DIVIDE, mask, signed
from tandem.ir.wiring import bits_of
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "expand-division"
SUMMARY = "turn division and remainder into products, or a chain of subtractions"


def run(kernel: Kernel) -> bool:
    """Expands every division that is left; whether there was any."""
    if not any(op.kind in DIVIDE for _, op in kernel.ops()):
        return False
    rebuild(kernel, _change)
    tidy(kernel)
    return True


def _change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    if op.kind not in DIVIDE:
        return remake(builder, op, operands)
    a, b = operands
    remainder = op.kind.endswith("rem")
    divisor = _known(b, op.kind[0] == "s")
    if divisor:
        quotient = _by_known(builder, a, divisor, op.kind[0] == "s")
        return _rest(builder, a, quotient, b) if remainder else quotient
    if op.kind[0] == "u":
        return divide(builder, a, b)[int(remainder)]
    return _signed(builder, a, b, remainder)


# -- by a known divisor -------------------------------------------------------------------------


def _known(divisor: Op, is_signed: bool) -> int | None:
    """The divisor as a number; None if it is not known."""
    bits = bits_of(divisor)
    if not wiring.is_constant(bits):
        return None
    value = wiring.number(bits)
    return signed(value, divisor.width) if is_signed else value


def _rest(builder: Builder, a: Op, quotient: Op, divisor: Op) -> Op:
    product = builder.build("mul", [quotient, divisor], a.width)
    return builder.build("sub", [a, product], a.width)


def _by_known(builder: Builder, a: Op, divisor: int, is_signed: bool) -> Op:
    """The quotient by a number other than 0."""
    power, odd = _factors(abs(divisor))
    if is_signed and odd == 1:
        quotient = _signed_by_power(builder, a, power)
    elif is_signed:
        quotient = _signed_by_number(builder, a, abs(divisor))
    else:
        high = builder.shift("lshr", a, constant(power, a.width.bit_length()))
        quotient = high if odd == 1 else _by_odd(builder, high, odd)
    if divisor < 0:
        quotient = builder.build("sub", [constant(0, a.width), quotient], a.width)
    return quotient


def _factors(number: int) -> tuple[int, int]:
    """The exponent of two in a number, and the odd rest."""
    power = (number & -number).bit_length() - 1
    return power, number >> power


def _signed_by_power(builder: Builder, a: Op, power: int) -> Op:
    """A shift rounds down; to round towards zero, a negative dividend gets 2^power - 1 more."""
    low = builder.resize(builder.wire(bits_of(a)[-1:] * power), a.width) if power else None
    raised = builder.build("add", [a, low], a.width) if low is not None else a
    return builder.shift("ashr", raised, constant(power, a.width.bit_length()))


def _by_odd(builder: Builder, a: Op, divisor: int) -> Op:
    used = max(1, a.width - wiring.leading_zeros(bits_of(a)))
    factor, shift = reciprocal(divisor, mask(used))
    width = used + factor.bit_length()
    product = builder.build("mul", [builder.resize(a, width), constant(factor, width)], width)
    return builder.resize(builder.shift("lshr", product, constant(shift, 32)), a.width)


def _signed_by_number(builder: Builder, a: Op, divisor: int) -> Op:
    """Of a negative dividend the product is rounded down to the quotient less 1."""
    used = wiring.signed_width(bits_of(a))
    factor, shift = reciprocal(divisor, 1 << used - 1)
    width = used + factor.bit_length() + 1
    product = builder.build("mul", [builder.resize(a, width, True), constant(factor, width)], width)
    down = builder.resize(builder.shift("ashr", product, constant(shift, 32)), a.width, True)
    sign = builder.resize(builder.wire(bits_of(a)[-1:]), a.width)
    return builder.build("add", [down, sign], a.width)


def reciprocal(divisor: int, largest: int) -> tuple[int, int]:
    """(m, s) with  x * m >> s == x // divisor  for every x up to `largest`.

    With m = (2^s + e) / divisor, x * m / 2^s is x / divisor + x * e / (divisor * 2^s). The quotient
    is right as long as the second part is less than 1 / divisor, which the first is short of the
    next number at least: x * e < 2^s. As e < divisor, this holds for a large enough s."""
    shift = 0
    while True:
        factor = -(-(1 << shift) // divisor)
        if largest * (factor * divisor - (1 << shift)) < 1 << shift:
            return factor, shift
        shift += 1


# -- by any divisor -----------------------------------------------------------------------------


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
