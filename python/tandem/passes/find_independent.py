# SPDX-License-Identifier: Apache-2.0
"""find-independent: loops are found whose iterations could take turns in the loop inside them, and
accesses of which no two meet in different iterations of a loop.

Iterations that take turns differ in counters alone, go through the same blocks as often as each
other, and none reaches what another one stores. The inner loop is told how many there are at most
(`Block.independent`). Accesses that are `ALWAYS_APART` say so: where a row is read that may be the
one that is written, it is in the same column, which is read before.

Requires: licm, sink-stores (the inner loop reaches no more than it has to), and indices as wide as
in the C: of narrowed ones it is less clear that they do not wrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations_with_replacement

from tandem.analysis.meetings import ALWAYS_APART, Meetings
from tandem.analysis.nests import Loop, Nests
from tandem.analysis.ranges import ranges_of
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.loops import nests_of_two
from tandem.ir.ops import Access, Op, Store

SLUG = "find-independent"
SUMMARY = "find loops whose iterations could take turns in the loop inside them"

MOST_ACCESSES = 16
"""Of one memory, in what is looked at: the work grows with their square."""
UNKNOWN_TRIPS = 1 << 15
"""What stands for a number of iterations of which nothing is known."""


def run(kernel: Kernel) -> bool:
    """Tells each inner loop how many iterations of the loop around it can take turns in it, and
    accesses that they do not meet; whether there are loops with stores at all."""
    inner = [block for block in kernel.blocks if block.is_loop and _stored(block.ops)]
    outer = [nest for nest in nests_of_two(kernel) if nest[2].trip_count is not None]
    if not inner and not outer:
        return False
    nests = Nests.of(kernel, ranges_of(kernel))
    for header, body, block in outer:
        if _are_independent(nests, header, body, block):
            block.independent = nests.most_trips(header) or UNKNOWN_TRIPS
    for header in nests.loops:
        if not header.known_trips and not header.rounds:
            header.rounds = nests.usual_trips(header)
    for block in inner:
        _tell_apart(nests, block)
        _tell_in_step(nests, block)
    for header, loop in nests.loops.items():
        is_around = header not in inner and not loop.body.isdisjoint(inner)
        if is_around and header.loop != NO_LOOP:
            _tell_alone(nests, header, loop)
    return True


def _tell_alone(nests: Nests, header: Block, loop: Loop) -> None:
    """Marks the accesses to a memory of which none comes to what one has stored in an earlier
    iteration of a loop, as it is seen from there."""
    seen = cache(lambda: _seen_from(nests, header))
    for ops in _stored(op for block in loop.body for op in block.ops).values():
        if len(ops) <= MOST_ACCESSES and _are_alone(seen(), ops, header):
            for op in ops:
                others = op.attributes.get("alone")
                op.attributes["alone"] = f"{others}+{header.loop}" if others else str(header.loop)


def _are_alone(meetings: Meetings, ops: list[Op], header: Block) -> bool:
    return all(
        meetings.never_later(store.index, op.index, header)
        for store in ops
        if isinstance(store, Store)
        for op in ops
    )


def _tell_apart(nests: Nests, block: Block) -> None:
    """Marks the accesses of a loop that never meet in different iterations; of those that do, the
    ones that meet most others are left out."""
    for ops in _stored(block.ops).values():
        left = list(ops) if 1 < len(ops) <= MOST_ACCESSES else []
        meeting = _meeting(nests, block, left)
        while any(meeting.values()):
            worst = max(left, key=lambda op: len(meeting[op]))
            left.remove(worst)
            for op in meeting.pop(worst):
                meeting.get(op, set()).discard(worst)
        if any(isinstance(op, Store) for op in left) and len(left) > 1:
            for op in left:
                op.attributes["apart"] = ALWAYS_APART


def _tell_in_step(nests: Nests, inner: Block) -> None:
    """Marks the accesses of a loop that, in another iteration of the loop around it, come to an
    element in the same of its own iterations or in a later one."""
    outer = next((header for header in nests.around(inner) if header is not inner), None)
    if outer is None or outer not in nests.loops or outer.loop == NO_LOOP:
        return
    meetings = Meetings(nests)
    for ops in _stored(inner.ops).values():
        pairs = combinations_with_replacement(ops, 2)
        if len(ops) <= MOST_ACCESSES and all(
            meetings.in_step(a.index, b.index, outer, inner)
            for a, b in pairs
            if (isinstance(a, Store) or isinstance(b, Store))
        ):
            for op in ops:
                op.attributes["in_step"] = str(outer.loop)


def _meeting(nests: Nests, block: Block, ops: list[Op]) -> dict[Op, set[Op]]:
    """Of each access those that it may meet in another iteration."""
    found: dict[Op, set[Op]] = {op: set() for op in ops}
    meetings, inside = Meetings(nests), cache(lambda: _seen_from(nests, block))
    for a, b in combinations_with_replacement(ops, 2):
        if not (isinstance(a, Store) or isinstance(b, Store)):
            continue
        pair = a.index, b.index, block
        if not (meetings.never_in_others(*pair) or inside().never_in_others(*pair)):
            found[a].add(b)
            found[b].add(a)
    return found


def _seen_from(nests: Nests, header: Block) -> Meetings:
    """What is made around a loop, and moves from one of its rounds to the next as it likes, is a
    number there."""
    return Meetings(Nests.of(nests.kernel, nests.ranges, header))


def _stored(ops: Iterable[Op]) -> dict[str, list[Op]]:
    """The accesses of each memory that some of the operations write."""
    accesses: dict[str, list[Op]] = {}
    for op in ops:
        if isinstance(op, Access):
            accesses.setdefault(op.memory.name, []).append(op)
    return {m: of for m, of in accesses.items() if any(isinstance(op, Store) for op in of)}


def _are_independent(nests: Nests, header: Block, body: set[Block], inner: Block) -> bool:
    loop = nests.loops.get(header)
    if loop is None or loop.trips is None or inner not in nests.loops or not _ends_at_latch(loop):
        return False
    steps = [loop.affine.increments[parameter] for parameter in header.parameters]
    if None in steps:
        return False
    moving = {p for p, step in zip(header.parameters, steps, strict=True) if step}
    varying = varying_in(header, body, moving)
    if not varying.isdisjoint(_decisions(header, body)):
        return False
    stored = _stored(op for block in body for op in block.ops)
    meetings = Meetings(nests)
    return all(
        len(ops) <= MOST_ACCESSES
        and all(
            meetings.never_in_others(a.index, b.index, header)
            for a, b in combinations_with_replacement(ops, 2)
            if (isinstance(a, Store) or isinstance(b, Store))
        )
        for ops in stored.values()
    )


def _ends_at_latch(loop: Loop) -> bool:
    """Whether the only way out is where the loop is closed."""
    leaving = [b for b in loop.body if any(s not in loop.body for s in b.successors)]
    return len(leaving) == 1 and loop.header in leaving[0].successors


def varying_in(header: Block, body: set[Block], moving: set[Op]) -> set[Op]:
    """What may differ between iterations of a loop: what moves, and what is made of that."""
    found, size = set(moving), -1
    while len(found) != size:
        size = len(found)
        for block in {header, *body}:
            # One after the other: what an operation makes may be in the next one.
            found.update(op for op in block.ops if not op.pure or found & {*op.operands})
            for edge in block.end.edges:
                pairs = zip(edge.block.parameters, edge.arguments, strict=True)
                found.update(parameter for parameter, value in pairs if value in found)
    return found


def _decisions(header: Block, body: set[Block]) -> Iterator[Op]:
    """What it depends on through which blocks an iteration goes."""
    for block in {header, *body}:
        if block.end.condition is not None and body.issuperset({*block.successors} - {header}):
            yield block.end.condition
