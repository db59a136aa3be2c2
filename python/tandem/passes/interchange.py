# SPDX-License-Identifier: Apache-2.0
"""interchange: sums that wait for themselves are made beside each other, term by term.

    for (i) { for (j < i) x[i] -= l[i][j] * x[j]; x[i] /= l[i][i]; }

The next term of a sum waits for the adder; a term of the next sum does not. So the two loops change
places: as soon as x[j] is known, its terms are added to all sums that have one. Every sum is still
made in the order of the C. Sums that are not finished lie in a memory with a place for each, and
need no port of any other; what no outer iteration changes is read once for all of them.

The nest becomes three parts: what an outer iteration does before its sum, for all of them; the
terms, by inner iteration; and what an outer iteration does with its sum. Where the n-th sum has n
terms (a triangle), the last two are one loop: the sum that is finished next is used before its
terms go to the others. Where all have as many (a square), no outer iteration may reach what another
one stores.

Requires: licm, sink-stores (a sum is in a register), count-loops. How often the outer loop runs is
known, and nothing is read too soon or overwritten (`analysis.meetings`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.nest_of_two import moving
from tandem.analysis.readers import made_of
from tandem.analysis.sums import Sums, places_of, sums_of
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.memory import Memory
from tandem.ir.ops import (
    Add,
    Constant,
    Load,
    Mul,
    Ne,
    Op,
    Parameter,
    Store,
    Sub,
    constant,
    parameter_like,
)
from tandem.ir.wiring import bits_of
from tandem.passes.each_nest import change_nests
from tandem.passes.left_behind import Again, LeftBehind, counted_on
from tandem.passes.preheaders import trips_before
from tandem.passes.rebuild import Elsewhere, remake
from tandem.passes.simplify import read_instead

SLUG = "interchange"
SUMMARY = "add terms to many sums in turn instead of many terms to one"

BEGINS_SUMS, USES_SUMS = "begins-sums", "uses-sums"
"""Parts: what outer iterations do before their sums, and behind these where no terms are added
there."""


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Interchanges the loops that are `wanted` with those around them, and notes the others that
    could be."""
    return change_nests(kernel, wanted, kernel.interchangeable, sums_of, _interchange)


def _interchange(kernel: Kernel, found: Sums) -> None:
    loops = found.nest.inner.loop, found.nest.header.loop
    made = _Interchange(kernel, found)
    made.run()
    kernel.deeds.append(Deed(SLUG, *loops, made.left.names))


class _Counters:
    """What counts in a loop over outer iterations: what stands there for the outer loop's counters
    (`known`), and the `number` of the iteration, which may be one of these."""

    def __init__(self, steps: dict[Op, int], number: Op | None, width: int) -> None:
        self.steps = steps
        self.known = {parameter: parameter_like(parameter) for parameter in steps}
        self.parameters = list(self.known.values())
        if number is not None:
            self.number = self.known[number]
        else:
            self.number = Parameter((), width, name="number")
            self.parameters.append(self.number)

    def following(self, builder: Builder) -> list[Op]:
        """What the parameters are next."""
        return counted_on(builder, self.parameters, [*self.steps.values(), 1])

    def after(self, following: list[Op]) -> Op:
        """The next number, among these."""
        return following[self.parameters.index(self.number)]


