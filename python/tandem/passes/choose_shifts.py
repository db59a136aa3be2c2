# SPDX-License-Identifier: Apache-2.0
"""choose-shifts: a shift by a few bits of an amount is as many choices.

Where the other bits of the amount are known, a shifter would take as long as for all of them. What
is left of it is a select for each bit that is not known, the largest shift first, in less time at
any clock.

Last, as what a shift computes is seen in it.
"""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, Select, Shift, constant
from tandem.ir.wiring import bits_of
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "choose-shifts"
SUMMARY = "make shifts by a few bits of an amount of choices"


def run(kernel: Kernel) -> bool:
    """Whether there was such a shift."""
    if not any(_is_choice(op) for _, op in kernel.ops()):
        return False

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        return (
            by_choices(builder, type(op), *operands)
            if _is_choice(op)
            else remake(builder, op, operands)
        )

    return refold_and_tidy(kernel, change)


def _is_choice(op: Op) -> bool:
    """Whether the bits of the amount that are not known are too few for all shifts that there
    are."""
    if not isinstance(op, Shift):
        return False
    unknown = sum(type(bit) is not int for bit in bits_of(op.operands[1]))
    return 1 << unknown < op.width


def by_choices(builder: Builder, kind: type[Op], value: Op, amount: Op) -> Op:
    """A shift as a select for each bit of the amount, the largest shift first."""
    for i in reversed(range(amount.width)):
        moved = builder.build(kind, [value, constant(min(1 << i, value.width), 32)], value.width)
        value = builder.build(
            Select, [builder.wire((bits_of(amount)[i],)), moved, value], value.width
        )
    return value
