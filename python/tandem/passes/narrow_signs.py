# SPDX-License-Identifier: Apache-2.0
"""narrow-signs: operations on numbers that only repeat their sign above some bit.

`int` widened to 64 bits for an index, plus one, is 33 bits and copies of the last. narrow-widths
sees what is zero and what nobody reads; this is what it leaves: sums, logic and choices are made
without the copies, and numbers are compared without them. After all passes that take sums apart,
which a sign in between would stop.

Requires: narrow-widths.
"""

from __future__ import annotations

from collections.abc import Mapping

from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import MAX_WIDTH_BITS, Compare, Logic, Op, Select, Sum
from tandem.ir.wiring import Bit, Bits, bits_of, signed_width
from tandem.passes.narrow_widths import index_widths
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "narrow-signs"
SUMMARY = "compute and compare numbers that are short with their sign without its copies"

KINDS = (Logic, Compare, Sum, Select)


def run(kernel: Kernel) -> bool:
    """Narrows all but what indices of loops are made of; whether there is anything to narrow."""
    indices = index_widths(kernel)
    widths = _signed_widths(kernel)
    if not widths:
        return False

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if isinstance(op, Compare) and widths.get(op, MAX_WIDTH_BITS) < operands[0].width:
            return builder.compare(type(op), *(builder.extract(o, 0, widths[op]) for o in operands))
        if op in indices or _width(type(op), operands) >= op.width:
            return remake(builder, op, operands)
        return _narrowed(builder, op, operands)

    return refold_and_tidy(kernel, change)


def _signed_widths(kernel: Kernel) -> dict[Op, int]:
    """Above how many bits of operations, or of what a comparison compares, the sign is repeated;
    of those of which it is."""
    found: dict[Op, int] = {}
    for _, op in kernel.ops():
        width = _width(type(op), op.operands, found)
        if width < (op.operands[0].width if isinstance(op, Compare) else op.width):
            found[op] = width
    return found


NOTHING_KNOWN: Mapping[Op, int] = {}


def _width(kind: type[Op], operands: list[Op], known: Mapping[Op, int] = NOTHING_KNOWN) -> int:
    """Above how many bits of a result, or of what is compared, its sign is repeated, as far as the
    operands tell, and what is known of other operations."""
    if not issubclass(kind, KINDS):
        return MAX_WIDTH_BITS
    values = operands[1:] if kind is Select else operands
    return max(_without_copies(bits_of(value), known) for value in values) + issubclass(kind, Sum)


def _without_copies(bits: Bits, known: Mapping[Op, int]) -> int:
    """How many bits of a number are more than copies of its sign."""
    count = signed_width(bits)
    while count > 1 and _copies(bits[count - 1], bits[count - 2], known):
        count -= 1
    return count


def _copies(bit: Bit, lower: Bit, known: Mapping[Op, int]) -> bool:
    """Whether both are copies of one number's sign, or it and a copy of it."""
    if type(bit) is int or type(lower) is int or bit[0] is not lower[0]:
        return False
    return min(bit[1], lower[1]) >= known.get(bit[0], bit[0].width) - 1


def _narrowed(builder: Builder, op: Op, operands: list[Op]) -> Op:
    width = _width(type(op), operands)
    kept = 1 if isinstance(op, Select) else 0
    values = [builder.extract(value, 0, width) for value in operands[kept:]]
    made = builder.build(type(op), operands[:kept] + values, width)
    return builder.resize(made, op.width, is_signed=True)
