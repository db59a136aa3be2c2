# SPDX-License-Identifier: Apache-2.0
"""expand-multiply: products wider than a multiplier block become sums of narrower products.

So the scheduler sees blocks and adders as they will be built, and can put registers between them.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir import wiring
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, Mul, Op
from tandem.ir.wiring import bits_of
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "expand-multiply"
SUMMARY = "split wide products into products of the target's multiplier blocks"


def run(kernel: Kernel, block_bits: int) -> bool:
    """Splits products whose operands have more than `block_bits` bits; whether there are any
    products."""

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if not isinstance(op, Mul):
            return remake(builder, op, operands)
        return multiply(builder, operands[0], operands[1], block_bits)

    if not any(isinstance(op, Mul) for _, op in kernel.ops()):
        return False
    return refold_and_tidy(kernel, change)


def multiply(builder: Builder, a: Op, b: Op, block_bits: int) -> Op:
    """The product modulo 2^width, from digits of `block_bits` bits. The highest digit of a number
    with a sign is signed: a multiplier block takes either."""
    width = a.width
    digits = [_digits(builder, value, block_bits) for value in (a, b)]
    if max(len(d) for d in digits) == 1:
        return builder.build(Mul, [a, b], width)
    terms = [
        (low, _product(builder, x, y, width - low))
        for i, x in enumerate(digits[0])
        for j, y in enumerate(digits[1])
        if (low := (i + j) * block_bits) < width
    ]
    return _sum(builder, terms, width)


@dataclass(frozen=True)
class _Digit:
    """A part of a factor, from 0 up or with a sign."""

    value: Op
    signed: bool = False


def _digits(builder: Builder, value: Op, size: int) -> list[_Digit]:
    bits = bits_of(value)
    used = wiring.multiplier_bits(bits)
    parts = [builder.wire(bits[i : min(i + size, used)]) for i in range(0, used, size)]
    return [*map(_Digit, parts[:-1]), _Digit(parts[-1], wiring.is_sign_extended(bits))]


def _product(builder: Builder, x: _Digit, y: _Digit, width: int) -> Op:
    """The product of two digits in `width` bits."""
    kept = min(x.value.width + y.value.width, width)
    wide = [builder.resize(d.value, kept, d.signed) for d in (x, y)]
    return builder.resize(builder.build(Mul, wide, kept), width, x.signed or y.signed)


def _sum(builder: Builder, terms: list[tuple[int, Op]], width: int) -> Op:
    """A balanced tree; neighbours in place value are added first."""
    placed = [
        builder.wire(wiring.zeros(low) + bits_of(t))
        for low, t in sorted(terms, key=lambda term: term[0])
    ]
    while len(placed) > 1:
        pairs = [placed[i : i + 2] for i in range(0, len(placed), 2)]
        placed = [builder.build(Add, p, width) if len(p) == 2 else p[0] for p in pairs]
    return placed[0]
