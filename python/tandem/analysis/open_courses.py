# SPDX-License-Identifier: Apache-2.0
"""What is known of the iterations of a loop of which only the call says how many there are.

    for (x = 0; x < w; x++) ... x > 0 ... x + 1 < w ...

Here x is the number of an iteration, and w that number, one, and how many iterations come behind:
both tests are known for the first iterations, for the last ones, and for all between them. All that
holds while w is so small that nothing wraps: where `OpenCourse.bound` lies in a range of which
passes make sure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tandem.analysis.affine import AffineLoop
from tandem.analysis.courses import DEEPEST, Carried, PlainLoop, plain_loop
from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.trips import exit_test
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    And,
    Compare,
    Concat,
    Constant,
    Eq,
    Equality,
    Extract,
    Mul,
    Ne,
    Op,
    Or,
    Select,
    SLt,
    Sum,
    ULe,
    ULt,
    Xor,
    mask,
    signed,
)
from tandem.ir.wiring import bits_of, extended_from

REACH = 1 << 30
"""A bound may be so much more than the least that is asked of it: with numbers of up to half as
much, sums of both are whole in `WRAPS_BITS` with a sign."""

SUMS = (Sum, Mul, Xor, Concat, Extract)
"""Operations that may be sums."""

Known = Callable[[Op], "int | Place | None"]
"""What a value is in some iterations; None where that is not known, or differs otherwise."""


@dataclass(frozen=True)
class Place:
    """constant + forth * number + back * behind, of an iteration's number and of how many come
    behind it."""

    constant: int
    forth: int = 0
    back: int = 0

    def plus(self, other: Place, factor: int = 1) -> Place:
        return Place(
            self.constant + factor * other.constant,
            self.forth + factor * other.forth,
            self.back + factor * other.back,
        )


@dataclass(frozen=True)
class Span:
    """Iterations: the least and the greatest number, from 0, and the fewest and the most that come
    behind."""

    number: tuple[int, float]
    behind: tuple[int, float]

    def ends(self, value: Place) -> tuple[float, float]:
        """The least and the greatest value in these iterations."""
        least = most = float(value.constant)
        for factor, ends in ((value.forth, self.number), (value.back, self.behind)):
            if factor:
                both = factor * ends[0], factor * ends[1]
                least, most = least + min(both), most + max(both)
        return least, most

    def fixed(self, value: Place) -> Place:
        """The value without what is the same number in all of the iterations."""
        (first, last), (fewest, most) = self.number, self.behind
        forth, back = value.forth if first != last else 0, value.back if fewest != most else 0
        constant = value.constant + (value.forth - forth) * first + (value.back - back) * fewest
        return Place(constant, forth, back)


@dataclass(frozen=True)
class Bound:
    """What a loop runs up to, or down from: a value made before it. `is_signed`: how one of fewer
    than `WRAPS_BITS` is extended. With `before` iterations before the last one it is
    `least + step * before`."""

    value: Op
    is_signed: bool
    least: int
    step: int


@dataclass(frozen=True)
class Start:
    """What a counter begins with: a number, or a number more than a `root`; and by how much it
    grows."""

    root: Op | None
    number: int
    step: int


@dataclass(frozen=True)
class End:
    """What ends a loop: that a value which `moves` in it, and is a `Start` of its own, has come to
    one that is fixed."""

    moves: Op
    fixed: Op
    start: Start


@dataclass(frozen=True, eq=False)
class OpenCourse(PlainLoop):
    """Of a loop that counts from numbers on up to what is no number, or down from there."""

    starts: dict[Op, Start]
    end: End
    bound: Bound
    sums: Sums = field(default_factory=Sums)

    def copied(self, blocks: Mapping[Block, Block], ops: Mapping[Op, Op]) -> OpenCourse:
        """That of a copy of the loop. `ops`: what is made in it."""
        starts = {ops[p]: start for p, start in self.starts.items()}
        fixed = ops.get(self.end.fixed, self.end.fixed)
        end = replace(self.end, moves=ops[self.end.moves], fixed=fixed)
        return replace(super().copied(blocks, ops), starts=starts, end=end, sums=Sums())

    def known_in(self, span: Span, given: Mapping[Op, int] | None = None) -> Known:
        """A function that gives what a value is in the iterations of a span. `given`: what some are
        to be."""
        return _Reader(self, span, given or {}).known


def open_course_of(kernel: Kernel, header: Block, body: set[Block]) -> OpenCourse | None:
    """The course of a loop that ends when a counter has come to something; None where there is
    none."""
    loop = plain_loop(kernel, header, body)
    if loop is None:
        return None
    starts = starts_of(loop)
    end = end_of(loop, starts)
    bound = _bound(loop, end) if end else None
    if end is None or bound is None:
        return None
    known = {p: start for p, start in starts.items() if _is_known(start, bound)}
    return OpenCourse(**vars(loop), starts=known, end=end, bound=bound)


def _is_known(start: Start, bound: Bound) -> bool:
    """Whether a counter begins a number more than the bound, or than nothing. A bound of fewer bits
    may be extended otherwise there."""
    return start.root is None or (start.root is bound.value and bound.value.width >= WRAPS_BITS)


def starts_of(loop: PlainLoop) -> dict[Op, Start]:
    """What the counters of a loop begin with."""
    affine = AffineLoop(loop.header, list(loop.entry.arguments), loop.body)
    return {
        p: Start(*as_root(begin)[:2], signed(step & mask(p.width), p.width))
        for p, begin in loop.entry.given.items()
        if p.width >= WRAPS_BITS and (step := affine.increments[p]) is not None
    }


def end_of(loop: PlainLoop, starts: Mapping[Op, Start]) -> End | None:
    """What ends a loop, if it is that two values are equal, or that one that moves by one is no
    longer below the other, or above."""
    test, stays = exit_test(loop.latch, loop.header)
    one, other = test.operands if isinstance(test, Compare) else (test, test)
    starting = _start_of(one, starts), _start_of(other, starts)
    moves, fixed, start = (one, other, starting[0]) if starting[0] else (other, one, starting[1])
    if start is None or None not in starting or not start.step:
        return None
    if isinstance(test, Equality):
        return End(moves, fixed, start) if stays == (isinstance(test, Ne)) else None
    if stays != (isinstance(test, (SLt, ULt))):
        return None
    rises = (moves is one) == stays
    least = start.number if rises else as_root(fixed)[1]
    wraps = isinstance(test, (ULt, ULe)) and least < 0
    return End(moves, fixed, start) if start.step == (1 if rises else -1) and not wraps else None


def _start_of(value: Op, starts: Mapping[Op, Start]) -> Start | None:
    """What a value of a loop begins with that is a number more than a counter."""
    form = Sums().form(value)
    if form is None or len(form.terms) != 1:
        return None
    ((counter, factor),) = form.centred().terms.items()
    if counter not in starts or factor != 1:
        return None
    start = starts[counter]
    return replace(start, number=start.number + form.centred().constant)


def _bound(loop: PlainLoop, end: End) -> Bound | None:
    """What is no number of what a loop begins and ends with; None unless that is one of the two."""
    root, number, is_signed = as_root(end.fixed)
    if end.start.root is None and root is not None and not loop.is_made_in(root):
        return Bound(root, is_signed, end.start.number - number, end.start.step)
    if end.start.root is not None and root is None and end.start.root.width >= WRAPS_BITS:
        return Bound(end.start.root, False, number - end.start.number, -end.start.step)
    return None


def as_root(value: Op) -> tuple[Op | None, int, bool]:
    """A value as another one and a number more, None for nothing but a number; and whether the
    other one is extended with its sign."""
    number, is_signed = 0, False
    for _ in range(DEEPEST):
        if isinstance(value, Constant):
            return None, number + signed(value.value, value.width), False
        form = Sums().form(value)
        source = extended_from(bits_of(value))
        ((term, factor),) = form.terms.items() if form and len(form.terms) == 1 else [(value, 0)]
        far = form.centred().constant if form else 0
        if factor == 1 and term is not value and (far or term.width < value.width):
            number, value = number + far, term
        elif source is not None and source is not value and value.width >= WRAPS_BITS:
            is_signed, value = bits_of(value)[-1] != 0, source
        else:
            break
    return value, number, is_signed


class _Reader:
    """Reads values of a loop in the iterations of a span."""

    def __init__(self, course: OpenCourse, span: Span, given: Mapping[Op, int]) -> None:
        self.carried: Carried = course.carried
        self.span = span
        self.bound = course.bound
        self.sums = course.sums
        self.found: dict[Op, Place | None] = {op: Place(value) for op, value in given.items()}
        for parameter, start in course.starts.items():
            begin = Place(start.number).plus(Place(0) if start.root is None else self._end())
            self.found[parameter] = self._whole(span.fixed(begin.plus(Place(0, start.step))))

    def known(self, op: Op) -> int | Place | None:
        """What a value is."""
        value = self._read(op, 0)
        return value.constant if value and not (value.forth or value.back) else value

    def _read(self, op: Op, depth: int) -> Place | None:
        if isinstance(op, Constant):
            return Place(signed(op.value, op.width) if op.width > 1 else op.value)
        if op not in self.found:
            self.found[op] = None  # for what comes to itself by an inner loop
            value = self._new(op, depth + 1) if depth < DEEPEST else None
            self.found[op] = None if value is None else self._whole(self.span.fixed(value))
        return self.found[op]

    def _whole(self, value: Place) -> Place | None:
        """A value that cannot wrap, as far as the bound is as small as it must be."""
        pace = abs(self.bound.step)
        is_small = abs(value.constant) < REACH // 2
        return value if is_small and max(abs(value.forth), abs(value.back)) <= pace else None

    def _new(self, op: Op, depth: int) -> Place | None:
        if op in self.carried:
            values = {self._read(value, depth) for value in self.carried[op]}
            return values.pop() if len(values) == 1 else None
        if op is self.bound.value:
            return self._end() if op.width >= WRAPS_BITS else None
        if isinstance(op, Compare):
            return self._compared(op, *(self._read(o, depth) for o in op.operands))
        if op.width == 1:
            return self._bit(op, depth)
        return self._number(op, depth) if op.width >= WRAPS_BITS else None

    def _end(self) -> Place:
        return Place(self.bound.least, self.bound.step, self.bound.step)

    def _bit(self, op: Op, depth: int) -> Place | None:
        """A bit that others decide, or the sign of a number."""
        if isinstance(op, Extract):
            (source,) = op.operands
            is_sign = op.low == source.width - 1 >= WRAPS_BITS - 1
            value = self._read(source, depth) if is_sign else None
            below = None if value is None else self._is_negative(value)
            return None if below is None else Place(int(below))
        if not isinstance(op, (And, Or, Xor)):
            return None
        bits = [self._read(o, depth) for o in op.operands]
        known = [bit.constant for bit in bits if bit is not None]
        if isinstance(op, Xor):
            return Place(sum(known) % 2) if len(known) == len(bits) else None
        decisive = int(isinstance(op, Or))
        if decisive in known:
            return Place(decisive)
        return Place(1 - decisive) if len(known) == len(bits) else None

    def _number(self, op: Op, depth: int) -> Place | None:
        if isinstance(op, Select):
            return self._chosen(op, depth)
        form = self.sums.form(op) if isinstance(op, SUMS) else None
        if form is not None and op not in form.terms:
            return self._sum(form.centred(), depth)
        if isinstance(op, Extract) and op.low == 0:
            return self._read(op.operands[0], depth)
        source = extended_from(bits_of(op)) if isinstance(op, Concat) else None
        return None if source is None else self._extended(op, source, depth)

    def _sum(self, form: Linear, depth: int) -> Place | None:
        """A sum of others; those of fewer bits must not be negative, to have zeros above them."""
        total = Place(form.constant)
        for term, factor in form.terms.items():
            value = self._read(term, depth)
            if value is None or (term.width < form.width and self._is_negative(value) is not False):
                return None
            total = total.plus(value, factor)
        return total

    def _chosen(self, op: Op, depth: int) -> Place | None:
        condition, *values = op.operands
        which = self._read(condition, depth)
        if which is not None:
            return self._read(values[1 - which.constant], depth)
        one, other = (self._read(value, depth) for value in values)
        return one if one == other else None

    def _extended(self, op: Op, source: Op, depth: int) -> Place | None:
        is_signed, bound = bits_of(op)[-1] != 0, self.bound
        if source.width == 1 and not is_signed:
            return self._read(source, depth)
        if source.width < WRAPS_BITS:
            is_it = source is bound.value and is_signed == bound.is_signed
            return self._end() if is_it else None
        value = self._read(source, depth)
        if value is None or is_signed or self.span.ends(value)[0] >= 0:
            return value
        return None

    def _compared(self, op: Op, one: Place | None, other: Place | None) -> Place | None:
        """A comparison whose answer is the same in all of the iterations."""
        if one is None or other is None:
            return None
        least, most = self.span.ends(one.plus(other, -1))
        if isinstance(op, (ULt, ULe)):
            below = [self._is_negative(value) for value in (one, other)]
            if None in below:
                return None
            if below[0] != below[1]:
                return Place(int(bool(below[1])))
        if isinstance(op, Equality):
            is_it = True if least == most == 0 else False if least > 0 or most < 0 else None
            return None if is_it is None else Place(int(is_it == (isinstance(op, Eq))))
        if isinstance(op, (SLt, ULt)):
            return Place(int(most < 0)) if most < 0 or least >= 0 else None
        return Place(int(most <= 0)) if most <= 0 or least > 0 else None

    def _is_negative(self, value: Place) -> bool | None:
        least, most = self.span.ends(value)
        return least < 0 if least >= 0 or most < 0 else None
