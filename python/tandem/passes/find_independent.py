# SPDX-License-Identifier: Apache-2.0
"""find-independent: loops are found whose iterations could take turns in the loop inside them.

They differ in counters alone, go through the same blocks as often as each other, and none reaches
what another one stores. The inner loop is told how many there are at most (`Block.independent`).

Requires: hoist, sink-stores (the inner loop reaches no more than it has to), and indices as wide as
in the C: of narrowed ones it is less clear that they do not wrap.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Loop, Nests
from tandem.analysis.ranges import find_ranges
from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.loops import natural_loops

SLUG = "find-independent"
SUMMARY = "find loops whose iterations could take turns in the loop inside them"

MOST_ACCESSES = 64
"""Of one memory, in the nests that are looked at."""
UNKNOWN_TRIPS = 1 << 15
"""What stands for a number of iterations of which nothing is known."""


def run(kernel: Kernel) -> bool:
    """Tells each inner loop how many iterations of the loop around it can take turns in it; whether
    there are any."""
    found = [nest for nest in _nests(kernel) if nest[2].trip_count is not None]
    if not found:
        return False
    nests = Nests(kernel, Builder(kernel, Block("forms")), find_ranges(kernel))
    for header, body, inner in found:
        if _are_independent(nests, header, body, inner):
            inner.independent = nests.most_trips(header) or UNKNOWN_TRIPS
    return any(inner.independent for _, _, inner in found)


def _nests(kernel: Kernel) -> Iterator[tuple[Block, set[Block], Block]]:
    """Loops with one loop of one block in them: its header, its blocks, and the inner loop."""
    loops = natural_loops(kernel)
    for header, body in loops.items():
        inner = [other for other in loops if other in body and other is not header]
        if len(inner) == 1 and inner[0].is_loop:
            yield header, body, inner[0]


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
    accesses: dict[str, list[Op]] = {}
    for op in (op for block in body for op in block.ops if op.is_access):
        accesses.setdefault(op.memory, []).append(op)
    meetings = Meetings(nests)
    return all(
        len(ops) <= MOST_ACCESSES
        and all(
            meetings.never_in_others(a.index, b.index, header)
            for a, b in combinations_with_replacement(ops, 2)
            if "store" in (a.kind, b.kind)
        )
        for ops in accesses.values()
        if any(op.kind == "store" for op in ops)
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
            for op in block.ops:
                if not op.pure or not found.isdisjoint(op.operands):
                    found.add(op)
            for edge in block.end.edges:
                pairs = zip(edge.block.parameters, edge.arguments, strict=True)
                found.update(parameter for parameter, value in pairs if value in found)
    return found


def _decisions(header: Block, body: set[Block]) -> Iterator[Op]:
    """What it depends on through which blocks an iteration goes."""
    for block in {header, *body}:
        if block.end.condition is not None and body.issuperset({*block.successors} - {header}):
            yield block.end.condition
