# SPDX-License-Identifier: Apache-2.0
"""narrow-signs: sums, logic and choices of numbers that only repeat their sign above some bit.

`int` widened to 64 bits for an index, plus one, is 33 bits and copies of the last. narrow-widths
sees what is zero and what nobody reads; this is what it leaves. After all passes that take sums
apart, which a sign in between would stop.

Requires: narrow-widths.
"""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Op
from tandem.ir.operations import LOGIC, MAX_WIDTH_BITS
from tandem.ir.wiring import bits_of, signed_width
from tandem.passes.narrow_widths import index_widths
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "narrow-signs"
SUMMARY = "compute numbers that are short with their sign without the copies of it"

SUMS = ("add", "sub")
KINDS = LOGIC | {*SUMS, "select"}


def run(kernel: Kernel) -> bool:
    """Narrows all but what indices of loops are made of; whether there is anything to narrow."""
    indices = index_widths(kernel)
    if not any(_width(op.kind, op.operands) < op.width for _, op in kernel.ops()):
        return False

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op in indices or _width(op.kind, operands) >= op.width:
            return remake(builder, op, operands)
        return _narrowed(builder, op, operands)

    rebuild(kernel, change)
    tidy(kernel)
    return True


def _width(kind: str, operands: list[Op]) -> int:
    """Below how many bits of a result its sign is repeated, as far as the operands tell."""
    if kind not in KINDS:
        return MAX_WIDTH_BITS
    values = operands[1:] if kind == "select" else operands
    return max(signed_width(bits_of(value)) for value in values) + (kind in SUMS)


def _narrowed(builder: Builder, op: Op, operands: list[Op]) -> Op:
    width = _width(op.kind, operands)
    kept = 1 if op.kind == "select" else 0
    values = [builder.extract(value, 0, width) for value in operands[kept:]]
    made = builder.build(op.kind, operands[:kept] + values, width)
    return builder.resize(made, op.width, is_signed=True)
