# SPDX-License-Identifier: Apache-2.0
"""How large values are where a condition holds, also where that follows from sums only.

`x - 1` and `y + 1` are tested, and the index is `64 * y + x + 63`: as numbers without a sign x and
y may be anything, but 64 times the one and once the other are no less than 0 and no more than 2047.
"""

from __future__ import annotations

from tandem.analysis.linear import Linear, Sums
from tandem.analysis.range_rules import unwrapped
from tandem.analysis.ranges import Known, RangeFinder
from tandem.ir.ops import Add, Constant, Op, Range, Sub, mask
from tandem.ir.wiring import Bits, bits_of, is_sign_extended, leading_zeros, signed_width


class Guarded:
    """Values where so much is `known` of some. `sums`: of the kernel's values, whose ranges the
    `finder` has found."""

    def __init__(self, finder: RangeFinder, sums: Sums, known: Known) -> None:
        self.finder, self.sums, self.known = finder, sums, known
        self.intervals: dict[Bits, Range] = {}
        """Numbers that differ from what some bits are by a multiple of what has no place in them;
        they may be less than 0."""
        for op, found in known.items():
            self.intervals.setdefault(bits_of(op), found)
            self._tell_operand(op, found)

    def bits(self, value: Op) -> int:
        """Above how many bits a value is 0."""
        most = self.finder.given(value, self.known)[1]
        form = self.sums.form(value)
        if form is not None and mask(value.width) >> 1 <= most:
            most = min(most, self._most(form.centred()))
        return most.bit_length() or 1

    def _tell_operand(self, op: Op, found: Range) -> None:
        """Of a sum with a constant, what is known of it says as much of the other operand."""
        if isinstance(op, Add) and isinstance(op.operands[1], Constant):
            value, number = op.operands[0], op.operands[1].value
            self.intervals.setdefault(bits_of(value), (found[0] - number, found[1] - number))
        if isinstance(op, Sub) and isinstance(op.operands[0], Constant):
            value, number = op.operands[1], op.operands[0].value
            self.intervals.setdefault(bits_of(value), (number - found[1], number - found[0]))

    def _most(self, form: Linear) -> int:
        """The greatest number that a sum is, if it wraps as a whole or not at all."""
        left, (low, high) = self._but_for_known(form)
        factors: dict[tuple[Bits, Range], int] = {}
        for term, factor in left.terms.items():
            one = self._term(term, (factor << term.width) & mask(form.width) == 0)
            factors[one] = factors.get(one, 0) + factor
        for (_, ends), factor in factors.items():
            products = [factor * end for end in ends]
            low, high = low + min(products), high + max(products)
        found = unwrapped((low + left.constant, high + left.constant), form.width)
        return mask(form.width) if found is None else found[1]

    def _but_for_known(self, form: Linear) -> tuple[Linear, Range]:
        """A sum without the part that is a multiple of a value of which something is known, and
        between which numbers that part is."""
        low = high = 0
        for op, found in self.known.items():
            part = self.sums.form(op) if op.width == form.width else None
            times = 0 if part is None else _times(form, part := part.centred())
            if part is not None and times:
                signs = unwrapped(found, op.width, -1 << op.width - 1) or found
                products = [times * end for end in signs]
                form, low, high = form.plus(part, -times), low + min(products), high + max(products)
        return form, (low, high)

    def _term(self, term: Op, is_top: bool) -> tuple[Bits, Range]:
        """What a term is, without what it is extended by, and between which numbers: with its sign
        if it is extended by that up to where the sum ends (`is_top`). What is alike in both is one
        number."""
        bits = bits_of(term)
        if is_top and is_sign_extended(bits):
            own = bits[: signed_width(bits)]
            half = 1 << len(own) - 1
            return own, self._told(own, -half) or (-half, half - 1)
        own = bits[: len(bits) - leading_zeros(bits)]
        return own, self._told(own, 0) or self.finder.given(term, self.known)

    def _told(self, own: Bits, least: int) -> Range | None:
        """Between which numbers some bits are, of those that begin with `least`."""
        found = self.intervals.get(own)
        return None if found is None else unwrapped(found, len(own), least)


def _times(form: Linear, part: Linear) -> int:
    """How often a sum is in another one, so that nothing of its terms is left; 0 where it is
    not."""
    factors = [(form.terms.get(term, 0), factor) for term, factor in part.terms.items() if factor]
    times = factors[0][0] // factors[0][1] if factors else 0
    return times if all(whole == times * factor for whole, factor in factors) else 0
