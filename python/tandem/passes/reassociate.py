# SPDX-License-Identifier: Apache-2.0
"""reassociate: sums of several terms add what comes last at the end.

C adds in the order of its text, and a chain of additions waits for its first term. In a loop the
last term is what the iteration before has just made: with it added last, all other sums are done
iterations ahead, and one addition is left of the recurrence. Where more than one late term is left,
three of them become two without carrying (one level of logic), as often as that is faster.
Of terms that are there at the same time the short ones come first: their adders are short, too.

When a term is there is found by running the loop's delays for a few iterations. A sum that others
read too is taken apart, and made again, only where its loop waits for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from tandem.analysis.readers import count_readers
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, And, Constant, Division, Load, Op, Or, Xor, mask
from tandem.ir.wiring import bits_of, leading_zeros, makers_of, named_by
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "reassociate"
SUMMARY = "add first what is there first"

DelayOf = Callable[[Op], int]

ITERATIONS = 8
"""After so many a recurrence shows: what it makes comes later each time, or less early."""
MOST_TERMS = 12
LONG_AGO_PS = -(10**9)
"""When what does not change in the loop was there."""


@dataclass(frozen=True)
class Timing:
    """What the target takes: an operation, a level of logic, and between two registers."""

    delay_ps: DelayOf
    level_ps: int
    period_ps: int

    def takes_ps(self, op: Op) -> int:
        """The time of an operation; a division is a subtraction and more for each bit."""
        return self.period_ps * op.width if isinstance(op, Division) else self.delay_ps(op)


class SumKind(StrEnum):
    """How terms are added."""

    ADD = "add"
    """Two of them."""
    EITHER = "either"
    """Two that have no bit in common."""
    DIGITS = "digits"
    """Three become two: the sum of each digit, and the carries."""
    CARRIES = "carries"


@dataclass(frozen=True)
class Sum:
    """A way to add. `at_ps`: when it is there."""

    kind: SumKind
    terms: tuple[Op | Sum, ...]
    at_ps: int

    @property
    def width(self) -> int:
        """All terms have one width."""
        return self.terms[0].width

    @property
    def bits(self) -> int:
        """How many bits it has at most."""
        carries = self.kind in (SumKind.ADD, SumKind.CARRIES)
        return min(self.width, max(_bits_of(term) for term in self.terms) + carries)

    @property
    def added_bits(self) -> int:
        """The bits of its adders."""
        inner = sum(term.added_bits for term in self.terms if isinstance(term, Sum))
        return inner + (self.bits if self.kind is SumKind.ADD else 0)


Term = Op | Sum


def _bits_of(term: Term) -> int:
    """All but the highest bits that are known to be 0."""
    if isinstance(term, Sum):
        return term.bits
    return term.width - leading_zeros(bits_of(term))


def run(kernel: Kernel, timing: Timing) -> bool:
    """Whether any sum has become another one."""
    readers = count_readers(kernel)
    plans: dict[Op, Sum] = {}
    for block in kernel.blocks:
        plans.update(_Block(block, readers, timing).plan())
    if not plans:
        return False
    new_of: dict[Op, Op] = {}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        new_of.update(zip(op.operands, operands, strict=True))
        return (
            _made(builder, plans[op], op.width, new_of)
            if op in plans
            else remake(builder, op, operands)
        )

    rebuild(kernel, change)
    tidy(kernel)
    return True


def awaited(block: Block, readers: Counter[Op], timing: Timing) -> dict[Op, int]:
    """The operations of a loop for which its next iteration waits longer than a period, and when
    each is there in picoseconds; empty where it does not."""
    sums = _Block(block, readers, timing)
    times = sums._times(_Way())
    if times.drift_ps <= 0:
        return {}
    return {op: times.at_ps[op] for op in sums._before(times.late)}


def _made(builder: Builder, term: Term, width: int, new_of: dict[Op, Op]) -> Op:
    if isinstance(term, Op):
        return new_of[term]
    made = [_made(builder, t, width, new_of) for t in term.terms]
    if term.kind is SumKind.ADD:
        return builder.build(Add, made, width)
    if term.kind is SumKind.EITHER:
        return builder.logic(Or, made)
    a, b, c = made
    if term.kind is SumKind.DIGITS:
        return builder.logic(Xor, [builder.logic(Xor, [a, b]), c])
    both = builder.logic(And, [a, b])
    one = builder.logic(And, [builder.logic(Or, [a, b]), c])
    majority = builder.logic(Or, [both, one])
    return builder.wire((0, *bits_of(majority)[: width - 1]))


@dataclass
class _Way:
    """How sums are taken apart: whether those that others read are too, and whether carries may be
    kept apart."""

    shared: bool = False
    unfinished: bool = False


@dataclass
class _Times:
    at_ps: dict[Op, int]
    sums: dict[Op, Sum] = field(default_factory=dict)
    drift_ps: int = 0
    """How much later each iteration is there than a period behind the one before."""
    late: list[Op] = field(default_factory=list)
    """The parameters of which that holds most."""


class _Block:
    def __init__(self, block: Block, readers: Counter[Op], timing: Timing) -> None:
        self.block = block
        self.readers = readers
        self.timing = timing
        self.own = set(block.ops)
        self.makers = {op: makers_of(op.operands) for op in block.ops}
        self.takes_ps = {op: timing.takes_ps(op) for op in block.ops}
        self.critical: set[Op] = set()

    def plan(self) -> dict[Op, Sum]:
        """The sums that are there earlier if they are added otherwise."""
        adds = [op for op in self.block.ops if isinstance(op, Add)]
        if len(adds) < 2 or not any(map(self._may_be_more, adds)):
            return {}
        best = self._times(_Way())
        if best.drift_ps > 0:
            self.critical = self._before(best.late)
            for way in (_Way(shared=True), _Way(shared=True, unfinished=True)):
                other = self._times(way)
                if other.drift_ps < best.drift_ps:
                    best = other
        return best.sums

    def _may_be_more(self, add: Op) -> bool:
        """Whether a sum may have other than two terms: one of them is a sum, or both are parts of
        one number."""
        terms = {type(term) for term in add.operands}
        return terms == {And} or any(isinstance(t, Add) and t in self.own for t in add.operands)

    def _before(self, late: Iterable[Op]) -> set[Op]:
        """What the parameters that come late are made of in an iteration."""
        edge = self.block.back_edge
        found: set[Op] = set()
        work = [a for p, a in zip(edge.block.parameters, edge.arguments, strict=True) if p in late]
        while work:
            op = work.pop()
            if op in self.own and op not in found:
                found.add(op)
                work += self.makers[op]
            elif op not in self.own:
                work += [s for s in named_by(op) if s is not op and s in self.own]
        return found

    def _times(self, way: _Way) -> _Times:
        if not self.block.is_loop:
            return self._iteration({}, way)
        start = dict.fromkeys(self.block.parameters, 0)
        for _ in range(ITERATIONS):
            times = self._iteration(start, way)
            following = {
                p: self._latest(makers_of([a]), times.at_ps) - self.timing.period_ps
                for p, a in zip(self.block.parameters, self.block.back_edge.arguments, strict=True)
            }
            times.drift_ps = max((following[p] - start[p] for p in start), default=0)
            times.late = [p for p in start if following[p] - start[p] == times.drift_ps]
            start = {p: max(at, LONG_AGO_PS) for p, at in following.items()}
        return times

    def _iteration(self, start: dict[Op, int], way: _Way) -> _Times:
        times = _Times(dict(start))
        loads: Counter[str] = Counter()
        for op in self.block.ops:
            at = self._latest(self.makers[op], times.at_ps) + self.takes_ps[op]
            if isinstance(op, Load):
                loads[op.memory.name] += 1
                if not self.block.is_loop:
                    at = max(at, (loads[op.memory.name] - 1) * self.timing.period_ps)
                at += self.timing.period_ps
            elif isinstance(op, Add):
                found = self._added(op, at, times, way)
                if found is not None:
                    times.sums[op], at = found, found.at_ps
            times.at_ps[op] = at
        return times

    def _latest(self, makers: Iterable[Op], at_ps: dict[Op, int]) -> int:
        outside = LONG_AGO_PS if self.block.is_loop else 0
        return max((at_ps.get(maker, outside) for maker in makers), default=outside)

    def _added(self, op: Op, at: int, times: _Times, way: _Way) -> Sum | None:
        """A sum that is there before `at`, or then and smaller."""
        terms, apart = self._terms(op, way.shared and op in self.critical)
        timed = self._joined([(t, self._latest(makers_of([t]), times.at_ps)) for t in terms])
        if len(terms) < 3 and len(timed) == len(terms):
            return None
        add_ps = self.takes_ps[op]
        found = _early_first(timed, add_ps)
        if way.unfinished and op in self.critical:
            other = _unfinished(timed, add_ps, self.timing.level_ps)
            found = other if other.at_ps < found.at_ps else found
        is_smaller = found.added_bits < sum(made.width for made in apart)
        # What the loop waits for is taken in any case: its early terms in order, too.
        return found if found.at_ps < at + (op in self.critical or is_smaller) else None

    def _joined(self, timed: list[tuple[Op, int]]) -> list[tuple[Term, int]]:
        """The terms, two that never have a bit in common being one."""
        found: list[tuple[Term, int]] = []
        waiting = list(timed)
        while waiting:
            term, at = waiting.pop(0)
            place = next((i for i, (t, _) in enumerate(waiting) if _never_both(term, t)), None)
            if place is None:
                found.append((term, at))
                continue
            other, other_at = waiting.pop(place)
            either = Sum(SumKind.EITHER, (term, other), max(at, other_at) + self.timing.level_ps)
            found.append((either, either.at_ps))
        return found

    def _terms(self, op: Op, shared: bool) -> tuple[list[Op], list[Op]]:
        """What a sum is of, through the sums that are its terms, and all of these sums."""
        terms, apart = list(op.operands), [op]
        while True:
            inner = next(
                (
                    t
                    for t in terms
                    if isinstance(t, Add)
                    and t in self.own
                    and (shared or self.readers[t] == 1)
                    and len(terms) < MOST_TERMS
                ),
                None,
            )
            if inner is None:
                return terms, apart
            apart.append(inner)
            place = terms.index(inner)
            terms[place : place + 1] = inner.operands


def _never_both(a: Op, b: Op) -> bool:
    """Whether no bit is set in both: each is under a mask that is the other's inverted."""
    if not (isinstance(a, And) and isinstance(b, And)):
        return False
    return any(_inverts(p, q) or _inverts(q, p) for p in a.operands for q in b.operands)


