# SPDX-License-Identifier: Apache-2.0
"""Values of a loop that are linear in its iteration number, and when two accesses of it meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tandem.analysis.linear import NOTHING_KNOWN, Linear, Ranges, Sums, term_range
from tandem.ir.blocks import Block
from tandem.ir.ops import Concat, Constant, Extract, Mul, Op, Parameter, Sum, Xor
from tandem.ir.wiring import named_by

MAY_COUNT = (Parameter, Sum, Concat, Extract, Mul, Xor)
"""What a parameter may be next that counts: what a form is looked for of."""


def most_turns(block: Block, ranges: Ranges) -> int | None:
    """How often a counted loop runs at most; None where that is not known."""
    trips = block.trip_count
    if trips is None:
        return None
    if isinstance(trips, Constant):
        return trips.value
    least, most = ranges.get(trips, (0, 0))
    return most if least else None  # a count of 0 stands for one that has no place


class AffineLoop(Sums):
    """Linear forms of the values of one loop; `initial` are the first values of its header's
    parameters (None where several edges enter the loop). `body` are its blocks, where it has more
    than the header; one of them then has the only edge back. What does not change in the loop is a
    value of its own, unless the forms are `deep`."""

    def __init__(
        self,
        block: Block,
        initial: list[Op | None],
        body: set[Block] | None = None,
        ranges: Ranges = NOTHING_KNOWN,
        *,
        turns: tuple[int, int] | None = None,
        deep: bool = False,
    ) -> None:
        super().__init__(ranges)
        self.turns = turns
        self.deep = deep
        self.block = block
        self._blocks = body
        blocks = body or {block}
        self.own = {op for b in blocks for op in [*b.ops, *b.parameters]}
        self.joins = _joins(block, blocks)
        self.initial = dict(zip(block.parameters, initial, strict=True))
        back = next(e for b in blocks for e in b.end.edges if e.block is block)
        self.following = back.given
        self.increments: dict[Op, int | None] = {}
        for parameter in block.parameters:
            self.increments[parameter] = self._increment(parameter)

    @property
    def steps(self) -> dict[Op, int]:
        """The header's parameters that count, and by how much."""
        return {p: step for p, step in self.increments.items() if step is not None}

    def form(self, op: Op) -> Linear | None:
        """The linear form of `op`, None when it has none."""
        found = super().form(op)
        return None if found is None or any(map(self.moves, found.terms)) else found

    @cached_property
    def apart(self) -> AffineLoop:
        """Forms in which what does not change in the loop is looked into: what two have in common
        is seen."""
        initial: list[Op | None] = [self.initial[p] for p in self.block.parameters]
        blocks, turns = self._blocks, self.turns
        return AffineLoop(self.block, initial, blocks, self.ranges, turns=turns, deep=True)

    def distance(self, earlier: Op, later: Op) -> Distance | int | None:
        """When an access at the index `later` meets what one at `earlier` reaches now."""
        first, second = self.form(earlier), self.form(later)
        if first is None or second is None or first.terms != second.terms:
            first, second = self.apart.form(earlier), self.apart.form(later)
        found = dependence_distance(first, second, most_turns(self.block, self.ranges))
        if found == UNKNOWN and first is not None and second is not None:
            return None if self.apart.keep_clear(first, second) else UNKNOWN
        return found

    def keep_clear(self, first: Linear, second: Linear) -> bool:
        """Whether two accesses are never at one place, in whichever iterations: of how many there
        are it is known what they are made of, as of `for (j = 0; j < i; j++) x[i] -= x[j]`."""
        last = self._last
        if last is None or first.width != second.width:
            return False
        gap, ranges = first.plus(second, -1).centred(), self._once_entered(last)
        moves = [form.centred().step for form in (first, second)]
        ends = []
        for ahead, behind in ((0, 0), (moves[0], 0), (0, moves[1]), moves):
            end = Linear(gap.width, gap.constant, 0, gap.terms).plus(last, ahead - behind)
            ends += end.bounds(ranges)
        return (min(ends) - 1) >> first.width == max(ends) >> first.width

    @cached_property
    def _last(self) -> Linear | None:
        """The number of the last iteration, without a modulus."""
        trips = self.block.trip_count
        if trips is None or self.turns is None or self.turns[0] < 1:
            return None  # a count of 0 stands for one that has no place
        form = Sums(self.ranges).form(trips)
        form = None if form is None else form.unwrapped(trips.width, self.ranges)
        return None if form is None else form.plus(Linear(form.width, 1), -1)

    def _once_entered(self, last: Linear) -> Ranges:
        """The ranges, where there is an iteration at all."""
        if len(last.terms) != 1:
            return self.ranges
        ((term, factor),) = last.terms.items()
        least, most = term_range(term, self.ranges)
        if factor > 0:
            least = max(least, -(last.constant // factor))
        return {**self.ranges, term: (least, most)}

    def _needs(self, op: Op) -> list[Op]:
        if op in self.joins:
            return self.joins[op]
        start = self.initial.get(op)
        if start is not None:
            return [start] if self.deep else []
        if not self.deep and op not in self.own and not isinstance(op, (Concat, Extract)):
            return []
        return super()._needs(op)

    def _compute(self, op: Op) -> Linear | None:
        if isinstance(op, Constant) or self.moves(op):
            return self._parameter(op) if isinstance(op, Parameter) else self._sum(op)
        return super()._compute(op) if self.deep else self._whole(op)

    def _unwrapped(self, part: Linear, width: int) -> Linear | None:
        """Without ranges, terms stay as wide as the form: extents take narrower ones for signed."""
        if part.terms and not self.ranges:
            return None
        return part.unwrapped(width, self.ranges, most_turns(self.block, self.ranges))

    def moves(self, op: Op) -> bool:
        """Whether the value is made in the loop."""
        return any(maker in self.own for maker in named_by(op))

    def _parameter(self, op: Op) -> Linear | None:
        if op in self.joins:
            forms = [self._forms[o] for o in self.joins[op]]
            return forms[0] if all(f == forms[0] for f in forms) else None
        increment, start = self.increments.get(op), self.initial.get(op)
        if increment is None or start is None:
            return None
        if isinstance(start, Constant):
            return Linear(op.width, start.value, increment)
        form = self._forms.get(start) or Linear(op.width, terms={start: 1})
        return Linear(op.width, form.constant, increment, form.terms)

    def _increment(self, op: Op) -> int | None:
        """c where the parameter's next value is itself + c. No other parameter may take part."""
        following = self.following[op]
        if not isinstance(following, MAY_COUNT):  # most; the form would be that of all behind it
            return None
        self._forms = dict.fromkeys(self.block.parameters)
        self._forms[op] = Linear(op.width, terms={op: 1})
        form = super().form(following)
        self._forms = {}
        if form is None or form.terms != {op: 1} or form.step:
            return None
        return form.constant


def _joins(header: Block, body: set[Block]) -> dict[Op, list[Op]]:
    """What each parameter may be where ways through a loop's body meet again; those of loops inside
    it are left out."""
    found: dict[Op, list[Op]] = {}
    for block in body - {header}:
        if block.parameters and not _comes_again(block, header, body):
            edges = [e for b in body for e in b.end.edges if e.block is block]
            for i, parameter in enumerate(block.parameters):
                found[parameter] = [e.arguments[i] for e in edges]
    return found


def _comes_again(block: Block, header: Block, body: set[Block]) -> bool:
    """Whether control comes to a block twice in one iteration of the loop."""
    work, seen = list(block.successors), {header}
    while work:
        current = work.pop()
        if current is block:
            return True
        if current in body and current not in seen:
            seen.add(current)
            work += current.successors
    return False


UNKNOWN = -1
FAR = 1 << 31
"""Iterations beyond which two accesses are as good as never the same."""


@dataclass(frozen=True)
class Distance:
    """`later` reaches what `earlier` reaches now after `first` iterations, and again every `period`
    (0: never again)."""

    first: int
    period: int


def dependence_distance(
    earlier: Linear | None, later: Linear | None, trips: int | None = None
) -> Distance | int | None:
    """When two accesses meet: a Distance, None for never, UNKNOWN for perhaps at any time. `trips`:
    how many iterations the loop has, where that is known.

    Indices count modulo 2^width, as the hardware's do: a ring buffer comes round."""
    if earlier is None or later is None or earlier.width != later.width:
        return UNKNOWN
    if later.plus(earlier, -1).terms:
        return UNKNOWN
    step, modulus = earlier.step % (1 << earlier.width), 1 << earlier.width
    if step != later.step % modulus:
        return None if _keep_clear(earlier, later, trips) else UNKNOWN
    difference = (earlier.constant - later.constant) % modulus
    if step == 0:
        return None if difference else UNKNOWN
    twos = (step & -step).bit_length() - 1
    if difference % (1 << twos):
        return None
    period = modulus >> twos
    first = (difference >> twos) * pow(step >> twos, -1, period) % period if period > 1 else 0
    if first >= FAR:
        return None
    return Distance(first, period if period < FAR else 0)


def _keep_clear(earlier: Linear, later: Linear, trips: int | None) -> bool:
    """Whether two accesses with different steps, and otherwise the same terms, never come to one
    place in so many iterations: as far apart as they are, all of one lie before all of the
    other."""
    if not trips:
        return False
    gap, steps = earlier.plus(later, -1).centred().constant, (earlier.centred(), later.centred())
    moves = [form.step * (trips - 1) for form in steps]
    ends = [gap + a - b for a in (0, moves[0]) for b in (0, moves[1])]
    # both ends lie between one multiple of the modulus, where they would meet, and the next
    return (min(ends) - 1) >> earlier.width == max(ends) >> earlier.width
