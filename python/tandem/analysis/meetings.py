# SPDX-License-Identifier: Apache-2.0
"""Whether two accesses of a nest ever come to one element.

The difference of their indices is a sum over iterations of the loops around them. Taken loop by
loop from the innermost, each at its first or last iteration, it has a least and a greatest value;
how often an inner loop runs may itself be such a sum, as in `for (k = 0; k < j; k++)`. And it is
some number modulo what all of its steps are multiples of: rows that columns do not leave.

Where the length of a row comes with the call, rows and columns are sums of their own (`Gap`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap
from math import gcd, inf, prod

from tandem.analysis.forms import WRAPS_BITS, Form
from tandem.analysis.gaps import (
    BETWEEN,
    FIRST,
    SECOND,
    Gap,
    IterationSum,
    Number,
    Variable,
    number_sum,
)
from tandem.analysis.linear import Linear
from tandem.analysis.nests import Loop, Nests
from tandem.analysis.strides import Unit, parts_of, units_of
from tandem.ir.blocks import Block
from tandem.ir.ops import Constant, Op, Select, mask, signed

ALWAYS_APART = 1 << 30
"""The attribute `apart` of accesses of which no two ever meet in different iterations."""
MOST_GAPS = 1024
"""So many distances between iterations are looked at one by one."""


class Meetings:
    """Of the accesses of a kernel whose indices have forms."""

    def __init__(self, nests: Nests) -> None:
        self.nests = nests

    def never(self, one: Op, other: Op, block: Block) -> bool:
        """Whether accesses at two indices in a loop of one block never reach one element, in
        whichever of its iterations, once it has been entered."""
        return _Pair(self.nests, self._around(block)).never(one, other)

    def never_in_others(self, one: Op, other: Op, loop: Block) -> bool:
        """Whether accesses in different iterations of a loop never reach one element, once it has
        been entered."""
        return self.never_later(one, other, loop) and self.never_later(other, one, loop)

    def never_later(self, one: Op, other: Op, loop: Block) -> bool:
        """Whether an access at the index `other` never reaches what one at `one` has reached in an
        earlier iteration of a loop, once it has been entered."""
        return _Pair(self.nests, self._around(loop), loop).never(one, other)

    def apart(self, one: Op, other: Op, loop: Block) -> bool:
        """Whether accesses at two indices never reach one element, in whichever iterations of a
        loop and of those in it, once it has been entered."""
        return _Pair(self.nests, self._around(loop)).never(one, other)

    def in_column(self, one: Op, other: Op, outer: Block, inner: Block) -> bool:
        """Whether accesses that reach one element, in whichever iterations of an outer loop, do so
        in the same iteration of an inner one."""
        around = self._around(outer)
        return all(
            _Pair(self.nests, around, behind=inner).never(*pair)
            for pair in ((one, other), (other, one))
        )

    def never_too_soon(self, one: Op, other: Op, outer: Block, inner: Block) -> bool:
        """Whether an access at the index `other`, in an iteration of an inner loop that is earlier
        than the n-th, never reaches what one at `one` has reached in an earlier iteration of the
        outer loop, its n-th one."""
        return _Pair(self.nests, self._around(outer), outer, before=inner).never(one, other)

    def in_step(self, one: Op, other: Op, outer: Block, inner: Block) -> bool:
        """Whether accesses in different iterations of an outer loop, where they reach one element,
        do so in the same iteration of an inner one, or the later one in a later one."""
        around = self._around(outer)
        return all(
            _Pair(self.nests, around, outer, behind=inner).never(*pair)
            for pair in ((one, other), (other, one))
        )

    def never_across(self, one: Op, other: Op, outer: Block, inner: Block, slope: int) -> bool:
        """Whether accesses never reach one element of which the second is some iterations of an
        outer loop later, and in an inner one `slope` times as many, or more, behind."""
        around = self._around(outer)
        return _Pair(self.nests, around, outer, behind=inner, slope=slope).never(one, other)

    def _around(self, header: Block) -> frozenset[Block]:
        return frozenset(self.nests.around(header)) - {header}


@dataclass(frozen=True)
class _Pair:
    """Two accesses that are in the `same` iteration of some loops, and the second one at least `by`
    iterations `later` in another loop, and some iterations `behind` the first one in yet another,
    at least `slope` times as many, or in one `before` that has the number of the first one's in the
    other loop; in which ones of all others is open."""

    nests: Nests
    same: frozenset[Block]
    later: Block | None = None
    by: int = 1
    behind: Block | None = None
    before: Block | None = None
    slope: int = 0

    def never(self, one: Op, other: Op) -> bool:
        """Whether accesses at two indices never reach one element."""
        first, second = self.nests.form(one), self.nests.form(other)
        if first is None or second is None or first.narrow or second.narrow:
            return False
        width = min(form.base.width for form in (first, second))
        base = self._base(first, second, width)
        if base is None:
            return False
        if any(self._never_nothing(gap, width) for gap in self._by_rows(first, second, base)):
            return True
        gap = self._gap(first, second, base)
        if gap is None:
            return False
        if self._excludes_zero(gap, width):
            return True
        walked = self.later or self.behind
        between = None if walked is None else Variable(walked, BETWEEN)
        if between is None or between not in gap.factors:
            return False
        most = self._most(IterationSum(0, {between: 1}))
        return most <= MOST_GAPS and all(
            replace(self, by=by)._excludes_zero(gap.at(between, IterationSum(by)), width)
            for by in range(1, int(most) + 1)
        )

    def _base(self, first: Form, second: Form, width: int) -> Linear | None:
        """What does not move of the difference of two indices, in so many bits."""
        bases = [self.nests.base_sum(form) for form in (first, second)]
        if bases[0] is None or bases[1] is None:
            return None
        return Linear(width).plus(bases[0]).plus(bases[1], -1).centred()

    def _gap(self, first: Form, second: Form, base: Linear) -> IterationSum | None:
        """By how much the first index is more than the second one; `base`: what does not move of
        that."""
        total, width = self._of_numbers(base), base.width
        for header in {*first.steps, *second.steps}:
            steps = [form.steps.get(header) for form in (first, second)]
            if header in self.same and steps[0] is steps[1]:
                continue
            for step, is_second in zip(steps, (False, True), strict=True):
                if step is not None and not isinstance(step, Constant):
                    return None
                factor = 0 if step is None else signed(step.value & mask(width), width)
                iteration = self._iteration(header, is_second)
                total = total.plus(iteration, -factor if is_second else factor)
        return total

    # -- rows whose length comes with the call ---------------------------------------------------

    def _by_rows(self, first: Form, second: Form, base: Linear) -> Iterator[Gap]:
        """The same in columns and rows, in every way in which these can be told apart: none where
        no step depends on the call."""
        steps = [
            (self._iteration(header, is_second).times(-1 if is_second else 1), step)
            for form, is_second in ((first, False), (second, True))
            for header, step in form.steps.items()
        ]
        sums = [self.nests.sum_of(step) for _, step in steps]
        if None in sums or base.width < WRAPS_BITS:
            return
        moves = [parts_of(total, self.nests) for total in sums if total is not None]
        units = units_of(moves)
        for split in (units, units[:1]) if units else ():
            levels = [*self._base_in(base, split), *(IterationSum(0) for _ in units[len(split) :])]
            for (iteration, _), parts in zip(steps, moves, strict=True):
                for i, unit in enumerate(units):
                    times = parts.get(unit.sizes, 0) // unit.factor
                    levels[i] = levels[i].plus(iteration, times)
            yield Gap(tuple(levels), tuple(starmap(_number_in, pairwise(units))))

    def _base_in(self, base: Linear, units: Sequence[Unit]) -> list[IterationSum]:
        """What does not move, in some units; what is none of them are columns."""
        left = dict(parts_of(base, self.nests))
        rows = [
            IterationSum(left.pop(unit.sizes) // unit.factor)
            if left.get(unit.sizes, 0) and left[unit.sizes] % unit.factor == 0
            else IterationSum(0)
            for unit in units[1:]
        ]
        constant = left.pop((), 0)
        return [IterationSum(constant, {Number(of): factor for of, factor in left.items()}), *rows]

    def _never_nothing(self, gap: Gap, width: int) -> bool:
        """Whether a difference is never 0: columns never make a row, nor rows a plane, and of one
        of them there are always some."""
        return any(self._excludes_zero(level, width) for level in gap.levels) and all(
            self._is_within(level, size) and self._is_within(level.times(-1), size)
            for level, size in zip(gap.levels, gap.sizes, strict=False)
        )

    def _is_within(self, total: IterationSum, size: IterationSum) -> bool:
        """Whether a sum is always less than a size."""
        if self._most(total.plus(size, -1)) < 0:
            return True
        return self._most(total) <= 0 and self._is_positive(size)

    def _is_positive(self, size: IterationSum) -> bool:
        """Whether a size is a product of numbers that are as large, at least, as a loop around the
        accesses has iterations: it has been entered."""
        entered = {*self.same, self.later, self.behind}
        loops = self.nests.loops.items()
        trips = [self._trips(loop, False) for header, loop in loops if header in entered]
        return all(
            any(total and self._most(total.plus(number_sum((op,)), -1)) <= 0 for total in trips)
            for number in size.factors
            if isinstance(number, Number)
            for op in number.of
        )

    def _of_numbers(self, base: Linear) -> IterationSum:
        """What follows from the call alone."""
        parts = parts_of(base, self.nests)
        constant = parts.get((), 0)
        return IterationSum(constant, {Number(of): factor for of, factor in parts.items() if of})

    def _iteration(self, header: Block, is_second: bool) -> IterationSum:
        """In which iteration of a loop an access is."""
        if is_second and header is self.later:
            return IterationSum(0, {Variable(header, FIRST): 1, Variable(header, BETWEEN): 1})
        if header is self.behind and not is_second:
            return IterationSum(0, {Variable(header, SECOND): 1, Variable(header, BETWEEN): 1})
        is_other = is_second and header not in self.same
        return IterationSum(0, {Variable(header, SECOND if is_other else FIRST): 1})

    def _excludes_zero(self, gap: IterationSum, width: int) -> bool:
        """Whether a sum is never 0, nor a multiple of 2^width where it may come so far: indices of
        C's `int` and more do not wrap."""
        least, most = self._ends(gap)
        wraps = width < WRAPS_BITS and max(-least, most) >= 1 << width
        if not wraps and (least > 0 or most < 0):
            return True
        modulus = 1 << width if wraps else 0
        lengths = [abs(factor) for factor in gap.factors.values()]
        rows = {gcd(length, modulus) for length in (*lengths, gcd(*lengths))}
        return any(self._is_off(gap, row) for row in rows) if lengths else gap.constant != 0

    def _is_off(self, gap: IterationSum, row: int) -> bool:
        """Whether a sum is never a multiple of a row's length: each factor is a number of rows and
        some columns, and by these alone it never comes from the start of one row to another's."""
        columns = {v: (factor + row // 2) % row - row // 2 for v, factor in gap.factors.items()}
        kept = {v: factor for v, factor in columns.items() if factor}
        least, most = self._ends(IterationSum(gap.constant % row, kept))
        return least > -inf and most < inf and -(-least // row) * row > most

    def _ends(self, total: IterationSum) -> tuple[float, float]:
        """The least and the greatest value of a sum."""
        return -self._most(IterationSum(0).plus(total, -1)), self._most(total)

    def _most(self, total: IterationSum) -> float:
        """The greatest value."""
        while total.factors:
            variable = max(total.factors, key=self._depth)
            is_least = total.factors[variable] < 0
            if isinstance(variable, Number):
                value = self._end_of(variable, is_least)
            else:
                value = IterationSum(self._least(variable)) if is_least else self._last(variable)
            if value is None:
                return inf
            total = total.at(variable, value)
        return total.constant

    def _end_of(self, number: Number, is_least: bool) -> IterationSum | None:
        """The least or the greatest value of a number; None where it is not known."""
        if any(op not in self.nests.ranges for op in number.of):
            return None
        return IterationSum(prod(self.nests.ranges[op][not is_least] for op in number.of))

    def _depth(self, variable: Variable | Number) -> tuple[float, bool]:
        """Innermost loops first, and numbers last."""
        if isinstance(variable, Number):
            return -inf, False
        return -len(self.nests.reaching.loops[variable.loop]), variable.whose == BETWEEN

    def _least(self, variable: Variable) -> int:
        """The first iteration of a loop in which an access may be, or by how many it is later."""
        if variable.whose != BETWEEN:
            return 0
        return self.by if variable.loop is self.later else max(1, self.slope * self.by)

    def _last(self, variable: Variable) -> IterationSum | None:
        """The last iteration of a loop in which an access may be, once the loop has been entered;
        None if that is not known."""
        if variable.loop is self.before and self.later is not None:
            return IterationSum(-1, {Variable(self.later, FIRST): 1})
        loop = self.nests.loops.get(variable.loop)
        if loop is None or loop.trips is None:
            return None
        trips = self._trips(loop, variable.whose == SECOND)
        if trips is None:
            most = self.nests.most_trips(variable.loop)
            trips = None if most is None else IterationSum(most)
        if trips is None:
            return None
        if variable.whose == BETWEEN:  # from where one of the two is, the other one is in the loop
            other = Variable(variable.loop, FIRST if variable.loop is self.later else SECOND)
            return trips.plus(IterationSum(-1, {other: -1}))
        is_earlier = variable.whose == FIRST and variable.loop is self.later
        return trips.plus(IterationSum(-1 - is_earlier * self.by))

    def _trips(self, loop: Loop, is_second: bool) -> IterationSum | None:
        """How often a loop runs at most, as a sum over iterations of those around it; None where
        that is not known, or may have wrapped."""
        form = None if loop.trips is None else self.nests.form(loop.trips)
        base = None if form is None or form.narrow else self.nests.base_sum(form)
        if form is None or base is None:
            return None
        total = self._of_numbers(base)
        if any(not isinstance(step, Constant) for step in form.steps.values()):
            return None
        if not form.steps and isinstance(form.base, Constant):
            total = IterationSum(form.base.value)  # a count has no sign
        for header, step in form.steps.items():
            factor = signed(step.value, step.width)
            total = total.plus(self._iteration(header, is_second), factor)
        total = self._for_more(total, self._least_trips(loop.header))
        least, most = self._ends(total)
        width = form.base.width
        return total if width >= WRAPS_BITS or (least >= 0 and most < 1 << width) else None

    def _least_trips(self, header: Block) -> int:
        """How often a loop runs at least if both accesses are in it."""
        if header is not self.later and header is not self.behind:
            return 1
        return 1 + self._least(Variable(header, BETWEEN))

    def _for_more(self, trips: IterationSum, least: int) -> IterationSum:
        """The trips of a loop that are so many at least: `1 < n ? n : 1` are n if they are two."""
        for number, factor in trips.factors.items():
            op = number.of[0] if isinstance(number, Number) and len(number.of) == 1 else None
            if op is None or not isinstance(op, Select) or factor != 1:
                continue
            _, yes, no = op.operands
            for value, other in ((yes, no), (no, yes)):
                total = self.nests.sum_of(value)
                if total is None or not isinstance(other, Constant):
                    continue
                fewer = trips.at(number, IterationSum(signed(other.value, other.width)))
                if self._most(fewer) < least:
                    return trips.at(number, self._of_numbers(total))
        return trips


def _number_in(smaller: Unit, larger: Unit) -> IterationSum:
    """How many of one unit are in another one."""
    unit = smaller.in_one(larger)
    assert unit is not None, "units follow each other"
    return number_sum(unit.sizes, unit.factor) if unit.sizes else IterationSum(unit.factor)
