# SPDX-License-Identifier: Apache-2.0
"""What else is known of values where some conditions hold, and others do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tandem.analysis.affine import AffineLoop
from tandem.analysis.ranges import Known, finder_of
from tandem.ir.kernel import Kernel
from tandem.ir.ops import And, Constant, Op, Or, Range, mask, signed

Conditions = Mapping[Op, bool]
"""Which conditions hold, and which do not."""


class Situations:
    """The ranges of a kernel as it is, and narrower ones."""

    def __init__(self, kernel: Kernel) -> None:
        self._finder = finder_of(kernel)

    @property
    def ranges(self) -> dict[Op, Range]:
        """The ranges in all situations."""
        return self._finder.found

    def where(self, conditions: Iterable[tuple[Op, bool]], known: Known) -> Known | None:
        """The narrower ranges, with what is `known` already; None where it cannot be so."""
        told = dict(known)
        can_be = all(self._finder.assume(told, condition, holds) for condition, holds in conditions)
        return told if can_be else None

    def going_on(self, loop: AffineLoop, conditions: Conditions) -> Known | None:
        """What is known at the end of an iteration of a loop of one block under some conditions,
        where another iteration follows; None where none can."""
        end = loop.block.end
        told = [*conditions.items()]
        if end.condition is not None:
            again = end.edges[0].block is loop.block
            told += _told(end.condition, again, conditions)
        return self.where(told, dict(_but_for_last(loop)))


def _told(condition: Op, holds: bool, others: Conditions) -> Iterator[tuple[Op, bool]]:
    """A condition, and what follows from it as others are."""
    yield condition, holds
    if isinstance(condition, Or if holds else And):
        left = [part for part in condition.operands if others.get(part, holds) == holds]
        if len(left) == 1:
            yield from _told(left[0], holds, others)


def _but_for_last(loop: AffineLoop) -> Iterator[tuple[Op, Range]]:
    """Between which numbers counters are in all iterations but the last, of how many that is
    known."""
    trips = loop.block.trip_count
    if trips is None or not isinstance(trips, Constant) or trips.value < 2:
        return
    for parameter, start in loop.initial.items():
        step = loop.increments[parameter]
        if step is not None and start is not None and isinstance(start, Constant):
            moved = signed(step & mask(parameter.width), parameter.width) * (trips.value - 2)
            ends = sorted((start.value, start.value + moved))
            if ends[0] >= 0 and ends[1] <= mask(parameter.width):
                yield parameter, (ends[0], ends[1])
