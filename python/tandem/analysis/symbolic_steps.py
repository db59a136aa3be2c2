# SPDX-License-Identifier: Apache-2.0
"""Whether accesses meet in different iterations of a loop whose counter steps by a number that the
loop does not change: `for (p = k; p < n; p += 2 * half)`, or `odd = (odd | span) + 1`.

A value that is at least so much more in each iteration than in the one before, and never wraps, has
between two iterations at least one step in it, and at most as much as its range is wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tandem.analysis.affine import AffineLoop
from tandem.analysis.distances import is_never_nothing
from tandem.analysis.linear import Linear, Sums, wired
from tandem.analysis.masks import are_apart, lowest, without
from tandem.ir.ops import Op, Or, mask
from tandem.ir.wiring import bits_of


@dataclass(frozen=True)
class _Growing:
    """A value that is at least `step` more in each iteration than in the one before, and in none
    more than by the step and `most` more than in any earlier one."""

    value: Op
    step: Linear
    most: int


class SymbolicSteps:
    """Of a loop of one block."""

    def __init__(self, loop: AffineLoop, sums: Sums) -> None:
        self.loop = loop
        self.ranges = loop.ranges
        self._sums = sums

    @cached_property
    def _growing(self) -> list[_Growing]:
        return list(self._find())

    def never_later(self, earlier: Op, later: Op) -> bool:
        """Whether an access never comes, in a later iteration, to what another one has reached."""
        if earlier.index.width != later.index.width or not self._growing:
            return False
        first, second = self._place(earlier), self._place(later)
        return any(self._moves_on(growing, first, second) for growing in self._growing)

    def _moves_on(self, growing: _Growing, first: Linear, second: Linear) -> bool:
        """Whether one value keeps places apart, of which nothing else moves."""
        factor = first.centred().terms.get(growing.value, 0)
        gap = second.plus(first, -1)
        if not factor or any(map(self.loop.moves, gap.terms)):
            return False
        gap = gap.plus(growing.step, factor)
        most = abs(factor) * growing.most
        return is_never_nothing(
            gap if factor > 0 else Linear(gap.width).plus(gap, -1), self.ranges, most
        )

    def _find(self) -> Iterator[_Growing]:
        for parameter, next_ in self.loop.following.items():
            after = self._sums.form(next_) if parameter.width > 1 else None
            for value in after.terms if after and parameter in self.ranges else ():
                is_more = isinstance(value, Or) and parameter in value.operands
                if after and after.terms[value] == 1 and (is_more or value is parameter):
                    step = after.plus(Linear(after.width, terms={value: 1}), -1).centred()
                    yield from self._grows(parameter, value, step)

    def _grows(self, parameter: Op, value: Op, step: Linear) -> Iterator[_Growing]:
        """Of a parameter that is next what a value is, which is no less than itself, and a step."""
        if any(map(self.loop.moves, step.terms)):
            return
        low, high = self.ranges.get(value, (0, mask(value.width)))
        least, most = step.bounds(self.ranges)
        wrapped = high + most - (1 << value.width)
        if least > 0 and wrapped < self.ranges[parameter][0]:
            yield _Growing(value, step, max(high - low - least, 0))

    def _place(self, access: Op) -> Linear:
        """The index of an access as a sum, of masks too."""
        index, value = access.index, lowest(access.index)
        less = without(value)
        if less is not None:
            return self._with(index, *less, -1)
        if isinstance(value, Or) and len(value.operands) == 2:
            one, other = value.operands
            if one.width == value.width and are_apart(access, one, other):
                return self._with(index, one, other, 1)
        form = self._sums.form(index)
        assert form is not None, "what is no sum is a term"
        return form

    def _with(self, index: Op, low: Op, mask: Op, factor: int) -> Linear:
        """An index with other bits at its lowest place, and a mask more or less than that, which
        changes no others."""
        whole = self._sums.form(wired(bits_of(low) + bits_of(index)[low.width :]))
        form = self._sums.form(mask)
        form = None if form is None else form.unwrapped(mask.width, self.ranges)
        assert whole is not None, "what is no sum is a term"
        return whole.plus(form or Linear(index.width, terms={mask: 1}), factor)
