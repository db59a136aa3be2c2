# SPDX-License-Identifier: Apache-2.0
"""split-loops: a loop with two loops in it, one behind the other, becomes two loops.

Then each has one loop in it, in which its iterations may take turns, or may start without waiting
for the other one. What the first one's iterations leave to the second one's is kept in memories
with a place for each.

Requires: licm, sink-stores, count-loops. The outer loop runs a number of times that is known, and
nothing in the first part comes to what the second part of an earlier iteration reaches, where one
of them writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from tandem import policy
from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of
from tandem.analysis.readers import is_read_behind
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name, put_on
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Access, Ne, Op, Parameter, Store, constant, parameter_like
from tandem.passes.left_behind import Again, LeftBehind, counted_on
from tandem.passes.preheaders import trips_before
from tandem.passes.simplify import read_instead, tidy

SLUG = "split-loops"
SUMMARY = "make two loops of one that has two loops in it"

SECOND = "second"
"""The part that the second loop is."""


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Splits the loops that are `wanted`, and notes the others that could be."""
    changed = False
    for pair in list(_pairs(kernel)):
        most = _most_trips(kernel, pair)
        if most:
            kernel.pairs.add(pair.header.loop)
            if pair.header.loop in wanted:
                memories = _Splitting(kernel, pair, most).run()
                kernel.deeds.append(Deed(SLUG, pair.header.loop, memories=memories))
                kernel.facts.clear()
                changed = True
    if changed:
        tidy(kernel)
    return changed


@dataclass
class _Pair:
    """Blocks of a loop, in the order in which each of its iterations goes through them: `first` and
    `second` are the loops in it. `between`: none where one leads to the other."""

    header: Block
    first: Block
    between: list[Block]
    second: Block
    latch: Block

    @property
    def blocks(self) -> list[Block]:
        """All of them."""
        return [*self.part, *self.rest]

    @property
    def part(self) -> list[Block]:
        """What stays in the first loop."""
        return [self.header, self.first, *self.between]

    @property
    def rest(self) -> list[Block]:
        """What goes into the second one, without its header."""
        return [self.second, self.latch]


def _pairs(kernel: Kernel) -> Iterator[_Pair]:
    for header, body in natural_loops(kernel).items():
        if len(body) not in (4, 5) or header.loop == NO_LOOP:
            continue
        blocks = [header]
        while len(blocks) < len(body):
            onward = [b for b in blocks[-1].successors if b in body and b not in blocks]
            if len(onward) != 1:
                break
            blocks += onward
        loops = [block.is_loop for block in blocks]
        is_pair = loops in ([False, True, True, False], [False, True, False, True, False])
        if is_pair and _closes(blocks):
            yield _Pair(header, blocks[1], blocks[2:-2], blocks[-2], blocks[-1])


def _closes(blocks: list[Block]) -> bool:
    """Whether the last block is the one that closes the loop, and the only one that leaves it."""
    jumps = all(isinstance(block.end, Jump) for block in blocks[:-1] if not block.is_loop)
    return jumps and blocks[0] in blocks[-1].successors and len(blocks[-1].successors) == 2


def _most_trips(kernel: Kernel, pair: _Pair) -> int:
    """How often a loop runs at most, if it can be two; else 0."""
    if not all(op.pure or isinstance(op, Access) for block in pair.blocks for op in block.ops):
        return 0
    nests = Nests.of(kernel, ranges_of(kernel))
    loop = nests.loops.get(pair.header)
    most = nests.most_trips(pair.header) if loop else None
    if loop is None or most is None or most > policy.SPLIT_TRIPS or not _is_apart(nests, pair):
        return 0
    is_counted = all(loop.affine.increments[p] is not None for p in pair.header.parameters)
    return most if is_counted and not is_read_behind(kernel, pair.part, pair.blocks) else 0


def _is_apart(nests: Nests, pair: _Pair) -> bool:
    """Whether the first part may go through all of its iterations before the second one begins."""
    meetings = Meetings(nests)
    accesses = [
        [op for b in part for op in b.ops if isinstance(op, Access)]
        for part in (pair.part, pair.rest)
    ]
    return all(
        meetings.never_later(after.index, before.index, pair.header)
        for before in accesses[0]
        for after in accesses[1]
        if before.memory is after.memory and (isinstance(before, Store) or isinstance(after, Store))
    )


class _Splitting:
    """Of one loop. `again` becomes the header of the second one."""

    def __init__(self, kernel: Kernel, pair: _Pair, most: int) -> None:
        self.kernel = kernel
        self.most = most
        if not pair.between:
            put_on(kernel, pair.first.exit_edge, f"{pair.first.name}_behind")
            pair = replace(pair, between=[pair.first.exit_edge.block])
        self.pair = pair
        (self.between,) = pair.between
        self.trips, self.increments = self._counted()
        self.number_bits = self.trips.width
        header = pair.header
        self.again = Block(block_name(kernel, f"{header.name}_split"), line=header.line)
        self.again.loop, self.again.part = header.loop, SECOND
        self.numbers = [Parameter((), self.number_bits, name="number") for _ in range(2)]

    def _counted(self) -> tuple[Op, dict[Op, int | None]]:
        """How often the loop runs, known before it, and by how much its parameters grow."""
        pair, header = self.pair, self.pair.header
        increments = Nests.of(self.kernel).loops[header].affine.increments
        builder, trips = trips_before(self.kernel, header, set(pair.blocks), pair.latch)
        return builder.resize(trips, max(trips.width, WRAPS_BITS)), increments

    def run(self) -> tuple[str, ...]:
        """Does it; the memories for what the first loop leaves to the second one."""
        pair, header = self.pair, self.pair.header
        (entry,) = (e for b, e in self.kernel.predecessors()[header] if b not in pair.blocks)
        starts = list(entry.arguments)
        made = {op for block in pair.part for op in [*block.parameters, *block.ops]}
        known = {parameter: parameter_like(parameter) for parameter in header.parameters}
        self.again.parameters = [*known.values(), self.numbers[1]]
        onward = self.between.end.edges[0]
        left = LeftBehind(self.kernel, [self.between], self.numbers[0], self.most)
        self._hand_over(onward, Again(left, made, self.again, self.numbers[1], known))
        self.again.end = Jump(edges=[onward], line=header.line)
        first = constant(0, self.number_bits)
        header.parameters.append(self.numbers[0])
        entry.arguments.append(first)
        self._close_first(Edge(self.again, [*starts, first]))
        builder = Builder(self.kernel, pair.latch)
        following = counted_on(builder, [self.numbers[1]], [1])
        for edge in pair.latch.end.edges:
            if edge.block is header:
                edge.block = self.again
                edge.arguments += following
        blocks = self.kernel.blocks
        blocks.insert(blocks.index(self.between) + 1, self.again)
        return left.names

    def _hand_over(self, onward: Edge, again: Again) -> None:
        """Has the second loop take what it reads of the first one from copies and memories."""
        for block in self.pair.rest:
            read_instead(block, again.value)
        onward.arguments = [again.value(a) for a in onward.arguments]

    def _close_first(self, leaving: Edge) -> None:
        """The first loop counts as the C's does, and then goes on to the second one."""
        header, between = self.pair.header, self.between
        builder = Builder(self.kernel, between, header.line)
        (number,) = counted_on(builder, [self.numbers[0]], [1])
        steps = [self.increments[p] or 0 for p in header.parameters[:-1]]
        values = counted_on(builder, header.parameters, steps)
        is_more = builder.compare(Ne, number, self.trips)
        back = Edge(header, [*values, number])
        between.end = Branch(is_more, [back, leaving], line=header.line)