def _inverts(inverted: Op, op: Op) -> bool:
    if (
        not isinstance(inverted, Xor)
        or len(inverted.operands) != 2
        or inverted.operands[0] is not op
    ):
        return False
    ones = inverted.operands[1]
    return isinstance(ones, Constant) and ones.value == mask(op.width)


def _early_first(timed: list[tuple[Term, int]], add_ps: int) -> Sum:
    """Two terms at a time, those that are there first, and of these the shortest."""
    waiting = sorted(timed, key=_early_and_short)
    while len(waiting) > 1:
        (a, _), (b, at) = waiting[:2]
        made = Sum(SumKind.ADD, (a, b), at + add_ps)
        waiting = sorted([*waiting[2:], (made, made.at_ps)], key=_early_and_short)
    return _only(waiting)


def _early_and_short(timed: tuple[Term, int]) -> tuple[int, int]:
    term, at = timed
    return at, _bits_of(term)


def _unfinished(timed: list[tuple[Term, int]], add_ps: int, level_ps: int) -> Sum:
    """The same while later terms are waited for anyway; then three become two."""
    waiting = sorted(timed, key=lambda term: term[1])
    while len(waiting) > 2:
        (a, _), (b, second), (c, third) = waiting[:3]
        if second + add_ps <= waiting[-1][1]:
            made = [Sum(SumKind.ADD, (a, b), second + add_ps)]
            rest = waiting[2:]
        else:
            made = [
                Sum(kind, (a, b, c), third + level_ps) for kind in (SumKind.DIGITS, SumKind.CARRIES)
            ]
            rest = waiting[3:]
        waiting = sorted([*rest, *((s, s.at_ps) for s in made)], key=lambda term: term[1])
    if len(waiting) == 1:
        return _only(waiting)
    (a, _), (b, at) = waiting
    return Sum(SumKind.ADD, (a, b), at + add_ps)


def _only(waiting: list[tuple[Term, int]]) -> Sum:
    made = waiting[0][0]
    assert isinstance(made, Sum)
    return made
