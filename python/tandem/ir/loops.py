# SPDX-License-Identifier: Apache-2.0
"""Natural loops: which blocks a loop consists of, and which of them every iteration reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from tandem.ir.blocks import Block
from tandem.ir.dominators import Dominators, dominates, immediate_dominators
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId

Loops = dict[Block, set[Block]]
"""Header -> all blocks of its loop."""


def natural_loops(kernel: Kernel) -> Loops:
    """Header -> every block of its loop, those of inner loops too. An edge to a block that
    dominates the edge's source closes a loop; loops with one header are one loop."""
    dominators = immediate_dominators(kernel)
    predecessors = kernel.predecessors()
    loops: dict[Block, set[Block]] = {}
    for header in kernel.blocks:
        for latch, _ in predecessors[header]:
            if dominates(header, latch, dominators):
                body = loops.setdefault(header, {header})
                _collect(latch, body, predecessors)
    return loops


def nests_of_two(kernel: Kernel) -> Iterator[tuple[Block, set[Block], Block]]:
    """Loops with one loop in them, of one block: the header, the blocks, and the inner loop."""
    loops = natural_loops(kernel)
    for header, body in loops.items():
        inner = [other for other in loops if other in body and other is not header]
        if len(inner) == 1 and inner[0].is_loop:
            yield header, body, inner[0]


def loop_around(inner: Block, loops: dict[Block, set[Block]]) -> Block | None:
    """The header of the next loop around another one."""
    around = [header for header, body in loops.items() if inner in body and header is not inner]
    return min(around, key=lambda header: len(loops[header]), default=None)


def innermost_loops(kernel: Kernel) -> dict[Block, Block]:
    """Block -> header of the innermost loop that it is in; blocks outside of loops are left out."""
    return innermost_of(natural_loops(kernel))


def innermost_of(loops: dict[Block, set[Block]]) -> dict[Block, Block]:
    """The same, of loops that are there already."""
    found: dict[Block, Block] = {}
    for header in sorted(loops, key=lambda header: -len(loops[header])):
        found.update(dict.fromkeys(loops[header], header))
    return found


def another(kernel: Kernel, loop: LoopId) -> LoopId:
    """An id for a loop that stands where another one does in the C, but is not there. One in the
    other must not have its id too: what is known of accesses in different iterations of a loop
    names the loop."""
    known = {block.loop for block in kernel.blocks}
    return next(new for n in count(-1, -1) if (new := replace(loop, ordinal=n)) not in known)


def each_loop(kernel: Kernel, outer_first: bool) -> Iterator[tuple[Block, Loops]]:
    """The header of every loop, once, with all loops as they are then: what is done to one of them
    may make others."""
    done = set[Block]()
    while True:
        loops = natural_loops(kernel)
        rest = [header for header in loops if header not in done]
        if not rest:
            return
        size = {
            header: -len(loops[header]) if outer_first else len(loops[header]) for header in rest
        }
        header = min(rest, key=size.__getitem__)
        done.add(header)
        yield header, loops


def turning(loops: Loops) -> Loops:
    """Those of some loops that do more than go back now and then."""
    return {
        header: body
        for header, body in loops.items()
        if any(e.block is header and not e.seldom for block in body for e in block.end.edges)
    }


def always_reached(header: Block, body: set[Block], dominators: Dominators) -> set[Block]:
    """Blocks of a loop that every iteration runs through, the last one too."""
    ends = [b for b in body if any(s is header or s not in body for s in b.successors)]
    return {b for b in body if all(dominates(b, end, dominators) for end in ends)}


def _collect(latch: Block, body: set[Block], predecessors: dict[Block, list]) -> None:
    """Adds what reaches the latch without passing the header, which is in `body` already."""
    work = [latch]
    while work:
        block = work.pop()
        if block not in body:
            body.add(block)
            work += [before for before, _ in predecessors[block]]


def reaches(start: Block, goal: Block, without: Block | None = None) -> bool:
    """Whether some path of at least one edge leads from `start` to `goal`, and not by way of
    `without`."""
    seen, work = {without}, list(start.successors)
    while work:
        block = work.pop()
        if block is goal:
            return True
        if block not in seen:
            seen.add(block)
            work += block.successors
    return False
