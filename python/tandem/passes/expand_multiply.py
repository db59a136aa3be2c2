# SPDX-License-Identifier: Apache-2.0
"""expand-multiply: products wider than a multiplier block become sums of narrower products.

So the scheduler sees blocks and adders as they will be built, and can put registers between them.
"""

from __future__ import annotations

from tandem.ir import wiring
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Op, constant
from tandem.ir.wiring import bits_of
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "expand-multiply"
SUMMARY = "split wide products into products of the target's multiplier blocks"


def run(kernel: Kernel, block_bits: int) -> None:
    """Splits products whose operands have more than `block_bits` bits."""

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op.kind != "mul":
            return remake(builder, op, operands)
        return multiply(builder, operands[0], operands[1], block_bits)

    if any(op.kind == "mul" for _, op in kernel.ops()):
        rebuild(kernel, change)
        tidy(kernel)


def multiply(builder: Builder, a: Op, b: Op, block_bits: int) -> Op:
    """The product modulo 2^width, from digits of `block_bits` bits."""
    width = a.width
    digits = [_digits(builder, value, block_bits) for value in (a, b)]
    if max(len(d) for d in digits) == 1:
        return builder.build("mul", [a, b], width)
    terms: list[tuple[int, Op]] = []
    for i, x in enumerate(digits[0]):
        for j, y in enumerate(digits[1]):
            low = (i + j) * block_bits
            if low < width:
                kept = min(x.width + y.width, width - low)
                wide = [builder.resize(v, kept) for v in (x, y)]
                terms.append((low, builder.build("mul", wide, kept)))
    return _sum(builder, terms, width)


def _digits(builder: Builder, value: Op, size: int) -> list[Op]:
    bits = bits_of(value)
    used = max(1, len(bits) - wiring.leading_zeros(bits))
    return [builder.wire(bits[i : min(i + size, used)]) for i in range(0, used, size)]


def _sum(builder: Builder, terms: list[tuple[int, Op]], width: int) -> Op:
    """A balanced tree; neighbours in place value are added first."""
    zero = constant(0, width)
    placed = [
        builder.wire((bits_of(zero)[:low] + bits_of(t) + bits_of(zero))[:width])
        for low, t in sorted(terms, key=lambda term: term[0])
    ]
    while len(placed) > 1:
        pairs = [placed[i : i + 2] for i in range(0, len(placed), 2)]
        placed = [builder.build("add", p, width) if len(p) == 2 else p[0] for p in pairs]
    return placed[0]
