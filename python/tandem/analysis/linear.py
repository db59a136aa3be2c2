# SPDX-License-Identifier: Apache-2.0
"""Values as sums of others, which may be linear in a loop's iteration number.

A `Linear` form stands for  constant + step * iteration + sum(factor * value),  modulo 2^width,
where every value is fixed while the loop runs, and one of fewer bits is extended by zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tandem.ir.builder import Builder
from tandem.ir.ops import (
    Add,
    Concat,
    Constant,
    Extract,
    Mul,
    Op,
    Sub,
    Sum,
    Xor,
    constant,
    mask,
    signed,
)
from tandem.ir.wiring import (
    Bits,
    bits_of,
    is_sign_extended,
    leading_zeros,
    segments,
    signed_width,
)

Ranges = Mapping[Op, tuple[int, int]]
"""The least and the greatest number that a value can be."""
NOTHING_KNOWN: Ranges = {}


@dataclass
class Linear:
    width: int
    constant: int = 0
    step: int = 0
    terms: dict[Op, int] = field(default_factory=dict)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        terms = dict(self.terms)
        for op, weight in other.terms.items():
            terms[op] = terms.get(op, 0) + factor * weight
        return Linear(
            self.width,
            self.constant + factor * other.constant,
            self.step + factor * other.step,
            {op: weight for op, weight in terms.items() if weight},
        )

    def scaled(self, factor: int, width: int) -> Linear:
        return Linear(width).plus(self, factor)

    def centred(self) -> Linear:
        """The same with every number as a signed one of `width` bits."""

        def near(number: int) -> int:
            return signed(number & mask(self.width), self.width)

        terms = {op: near(weight) for op, weight in self.terms.items()}
        return Linear(self.width, near(self.constant), near(self.step), terms)

    def unwrapped(
        self, width: int, ranges: Ranges = NOTHING_KNOWN, trips: int | None = None
    ) -> Linear | None:
        """The form of the lowest bits that holds without a modulus too; None where the sum may wrap
        in some cases and not in others. `trips`: the most iterations of the loop."""
        low_bits = Linear(width).plus(self).centred()
        if low_bits.step and trips is None:
            return None
        far = low_bits.step * ((trips or 1) - 1)
        least, most = low_bits.bounds(ranges)
        least, most = least + min(0, far), most + max(0, far)
        if least >> width != most >> width:
            return None
        low_bits.constant -= least >> width << width
        return low_bits

    def bounds(self, ranges: Ranges) -> tuple[int, int]:
        """Between which numbers the form is in the first iteration, with no modulus."""
        least = most = self.constant
        for op, factor in self.terms.items():
            ends = [factor * end for end in term_range(op, ranges)]
            least, most = least + min(ends), most + max(ends)
        return least, most

    def after(self, iterations: int) -> Linear:
        """The fixed value that the form has after some iterations."""
        return Linear(self.width, self.constant + iterations * self.step, 0, self.terms)

    def value(self, builder: Builder) -> Op:
        """A form that does not change with the iteration, made with `builder`. The constant comes
        last, where others may join it."""
        total = constant(0, self.width)
        for op, factor in self.terms.items():
            wide = builder.resize(op, self.width)
            scaled = builder.build(Mul, [wide, constant(factor, self.width)], self.width)
            total = builder.build(Add, [total, scaled], self.width)
        return builder.build(Add, [total, constant(self.constant, self.width)], self.width)


MOST_PARTS = 6
"""What is put together of more parts is a value of its own."""
TERM_LIMIT = 8
"""A sum of more values is a value of its own: the forms of a long chain of sums would take time
that grows with its square."""


class Sums:
    """Values as sums of others at one place of the kernel; what is no sum is a term of its own."""

    def __init__(self, ranges: Ranges = NOTHING_KNOWN) -> None:
        self.ranges = ranges
        self._forms: dict[Op, Linear | None] = {}
        self._same: dict[Bits, Op] = {}

    def form(self, op: Op) -> Linear | None:
        """The linear form of `op`, None when it has none."""
        work = [] if op in self._forms else [op]
        while work:
            missing = [o for o in self._needs(work[-1]) if o not in self._forms]
            work += missing
            if not missing:
                last = work.pop()
                if last not in self._forms:
                    self._forms[last] = self._compute(last)
        return self._forms[op]

    def gap(self, one: Op, other: Op) -> Linear | None:
        """By how much one value is more than another, as a sum; None where one has no form."""
        first, second = self.form(one), self.form(other)
        return None if first is None or second is None else first.plus(second, -1)

    def difference(self, one: Op, other: Op) -> int | None:
        """By how much one value is more than another, in the bits that both have; None where that
        is not known."""
        first, second = self.form(one), self.form(other)
        if first is None or second is None:
            return None
        modulus = mask(min(one.width, other.width))
        for op in first.terms.keys() | second.terms.keys():
            if (first.terms.get(op, 0) - second.terms.get(op, 0)) & modulus:
                return None
        return (first.constant - second.constant) & modulus

    def _whole(self, op: Op) -> Linear | None:
        """The form of what is no sum."""
        return Linear(op.width, terms={self._term(bits_of(op), op): 1})

    def _term(self, bits: Bits, op: Op | None = None) -> Op:
        """What stands for bits that are no sum; those with zeros above are the same number."""
        width = len(bits) - leading_zeros(bits)
        bits = bits[: max(width, 1)]
        if bits not in self._same:
            is_all = op is not None and op.width == len(bits)
            self._same[bits] = op if op is not None and is_all else wired(bits)
        return self._same[bits]

    def _needs(self, op: Op) -> list[Op]:
        """The values whose forms make the form of `op`."""
        if isinstance(op, (Concat, Extract)):
            parts = list(segments(bits_of(op)))
            return [s for s, _, _ in parts if s is not None] if len(parts) <= MOST_PARTS else []
        return op.operands if isinstance(op, (Add, Sub, Mul, Xor)) else []

    def _compute(self, op: Op) -> Linear | None:
        form = self._sum(op)
        return self._whole(op) if form is None or len(form.terms) > TERM_LIMIT else form

    def _sum(self, op: Op) -> Linear | None:
        if isinstance(op, Constant):
            return Linear(op.width, op.value)
        if isinstance(op, (Concat, Extract)):
            return self._wiring(op)
        if isinstance(op, Sum):
            a, b = (self._forms[o] for o in op.operands)
            return a.plus(b, 1 if isinstance(op, Add) else -1) if a and b else None
        factor = op.operands[1] if len(op.operands) == 2 else None
        if factor is None or not isinstance(factor, Constant):
            return None
        a = self._forms.get(op.operands[0])
        if a is None:
            return None
        if isinstance(op, Mul):
            return a.scaled(factor.value, op.width)
        if isinstance(op, Xor) and factor.value == mask(op.width):  # ~x is -1 - x
            return Linear(op.width, -1).plus(a, -1)
        return None

    def _wiring(self, op: Op) -> Linear | None:
        """The sum of the parts that a value is put together of."""
        bits = bits_of(op)
        total, position = Linear(op.width), 0
        parts = list(segments(bits))
        if len(parts) > MOST_PARTS:
            return None
        for source, low, width in parts:
            if source is None:
                total = total.plus(Linear(op.width, low << position))
            else:
                part = self._cut(source, low, width, position + width >= op.width)
                part = part or self._named(bits[position : position + width])
                total = total.plus(part, 1 << position)
            position += width
        return self._joined(total)

    def _cut(self, source: Op, low: int, width: int, is_top: bool) -> Linear | None:
        """The form of some bits of a value. At the top of another value they count modulo their
        width; below that they must not wrap. None where they have no form."""
        part = self._part(source, low)
        return part if part is None or is_top else self._unwrapped(part, width)

    def _unwrapped(self, part: Linear, width: int) -> Linear | None:
        """A form of `width` bits as it holds in more, where zeros or other parts are above."""
        return part.unwrapped(width, self.ranges)

    def _joined(self, form: Linear) -> Linear:
        """A form in which low bits of a value meet those above them, which a carry has come to or
        left: the bits s[0..k) and 2^k times the bits s[k..) are s; with its sign, where those above
        are."""
        if len(form.terms) < 2:
            return form
        parts = {op: part for op in form.terms if (part := _slice(op)) is not None}
        uppers = {op: part for op in form.terms if (part := _signed_slice(op)) is not None} | parts
        for lower, (source, low, width) in parts.items():
            factor = form.terms[lower]
            for upper, (other, start, more) in uppers.items():
                gap = form.terms[upper] - (factor << width)
                if other is source and start == low + width and not gap & mask(form.width):
                    rest = {op: n for op, n in form.terms.items() if op not in (lower, upper)}
                    whole = (
                        self._joint(source, low, width + more, factor, form.width)
                        if upper in parts
                        else self._named(bits_of(lower) + bits_of(upper))
                    )
                    left = Linear(form.width, form.constant, form.step, rest)
                    return self._joined(left.plus(whole, factor))
        return form

    def _named(self, bits: Bits) -> Linear:
        """The form of what is some bits, and no sum."""
        return Linear(len(bits), terms={self._term(bits): 1})

    def _joint(self, source: Op, low: int, width: int, factor: int, reach: int) -> Linear:
        """Some bits of a value as part of a sum of `reach` bits, which is `factor` times that."""
        is_top = not (factor << width) & mask(reach)
        part = self._cut(source, low, width, is_top) if source in self._forms else None
        return part or self._named(bits_of(source)[low : low + width])

    def _part(self, source: Op, low: int) -> Linear | None:
        """The form of source >> low."""
        least, most = (end >> low for end in self.ranges.get(source, (0, mask(source.width))))
        if least == most:
            return Linear(source.width - low, least)
        form = self._forms[source]
        if form is None or low == 0:
            return form
        form = form.centred()
        step = 1 << low
        numbers = [form.constant, form.step, *form.terms.values()]
        if any(n % step for n in numbers):
            return None
        terms = {op: n // step for op, n in form.terms.items()}
        return Linear(form.width - low, form.constant // step, form.step // step, terms)


def term_range(op: Op, ranges: Ranges) -> tuple[int, int]:
    """Between which numbers a term lies."""
    part = _slice(op)
    if op not in ranges and part is not None and part[0] in ranges:
        source, low, width = part
        least, most = (end >> low for end in ranges[source])
        return (least, most) if most <= mask(width) else (0, mask(width))
    return ranges.get(op, (0, mask(op.width)))


def wired(bits: Bits) -> Op:
    """A value of its own with the given bits."""
    parts = [
        constant(low, width)
        if source is None
        else Extract((source,), width, {"low": low}, source.line, source.name)
        for source, low, width in segments(bits)
    ]
    return parts[0] if len(parts) == 1 else Concat(parts[::-1], len(bits))


def _slice(op: Op) -> tuple[Op, int, int] | None:
    """(source, low, width) of a value that is some of another's bits; None for any other."""
    return _only_run(bits_of(op)) if isinstance(op, (Extract, Concat)) else None


def _signed_slice(op: Op) -> tuple[Op, int, int] | None:
    """The same of a value that is some of another's bits, extended by the highest of them."""
    if not isinstance(op, Concat) or not is_sign_extended(bits := bits_of(op)):
        return None
    return _only_run(bits[: signed_width(bits)])


def _only_run(bits: Bits) -> tuple[Op, int, int] | None:
    found = list(segments(bits))
    return (found[0][0], *found[0][1:]) if len(found) == 1 and found[0][0] is not None else None


def reach_bits(op: Op, factor: int) -> int:
    """In how many bits `factor` times a value is the same however the value is extended."""
    return op.width + (factor & -factor).bit_length() - 1


def taken_apart(form: Linear, sums: Sums | None = None) -> Linear:
    """A form with the sums that are its terms as sums: what two have in common is then seen.
    `sums` knows those that were looked at before."""
    sums = sums or Sums()
    total = Linear(form.width, form.constant, form.step)
    for op, factor in form.terms.items():
        part = sums.form(op)
        if part is not None and reach_bits(op, factor) < form.width:
            part = part.unwrapped(op.width)
        total = total.plus(part or Linear(form.width, terms={op: 1}), factor)
    return total
