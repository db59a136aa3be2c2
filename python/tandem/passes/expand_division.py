# SPDX-License-Identifier: Apache-2.0
"""expand-division: quotients and remainders become products, or a subtraction a bit.

A divider in one operation would be slower than any clock. In a pipelined loop it is a chain of
steps: the scheduler puts its registers where they are needed, and a new division starts every
cycle. Elsewhere the steps come one after the other anyway, and one piece of hardware does them all
(`divide`). So it does in loops that are told, where iterations are far apart for other reasons.

By a known divisor a quotient is a product: x / d is (x * m) >> s, where m is 2^s / d rounded up and
2^s is so large that the rounding of m never shows. Powers of two are wiring.
"""

from __future__ import annotations

from collections.abc import Collection

from tandem import policy
from tandem.ir import wiring
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import (
    Add,
    AShr,
    Divide,
    Division,
    Eq,
    LShr,
    Mul,
    Op,
    Or,
    Select,
    Sub,
    Xor,
    constant,
    mask,
    signed,
)
from tandem.ir.wiring import Bit, bits_of
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "expand-division"
SUMMARY = "turn division and remainder into products, or a subtraction a bit"


def run(kernel: Kernel, bit_by_bit: Collection[LoopId] = ()) -> bool:
    """Expands every division that is left; whether there was any. `bit_by_bit`: loops that are not
    to be filled with chains."""
    if not any(isinstance(op, Division) for _, op in kernel.ops()):
        return False
    chained = {
        op: block.loop
        for block in kernel.blocks
        if block.is_loop and block.loop not in bit_by_bit
        for op in block.ops
        if isinstance(op, Division)
    }

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if not isinstance(op, Division):
            return remake(builder, op, operands)
        if op in chained and _known(operands[1], False) is None:
            kernel.divisions.add(chained[op])
        return _expand(builder, op, operands, op in chained)

    told = {b.loop for b in kernel.blocks if b.is_loop and b.loop in bit_by_bit and _divides(b)}
    rebuild(kernel, change)
    kernel.deeds += [Deed(SLUG, loop) for loop in sorted(told)]
    tidy(kernel)
    return True


def _divides(block: Block) -> bool:
    """Whether a loop divides by what is not known."""
    return any(
        isinstance(op, Division) and _known(op.operands[1], False) is None for op in block.ops
    )


def _expand(builder: Builder, op: Division, operands: list[Op], chained: bool) -> Op:
    a, b = operands
    remainder = op.is_remainder
    divisor = _known(b, op.is_signed)
    if divisor:
        quotient = _by_known(builder, a, divisor, op.is_signed)
        return _rest(builder, a, quotient, b) if remainder else quotient
    if not op.is_signed:
        return _unsigned(builder, a, b, chained)[int(remainder)]
    return _signed(builder, a, b, remainder, chained)


# -- by a known divisor -------------------------------------------------------------------------


def _known(divisor: Op, is_signed: bool) -> int | None:
    """The divisor as a number; None if it is not known."""
    value = wiring.known_number(divisor)
    return signed(value, divisor.width) if is_signed and value is not None else value


def _rest(builder: Builder, a: Op, quotient: Op, divisor: Op) -> Op:
    product = builder.build(Mul, [quotient, divisor], a.width)
    return builder.build(Sub, [a, product], a.width)


def _by_known(builder: Builder, a: Op, divisor: int, is_signed: bool) -> Op:
    """The quotient by a number other than 0."""
    power, odd = _factors(abs(divisor))
    if is_signed and odd == 1:
        quotient = _signed_by_power(builder, a, power)
    elif is_signed:
        quotient = _signed_by_number(builder, a, abs(divisor))
    else:
        high = builder.shift(LShr, a, constant(power, a.width.bit_length()))
        quotient = high if odd == 1 else _by_odd(builder, high, odd)
    if divisor < 0:
        quotient = builder.build(Sub, [constant(0, a.width), quotient], a.width)
    return quotient


def _factors(number: int) -> tuple[int, int]:
    """The exponent of two in a number, and the odd rest."""
    power = (number & -number).bit_length() - 1
    return power, number >> power


