# SPDX-License-Identifier: Apache-2.0
"""compare-bits: a number is compared with a power of two by the bits from that one on.

`n > 63` asks whether any of the bits above the lowest six is set: a tree of tables with a third of
the room that a comparison's carries take. `n >= ~63u` asks whether all of them are. A sign is a bit
that is there. Of two numbers that are known to be small the lowest bits are compared: where a
counter ends is known sooner then. Last, as ranges and numbers of iterations are read from
comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tandem.analysis.range_rules import full
from tandem.analysis.ranges import ranges_of
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    UNSIGNED,
    Compare,
    Constant,
    Eq,
    Equality,
    Ne,
    Op,
    Range,
    Sum,
    constant,
    mask,
)
from tandem.ir.wiring import bits_of, is_constant, number
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "compare-bits"
SUMMARY = "compare by the bits that tell"

LEAST_WIDTH_BITS = 16
"""Shorter numbers are compared in a cycle with what makes them, at any clock that there is."""


def run(kernel: Kernel) -> bool:
    """Whether any comparison has gone, or become shorter."""
    compared = [op for _, op in kernel.ops() if isinstance(op, Compare)]
    widths = _widths(kernel, compared)
    if not widths and not any(_limit(op) is not None for op in compared):
        return False

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        limit = _limit(op)
        if op in widths:
            kind = UNSIGNED[type(op)]
            return builder.compare(kind, *(_lowest(builder, o, widths[op]) for o in operands))
        if limit is None:
            return remake(builder, op, operands)
        value = operands[1 if is_constant(bits_of(op.operands[0])) else 0]
        below = _below(builder, value, limit)
        return below if _holds_below(op) else builder.invert(below)

    return refold_and_tidy(kernel, change)


def _lowest(builder: Builder, value: Op, bits: int) -> Op:
    """The lowest bits of a number; of a sum a short one of its own, whose carry has not as far to
    go."""
    if isinstance(value, Sum) and value.width > bits:
        return builder.build(
            type(value), [builder.extract(o, 0, bits) for o in value.operands], bits
        )
    return builder.extract(value, 0, bits)


def _widths(kernel: Kernel, compared: Sequence[Op]) -> dict[Op, int]:
    """How many bits tell of wide comparisons of two numbers that are known to have no more."""
    wide = [op for op in compared if op.operands[0].width > LEAST_WIDTH_BITS and _limit(op) is None]
    ranges = ranges_of(kernel) if wide else {}
    found: dict[Op, int] = {}
    for op in wide:
        bits = max(1, *(_greatest(o, ranges).bit_length() for o in op.operands))
        if bits < op.operands[0].width:
            found[op] = bits
    return found


def _greatest(value: Op, ranges: Mapping[Op, Range]) -> int:
    return value.value if isinstance(value, Constant) else ranges.get(value, full(value))[1]


def _holds_below(op: Op) -> bool:
    """Whether a comparison with a constant holds for what is less than some number."""
    return is_constant(bits_of(op.operands[1]))


def _limit(op: Op) -> int | None:
    """The number below which a comparison holds, or does not, if bits tell; None for others. Of
    signed numbers 0 is told by the sign, which is the highest power of two of an unsigned one."""
    if not isinstance(op, Compare) or isinstance(op, Equality):
        return None
    constants = [is_constant(bits_of(operand)) for operand in op.operands]
    if sum(constants) != 1:
        return None
    known = number(bits_of(op.operands[constants.index(True)]))
    width = op.operands[0].width
    limit = known + (op.holds_of_equals == _holds_below(op))
    if op.is_signed:
        return 0 if limit in (0, 1 << width) else None
    is_power = limit.bit_count() == 1 or (mask(width) + 1 - limit).bit_count() == 1
    return limit if 0 < limit <= mask(width) and is_power else None


def _below(builder: Builder, value: Op, limit: int) -> Op:
    """Whether a number is less than a limit: a power of two, that many less than all numbers, or 0
    for a signed one."""
    width = value.width
    if not limit:
        return builder.extract(value, width - 1, 1)
    low = (limit & -limit).bit_length() - 1
    high = builder.extract(value, low, width - low)
    if limit.bit_count() == 1:
        return builder.compare(Eq, high, constant(0, high.width))
    return builder.compare(Ne, high, constant(mask(high.width), high.width))
