# SPDX-License-Identifier: Apache-2.0
"""Whether two sums are ever the same number, by the ranges of what they are sums of."""

from __future__ import annotations

from tandem.analysis.linear import Linear, Ranges, Sums, taken_apart


class Distances:
    """Of sums whose values are in some ranges. What is taken apart is looked at once."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self._sums = Sums()

    def never_same(self, one: Linear, other: Linear) -> bool:
        """Whether two sums of one width surely differ: in all of their bits, or already in as many
        as their terms have, in which these may be sums that wrap."""
        if one.width != other.width:
            return False
        if is_never_nothing(one.plus(other, -1), self.ranges):
            return True
        terms = one.terms.keys() ^ other.terms.keys()
        width = min((op.width for op in terms), default=one.width)
        if width >= one.width:
            return False
        first, second = (taken_apart(Linear(width).plus(f), self._sums) for f in (one, other))
        return is_never_nothing(first.plus(second, -1), self.ranges)


def is_never_nothing(gap: Linear, ranges: Ranges, more: int = 0) -> bool:
    """Whether a sum, and up to so `more`, is never 0 modulo what its width says."""
    least, most = gap.centred().bounds(ranges)
    return (least - 1) >> gap.width == (most + more) >> gap.width