def _signed_by_power(builder: Builder, a: Op, power: int) -> Op:
    """A shift rounds down; to round towards zero, a negative dividend gets 2^power - 1 more."""
    low = builder.resize(builder.wire(bits_of(a)[-1:] * power), a.width) if power else None
    raised = builder.build(Add, [a, low], a.width) if low is not None else a
    return builder.shift(AShr, raised, constant(power, a.width.bit_length()))


def _by_odd(builder: Builder, a: Op, divisor: int) -> Op:
    used = max(1, a.width - wiring.leading_zeros(bits_of(a)))
    factor, shift = reciprocal(divisor, mask(used))
    width = used + factor.bit_length()
    product = builder.build(Mul, [builder.resize(a, width), constant(factor, width)], width)
    return builder.resize(builder.shift(LShr, product, constant(shift, 32)), a.width)


def _signed_by_number(builder: Builder, a: Op, divisor: int) -> Op:
    """Of a negative dividend the product is rounded down to the quotient less 1."""
    used = wiring.signed_width(bits_of(a))
    factor, shift = reciprocal(divisor, 1 << used - 1)
    width = used + factor.bit_length() + 1
    product = builder.build(Mul, [builder.resize(a, width, True), constant(factor, width)], width)
    down = builder.resize(builder.shift(AShr, product, constant(shift, 32)), a.width, True)
    sign = builder.resize(builder.wire(bits_of(a)[-1:]), a.width)
    return builder.build(Add, [down, sign], a.width)


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


def _signed(builder: Builder, a: Op, b: Op, remainder: bool, chained: bool) -> Op:
    """Magnitudes are divided; the remainder has the dividend's sign."""
    sign_a, sign_b = (builder.extract(v, v.width - 1, 1) for v in (a, b))
    sizes = _negated(builder, a, sign_a), _negated(builder, b, sign_b)
    parts = _unsigned(builder, *sizes, chained)
    if remainder:
        return _negated(builder, parts[1], sign_a)
    return _negated(builder, parts[0], builder.logic(Xor, [sign_a, sign_b]))


def _negated(builder: Builder, value: Op, condition: Op) -> Op:
    negative = builder.build(Sub, [constant(0, value.width), value], value.width)
    return builder.build(Select, [condition, negative, value], value.width)


def _unsigned(builder: Builder, a: Op, b: Op, chained: bool) -> tuple[Op, Op]:
    """(quotient, remainder) of unsigned numbers; all ones and the dividend when dividing by
    zero."""
    width = a.width
    used = max(1, width - wiring.leading_zeros(bits_of(a)))
    size = max(1, width - wiring.leading_zeros(bits_of(b)))
    operands = [builder.extract(a, 0, used), builder.extract(b, 0, size)]
    if chained or used <= policy.CHAINED_QUOTIENT_BITS:
        both = divide_in_chain(builder, *operands)
    else:
        both = builder.build(Divide, operands, used + size)
    by_zero = builder.compare(Eq, b, constant(0, width))
    high = (bits_of(by_zero)[0],) * (width - used)
    result = builder.wire(bits_of(both)[:used] + high)
    remainder = builder.resize(builder.extract(both, used, size), width)
    if size < width:  # a rest of `size` bits is enough for every divisor but 0
        everywhere = builder.wire(bits_of(by_zero) * width)
        result = builder.logic(Or, [result, everywhere])
        remainder = builder.build(Select, [by_zero, a, remainder], width)
    return result, remainder


def divide_in_chain(builder: Builder, a: Op, b: Op) -> Op:
    """What `divide` is, as operations of other kinds: the highest bit of the quotient first."""
    size = b.width
    divisor = builder.resize(b, size + 1)
    rest = constant(0, size)
    quotient: list[Bit] = []
    for bit in reversed(bits_of(a)):
        taken = builder.concat(rest, builder.wire((bit,)))
        difference = builder.build(Sub, [taken, divisor], size + 1)
        borrow = builder.extract(difference, size, 1)
        fits = builder.invert(borrow)
        rest = builder.build(
            Select,
            [fits, builder.extract(difference, 0, size), builder.extract(taken, 0, size)],
            size,
        )
        quotient.append(bits_of(fits)[0])
    return builder.wire(tuple(reversed(quotient)) + bits_of(rest))
