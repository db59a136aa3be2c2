# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a block must wait for which: two meet where both are to one element and one of
them writes.

Accesses to places that nobody knows are all in order: as many orders as there are pairs, of which
those of neighbours say the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tandem.analysis.affine import UNKNOWN, AffineLoop, Distance
from tandem.analysis.distances import Distances
from tandem.analysis.exclusions import Exclusions
from tandem.analysis.linear import Ranges, Sums
from tandem.analysis.meetings import ALWAYS_APART
from tandem.analysis.ranges import ranges_of, turns_of
from tandem.analysis.symbolic_steps import SymbolicSteps
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Load, Op, Store
from tandem.schedule.unsplit import block_before

OWN_TURN = "the next turn of the same outer iteration needs the value"
MEETING = "an access and a store may be to one place"


@dataclass
class AccessOrder:
    """`second`, of the `iterations`-th next iteration, starts a cycle or more after `first`."""

    first: Op
    second: Op
    iterations: int = 0
    why: str = MEETING
    follows: bool = False
    """From two others that are longer together."""

    @property
    def memory(self) -> str:
        """The memory that it is about."""
        return self.first.memory.name if self.why == MEETING else ""


def is_alone(op: Op, loop: Block) -> bool:
    """Whether accesses that say so come to nothing that one of them has stored in an earlier
    iteration of a loop."""
    return str(loop.loop) in str(op.attributes.get("alone", "")).split("+")


def access_orders(kernel: Kernel, block: Block) -> list[AccessOrder]:
    """Those of all memories; what is known of them before anything is split for a clock, where its
    accesses are the same."""
    before = block_before(kernel, block)
    if before is None or _kinds(before) != _kinds(block):
        return _found(kernel, block)
    assert kernel.unsplit is not None, "it has the block"
    known = kernel.unsplit.facts.setdefault("orders", {})
    if before not in known:
        known[before] = _found(kernel.unsplit, before)
    now = dict(zip(_accesses(before), _accesses(block), strict=True))
    return [replace(o, first=now[o.first], second=now[o.second]) for o in known[before]]


def _accesses(block: Block) -> list[Op]:
    return [op for op in block.ops if isinstance(op, Access)]


def _kinds(block: Block) -> list[tuple[str, str]]:
    return [(op.slug, op.memory.name) for op in _accesses(block)]


def _found(kernel: Kernel, block: Block) -> list[AccessOrder]:
    by_memory: dict[str, list[Op]] = {}
    for op in _accesses(block):
        by_memory.setdefault(op.memory.name, []).append(op)
    if all(isinstance(op, Load) for accesses in by_memory.values() for op in accesses):
        return []
    ranges = ranges_of(kernel)
    loop, exclusions = _affine(kernel, block, ranges), Exclusions(block, ranges)
    found: list[AccessOrder] = []
    for accesses in by_memory.values():
        place = {op: i for i, op in enumerate(accesses)}
        orders = list(_orders(accesses, loop, ranges, exclusions))
        _tell_what_follows(
            orders, [(place[o.first], place[o.second], o.iterations) for o in orders]
        )
        found += orders
    return found


def _affine(kernel: Kernel, block: Block, ranges: Ranges) -> AffineLoop | None:
    if not block.is_loop:
        return None
    entries = [e for b, e in kernel.predecessors()[block] if b is not block]
    unknown: list[Op | None] = [None] * len(block.parameters)
    initial: list[Op | None] = list(entries[0].arguments) if len(entries) == 1 else unknown
    turns = turns_of(kernel).get(block)
    return AffineLoop(block, initial, ranges=ranges, turns=turns)


def _orders(
    accesses: list[Op], loop: AffineLoop | None, ranges: Ranges, exclusions: Exclusions
) -> Iterator[AccessOrder]:
    """A store is done one cycle after it starts; before that no access to its element may start,
    and it may not start before earlier accesses to its element have."""
    sums, distances = Sums(ranges), Distances(ranges)
    steps = SymbolicSteps(loop, sums) if loop else None
    for i, first in enumerate(accesses):
        for j, second in enumerate(accesses):
            if not (isinstance(first, Store) or isinstance(second, Store)):
                continue
            distance = loop.distance(first.index, second.index) if loop else UNKNOWN
            if distance is None or exclusions.ever(first, second):
                continue
            if distance == UNKNOWN and steps and steps.never_later(first, second):
                distance = Distance(0, 0)
            always = not isinstance(distance, Distance) or distance.first == 0
            meet = i < j and always and not _differ(sums, distances, first, second)
            if meet and not exclusions.now(first, second):
                yield AccessOrder(first, second)
            apart = _apart(first, second)
            carried = _carried(distance, apart) if loop and apart != ALWAYS_APART else 0
            if carried:
                why = OWN_TURN if "own_turn" in second.attributes else MEETING
                yield AccessOrder(first, second, carried, why)


def _differ(sums: Sums, distances: Distances, first: Op, second: Op) -> bool:
    """Whether two accesses of one iteration surely reach different elements."""
    one, other = sums.form(first.index), sums.form(second.index)
    return one is not None and other is not None and distances.never_same(one, other)


def _apart(before: Op, after: Op) -> int:
    """Of how many iterations the accesses are known not to meet in memory: iterations of an outer
    loop take turns, or a load sees what a store has left elsewhere too."""
    own = min(before.attributes.get("apart", 0), after.attributes.get("apart", 0))
    return max(own, after.attributes.get("forwarded", 0) if isinstance(before, Store) else 0)


def _carried(distance: Distance | int, apart: int) -> int:
    """The first later iteration in which two accesses meet, or may, beyond some; 0 for none."""
    if not isinstance(distance, Distance):
        return apart + 1
    later = distance.first or distance.period
    while 0 < later <= apart:
        later = later + distance.period if distance.period else 0
    return later


def _tell_what_follows(orders: list[AccessOrder], places: Sequence[tuple[int, int, int]]) -> None:
    """Finds the orders that follow from two others that are longer together. Those may follow from
    yet others: of a chain, the links are left. `places`: where both accesses are, and iterations.

    A set of places is an integer, of which bit i says whether i is in it."""
    within = [(a, b) for a, b, iterations in places if iterations == 0]
    next_ = [(a, b) for a, b, iterations in places if iterations == 1]
    later, earlier = _sets(within), _sets((b, a) for a, b in within)
    next_after, next_before = _sets(next_), _sets((b, a) for a, b in next_)
    for order, (a, b, iterations) in zip(orders, places, strict=True):
        between = later[a] & earlier[b]
        if iterations:
            between = later[a] & (next_before[b] | 1 << b) | next_after[a] & earlier[b]
        order.follows = bool(between) and order.why == MEETING


def _sets(pairs: Iterable[tuple[int, int]]) -> defaultdict[int, int]:
    """First of some pairs -> all that are second there."""
    found: defaultdict[int, int] = defaultdict(int)
    for a, b in pairs:
        found[a] |= 1 << b
    return found