class _Interchange:
    """Of one nest. Three loops come of it, or two: over outer iterations up to their sums, over the
    inner loop's, and over outer iterations from their sums on."""

    def __init__(self, kernel: Kernel, found: Sums) -> None:
        self.kernel = kernel
        self.found = found
        self.nest = nest = found.nest
        builder, trips = trips_before(kernel, nest.header, set(nest.blocks), nest.latch)
        (self.way_in,) = (e for e in builder.block.end.edges if e.block is nest.header)
        self.made = {op for b in nest.before for op in [*b.parameters, *b.ops]}
        self.moving = moving(nest.before, found.outer_steps)
        self.at_start = nest.entry.given
        self.past_when = nest.header.end.edges[0].block is nest.latch
        """The value of the header's condition with which there are no terms."""
        self.places = {sum_: places_of(nest, final) for sum_, final in found.sums.items()}
        """Which of the latch's parameters each sum is."""
        starts = self.way_in.given
        self.numbering = next((p for p, op in starts.items() if self._numbers(p, op)), None)
        """A counter that is the number of each iteration."""
        own = self.numbering
        self.trips = builder.resize(trips, own.width if own else max(trips.width, WRAPS_BITS))
        """How often the outer loop runs, as wide as what counts that."""
        self.starts = list(starts.values())
        if self.numbering is None:
            self.starts.append(constant(0, self.trips.width))
        self.fixed = Elsewhere(builder, self.made, starts).value
        """What a value is, before the nest, that no outer iteration changes."""
        self.closing = self._block(nest.header, "sums")
        self.using = self._block(nest.header, "use")
        self.using.loop = nest.header.loop
        nest.header.part = BEGINS_SUMS
        self.using.part = "" if found.is_triangle else USES_SUMS
        self.number = self.numbering or Parameter((), self.trips.width, name="number")
        self.left = LeftBehind(kernel, [*nest.before, self.closing], self.number, found.most)
        self.memories: dict[Op, Memory] = {}
        """The memory of each sum."""

    def run(self) -> None:
        """Does it."""
        past = self._close()
        using = self._use(past)
        if self.found.is_triangle:
            self._add_to_later_ones(using)
        else:
            self._add_to_all()
        self.kernel.blocks = reverse_postorder(self.kernel.entry)

    def _block(self, like: Block, what: str) -> Block:
        return Block(block_name(self.kernel, f"{like.name}_{what}"), line=like.line)

    def _numbers(self, parameter: Op, start: Op) -> bool:
        is_zero = isinstance(start, Constant) and start.value == 0
        is_wide = parameter.width >= WRAPS_BITS
        return is_zero and is_wide and self.found.outer_steps[parameter] == 1

    def _counters(self) -> _Counters:
        return _Counters(self.found.outer_steps, self.numbering, self.trips.width)

    # -- before the sums ----------------------------------------------------------------------

    def _close(self) -> Edge | None:
        """Has the first loop end where the sums begin, and leave what they begin with; the edge
        that led past them."""
        nest, closing = self.nest, self.closing
        nest.header.trip_count = self.using.trip_count = self.trips
        self.way_in.arguments = list(self.starts)
        if self.numbering is None:
            nest.header.parameters.append(self.number)
        closing.parameters = [parameter_like(sum_) for sum_ in self.found.sums]
        past = None
        if nest.is_guarded:
            past = next(e for e in nest.header.end.edges if e.block is nest.latch)
            edges = nest.header.end.edges
            edges[edges.index(past)] = Edge(closing, self._without_terms(past))
        entry = nest.entry
        entry.block = closing
        entry.arguments = [self.at_start[sum_] for sum_ in self.found.sums]
        for sum_, parameter in zip(self.found.sums, closing.parameters, strict=True):
            self.memories[sum_] = self.left.memory(parameter)
        builder = Builder(self.kernel, closing, nest.header.line)
        steps = [*self.found.outer_steps.values(), 1]
        following = counted_on(builder, nest.header.parameters, steps)
        number = following[nest.header.parameters.index(self.number)]
        is_more = builder.compare(Ne, number, self.trips)
        edges = [Edge(nest.header, following), Edge(self.using, list(self.starts))]
        closing.end = Branch(is_more, edges, line=nest.header.line)
        return past

    def _without_terms(self, past: Edge) -> list[Op]:
        """What the latch gets in the place of each sum where there are no terms."""
        return [
            past.arguments[places[0]] if places else constant(0, sum_.width)
            for sum_, places in self.places.items()
        ]

    # -- with the sums ------------------------------------------------------------------------

    def _use(self, past: Edge | None) -> _Counters:
        """Makes the last loop; what counts in it."""
        nest, using, counters = self.nest, self.using, self._counters()
        using.parameters = counters.parameters
        again = Again(self.left, self.made, using, counters.number, counters.known)
        builder = Builder(self.kernel, using, nest.header.line)
        ends: dict[Op, Op] = {}
        for sum_, final in self.found.sums.items():
            memory = self.memories[sum_]
            ends[final] = self.left.load(builder, memory, counters.number, sum_.width)

        def value(op: Op) -> Op:
            if op in self.found.ends and op not in ends:
                ends[op] = self._end(builder, again, self.found.ends[op], counters.number)
            return ends[op] if op in ends else again.value(op)

        for block in nest.after:
            read_instead(block, value)
        onward = nest.inner.exit_edge
        onward.arguments = [value(a) for a in onward.arguments]
        using.end = Jump(edges=[onward], line=nest.header.line)
        if past is not None:
            end = nest.header.end
            sums = {
                places[0]: ends[self.found.sums[sum_]]
                for sum_, places in self.places.items()
                if places
            }
            past.arguments = [
                sums[i] if i in sums else again.value(a) for i, a in enumerate(past.arguments)
            ]
            edges = [past, onward] if self.past_when else [onward, past]
            assert end.condition is not None
            using.end = Branch(value(end.condition), edges, line=end.line)
        self._close_last(counters)
        return counters

    def _close_last(self, counters: _Counters) -> None:
        back, number = self._back(), counters.number
        back.block = self.using
        if self.numbering is None:
            last = Builder(self.kernel, self.nest.latch, self.nest.header.line)
            back.arguments = [*back.arguments, last.plus(number, 1)]

    def _end(self, builder: Builder, again: Again, counter: Op, number: Op) -> Op:
        """What a counter of the inner loop has come to."""
        trips = self.nest.inner.trip_count
        assert trips is not None
        count = number if self.found.is_triangle else self.fixed(trips)
        step = constant(self.found.steps[counter], counter.width)
        far = builder.build(Mul, [builder.resize(count, counter.width), step], counter.width)
        start = again.value(self.at_start[counter])
        return builder.build(Add, [start, far], counter.width)

    def _back(self) -> Edge:
        header, using = self.nest.header, self.using
        return next(e for e in self.nest.latch.end.edges if e.block in (header, using))

    # -- terms --------------------------------------------------------------------------------

    def _add_to_later_ones(self, using: _Counters) -> None:
        """A triangle: behind each sum that is finished, its terms of all later ones."""
        back = self._back()
        following = list(back.arguments)
        before = self._block(self.nest.latch, "terms")
        rest = Builder(self.kernel, before)
        count = rest.build(Sub, [self.trips, using.after(following)], self.trips.width)
        adding = self._adding(before, using.number, following, count)
        adding.end.edges.append(Edge(self.using, list(following)))
        back.block, back.arguments = before, []

    def _add_to_all(self) -> None:
        """A square: all terms of all sums, before any is used."""
        nest = self.nest
        assert nest.inner.trip_count is not None
        trips = self.fixed(nest.inner.trip_count)
        terms, last = self._block(nest.inner, "terms"), self._block(nest.inner, "all")
        terms.loop, terms.trip_count = nest.header.loop, trips
        number = Parameter((), trips.width, line=nest.inner.line, name="term")
        terms.parameters = [number]
        adding = self._adding(terms, number, list(self.starts), self.trips)
        adding.end.edges.append(Edge(last))
        builder = Builder(self.kernel, last, nest.inner.line)
        following = builder.plus(number, 1)
        is_more = builder.compare(Ne, following, trips)
        edges = [Edge(terms, [following]), Edge(self.using, list(self.starts))]
        last.end = Branch(is_more, edges, line=nest.inner.line)
        self._enter(Edge(terms, [constant(0, number.width)]))

    def _enter(self, entry: Edge) -> None:
        """Leads from the first loop to the terms of a square, or past them."""
        header, closing = self.nest.header, self.closing
        if isinstance(self.using.end, Jump):
            closing.end.edges[1] = entry
            return
        asking = self._block(header, "any")
        past = Edge(self.using, list(self.starts))
        assert header.end.condition is not None
        edges = [past, entry] if self.past_when else [entry, past]
        condition = self.fixed(header.end.condition)
        asking.end = Branch(condition, edges, line=header.line)
        closing.end.edges[1] = Edge(asking)

    def just_stored(self, memory: str, index: Op) -> Op | None:
        """What a triangle's latch has left last in a memory, if that is at an index."""
        stores = [
            op for op in self.nest.latch.ops if isinstance(op, Store) and op.memory.name == memory
        ]
        if not self.found.is_triangle or not stores or stores[-1].enable is not None:
            return None
        last = stores[-1]
        return last.stored if bits_of(last.index) == bits_of(index) else None

    def _adding(self, before: Block, number: Op, starts: list[Op], count: Op) -> Block:
        """The loop that adds the terms of the inner iteration `number` to sums, from the one at
        `starts` on; `before` runs before it, and leads to it. It lacks the edge that leaves it."""
        nest, counters = self.nest, self._counters()
        adding = replace(nest.inner.outline(), name=self._block(nest.inner, "add").name)
        adding.trip_count = count
        adding.parameters = counters.parameters
        before.end = Jump(edges=[Edge(adding, starts)], line=nest.inner.line)
        again = Again(self.left, self.made, adding, counters.number, counters.known)
        terms = _Terms(self, before, adding, again)
        builder = Builder(self.kernel, adding, nest.inner.line)
        for sum_, memory in self.memories.items():
            terms.values[sum_] = self.left.load(builder, memory, counters.number, sum_.width)
        terms.make(number)
        for sum_, final in self.found.sums.items():
            self.left.store(builder, self.memories[sum_], counters.number, terms.use(final))
        following = counters.following(builder)
        is_more = builder.compare(Ne, counters.after(following), self.trips)
        back = Edge(adding, following)
        adding.end = Branch(is_more, [back], line=nest.inner.end.line)
        return adding


