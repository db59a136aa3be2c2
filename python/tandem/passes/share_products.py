# SPDX-License-Identifier: Apache-2.0
"""share-products: `x * y` once for `(x - 1) * y`, `x * y` and `(x + 1) * y`.

The rows of an image above and below one start at products that differ by a row. Of products in one
block whose factors differ by a power of two, the first is a product, and the others are a sum with
it.
"""

from __future__ import annotations

from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, Constant, Mul, Op, constant, mask
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "share-products"
SUMMARY = "make sums of products whose factors differ by a constant"

Shared = tuple[Op, Op, int]
"""Another product, a factor of both, and how many times that is to be added (modulo the width)."""


def run(kernel: Kernel) -> bool:
    """Whether any product has become a sum."""
    shared = {op: way for block in kernel.blocks for op, way in _shared(block).items()}
    if not shared:
        return False
    new_of: dict[Op, Op] = {}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op not in shared:
            made = remake(builder, op, operands)
            if isinstance(op, Mul) and made is not None:
                new_of[op] = made
            return made
        first, factor, times = shared[op]
        same = operands[op.operands.index(factor)]
        part = builder.build(Mul, [same, constant(times, op.width)], op.width)
        return builder.build(Add, [new_of[first], part], op.width)

    rebuild(kernel, change)
    tidy(kernel)
    return True


def _shared(block: Block) -> dict[Op, Shared]:
    """The products of a block that another one serves."""
    first: dict[tuple[Op, Op], tuple[Op, int]] = {}
    found: dict[Op, Shared] = {}
    for op in block.ops:
        if not isinstance(op, Mul) or any(isinstance(factor, Constant) for factor in op.operands):
            continue
        ways = [(*_base(a), b) for a, b in (op.operands, op.operands[::-1])]
        for base, offset, factor in ways:
            other, there = first.get((base, factor), (op, offset))
            times = (offset - there) & mask(op.width)
            if other is not op and _is_power(times, op.width):
                found[op] = (other, factor, times)
                break
        else:
            for base, offset, factor in ways:
                first.setdefault((base, factor), (op, offset))
    return found


def _base(factor: Op) -> tuple[Op, int]:
    """What a constant is added to, and the constant."""
    if isinstance(factor, Add):
        value, other = factor.operands
        if isinstance(other, Constant):
            return value, other.value
        if isinstance(value, Constant):
            return other, value.value
    return factor, 0


def _is_power(number: int, width: int) -> bool:
    """Whether a number or its negative is a power of two."""
    return number.bit_count() == 1 or (-number & mask(width)).bit_count() == 1
