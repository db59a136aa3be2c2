# SPDX-License-Identifier: Apache-2.0
"""Values that can be but one number, and choices of which only one side counts."""

from __future__ import annotations

from collections.abc import Mapping

from tandem.analysis.linear import Linear, Sums
from tandem.ir.ops import Constant, Op, Range, Select, SLt, ULt, constant, mask


def settled(op: Op, ranges: Mapping[Op, Range], sums: Sums) -> Op | None:
    """What a value is that can be but one number, or of whose sides only one counts."""
    least, most = ranges.get(op, (0, 1))
    if least == most and not isinstance(op, Constant):
        return constant(least, op.width)
    return _only_side(op, ranges, sums) if isinstance(op, Select) else None


def _only_side(op: Op, ranges: Mapping[Op, Range], sums: Sums) -> Op | None:
    """The first side of `k < y ? y + d : k + d` where y is never less than k."""
    condition, yes, no = op.operands
    if not isinstance(condition, (ULt, SLt)) or not isinstance(no, Constant):
        return None
    least, number = condition.operands
    base, side = sums.form(number), sums.form(yes)
    if not isinstance(least, Constant) or base is None or side is None:
        return None
    base = Linear(number.width).plus(base).centred()
    if any(term not in ranges for term in base.terms):
        return None
    ends = base.bounds(ranges)
    if ends[0] < least.value or ends[1] >> (number.width - 1):
        return None
    rest = Linear(op.width).plus(side).plus(base, -1).centred()
    is_met = (least.value + rest.constant - no.value) & mask(op.width) == 0
    return yes if is_met and not rest.terms else None
