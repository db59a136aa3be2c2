# SPDX-License-Identifier: Apache-2.0
"""mask-tests: whether a shifted number is zero is told without shifting it.

`(x << n) != 0` asks for the lowest bits of `x`, all but `n`: software floats round so. A shifter
has a level of choices a bit of `n`; a mask of the bits that are asked for has one table for each
bit.
"""

from __future__ import annotations

from collections import Counter

from tandem import policy
from tandem.analysis.readers import count_readers
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import And, Constant, Eq, Equality, LShr, Op, Or, Shl, constant
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "mask-tests"
SUMMARY = "test bits of a number under a mask instead of shifting it to test for zero"


def run(kernel: Kernel) -> bool:
    """Whether any shift has gone."""
    readers = count_readers(kernel)
    tested = {op: shift for _, op in kernel.ops() if (shift := _tested(op)) is not None}
    tests = Counter(tested.values())
    only = {op: shift for op, shift in tested.items() if readers[shift] == tests[shift]}
    if not only:
        return False
    new_of: dict[Op, list[Op]] = {}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if isinstance(op, (Shl, LShr)):
            new_of[op] = operands
        if op not in only:
            return remake(builder, op, operands)
        shift = only[op]
        value, amount = new_of[shift]
        kept = _kept(builder, amount, value.width)
        bits = kept if isinstance(shift, Shl) else kept[::-1]
        asked = builder.logic(And, [value, builder.wire(bits)])
        return builder.build(type(op), [asked, constant(0, asked.width)], 1)

    rebuild(kernel, change)
    tidy(kernel)
    return True


def _tested(op: Op) -> Op | None:
    """The shift by an amount that is not known whose result is compared with 0."""
    if not isinstance(op, Equality):
        return None
    shift, other = sorted(op.operands, key=lambda o: isinstance(o, Constant))
    is_shift = isinstance(shift, (Shl, LShr)) and shift.width >= policy.MASKED_BITS
    is_zero = isinstance(other, Constant) and other.value == 0
    known = is_shift and any(isinstance(o, Constant) for o in shift.operands)
    return shift if is_shift and is_zero and not known else None


def _kept(builder: Builder, amount: Op, width: int) -> Bits:
    """A bit for each of a number's: whether a shift to the left by `amount` leaves it. Of twice as
    many bits, an amount of less than half leaves the lower ones and, of the upper ones, those that
    it leaves of half as many; a larger one none of the upper ones, and of the lower ones those that
    the rest of it leaves of half as many."""
    levels = (width - 1).bit_length()
    kept: Bits = (1,)
    for level in range(levels):
        is_less = builder.invert(builder.extract(builder.resize(amount, levels), level, 1))
        half = builder.wire(kept)
        everywhere = builder.wire(bits_of(is_less) * len(kept))
        low = builder.logic(Or, [half, everywhere])
        high = builder.logic(And, [half, everywhere])
        kept = (*bits_of(low), *bits_of(high))
    if amount.width > levels:
        above = builder.extract(amount, levels, amount.width - levels)
        fits = builder.compare(Eq, above, constant(0, above.width))
        whole = builder.logic(And, [builder.wire(kept), builder.wire(bits_of(fits) * len(kept))])
        kept = bits_of(whole)
    return kept[len(kept) - width :]