class _Terms:
    """What the inner loop computes in one iteration, for many outer ones: what is the same for all
    is made in the block `before`, and the rest in the loop `adding`."""

    def __init__(self, of: _Interchange, before: Block, adding: Block, again: Again) -> None:
        self.of = of
        self.again = again
        self.before = Builder(of.kernel, before)
        self.adding = Builder(of.kernel, adding)
        self.values: dict[Op, Op] = {}
        """What stands for those of the inner loop."""
        self.varying: set[Op] = set(of.found.sums)

    def make(self, number: Op) -> None:
        """Makes all that sums are made of, in the inner iteration `number`."""
        found, inner = self.of.found, self.of.nest.inner
        for counter, step in found.steps.items():
            self._count(counter, step, number)
        needed = made_of(found.sums.values(), {*inner.ops})
        for op in inner.ops:
            if op in needed:
                self._make(op)

    def _count(self, counter: Op, step: int, number: Op) -> None:
        """A counter of the inner loop: what it begins with, and as many steps."""
        width = counter.width
        start = self.of.at_start[counter]
        moved = self.before.resize(number, width)
        moved = self.before.build(Mul, [moved, constant(step, width)], width)
        if start in self.of.moving:
            self.varying.add(counter)
        builder = self.adding if counter in self.varying else self.before
        self.values[counter] = builder.build(Add, [self.use(start), moved], width)

    def _make(self, op: Op) -> None:
        varies = not self.varying.isdisjoint(op.operands)
        varies |= not self.of.moving.isdisjoint(op.operands)
        if varies:
            self.varying.add(op)
        builder = self.adding if varies else self.before
        builder.line = op.line
        operands = [self.use(o) for o in op.operands]
        stored = self.of.just_stored(op.memory.name, operands[0]) if isinstance(op, Load) else None
        if stored is not None and not varies:
            self.values[op] = stored
            return
        made = remake(builder, op, operands)
        assert made is not None
        made.name = made.name or op.name
        self.values[op] = made

    def use(self, op: Op) -> Op:
        """What stands for a value."""
        if op in self.values:
            return self.values[op]
        return self.again.value(op) if op in self.of.moving else self.of.fixed(op)
