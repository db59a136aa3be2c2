# SPDX-License-Identifier: Apache-2.0
"""end-counters: what a loop's counter ends with is computed from what it begins with.

    for (i...) { for (j < 22) *p++ = ...;  p += 2; }

The pointer goes on where the inner loop has left it, and is no counter of the outer loop. Where the
inner loop runs a known number of times it ends 22 further than it began: so it is one, which grows
by 24, and indices have the forms that subscripts have.

Requires: if-convert (a loop's body is one block), count-loops. Where the number is no constant, the
step is a power of two, so that no multiplier is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tandem.analysis.affine import AffineLoop
from tandem.analysis.readers import count_readers, read_by
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Add, Mul, Op, Sub, constant, mask, signed
from tandem.passes.preheaders import preheader
from tandem.passes.simplify import read_instead, tidy

SLUG = "end-counters"
SUMMARY = "compute what a loop's counter ends with from what it begins with"


def run(kernel: Kernel) -> bool:
    """Whether there was such a counter, in a loop inside another one."""
    changed, readers = False, count_readers(kernel)
    for block in _inner_loops(kernel):
        ways = [(b, e) for b, e in kernel.predecessors()[block] if b is not block]
        if len(ways) == 1:
            ends = dict(_ends(block, ways[0][1], readers))
            if ends:
                _replace(kernel, block, ways[0], ends)
                changed = True
    if changed:
        tidy(kernel)
    return changed


def _inner_loops(kernel: Kernel) -> list[Block]:
    """Counted loops of one block inside of others."""
    loops = natural_loops(kernel)
    around = [(header, body) for header, body in loops.items() if len(body) > 1]
    inside = {block for header, body in around for block in body if block is not header}
    return [b for b in loops if b in inside and b.is_loop and b.trip_count is not None]


@dataclass(frozen=True)
class _End:
    """What a counter is behind so many steps, and but for as many of them as are `before` that."""

    counter: Op
    step: int
    before: int


def _ends(block: Block, entry: Edge, readers: Counter[Op]) -> Iterator[tuple[Op, _End]]:
    """What is read behind a loop and is a counter of it, or what that is next."""
    steps = AffineLoop(block, list(entry.arguments)).steps
    following = block.back_edge.given
    inside = Counter(read_by(block))
    inside.subtract(block.exit_edge.arguments)
    for counter, step in steps.items():
        if step and _is_cheap(block, step, counter.width):
            if readers[following[counter]] > inside[following[counter]]:
                yield following[counter], _End(counter, step, 0)
            if readers[counter] > inside[counter]:
                yield counter, _End(counter, step, 1)


def _is_cheap(block: Block, step: int, width: int) -> bool:
    pace = abs(signed(step & mask(width), width))
    return block.known_trips > 0 or pace & (pace - 1) == 0


def _replace(kernel: Kernel, block: Block, way: tuple[Block, Edge], ends: dict[Op, _End]) -> None:
    """Computes ends before a loop."""
    source, entry = preheader(kernel, *way)
    starts = entry.given
    builder = Builder(kernel, source, block.line)
    assert block.trip_count is not None
    made: dict[Op, Op] = {}
    for value, end in ends.items():
        width = end.counter.width
        count = builder.resize(block.trip_count, width)
        count = builder.build(Sub, [count, constant(end.before, width)], width)
        far = builder.build(Mul, [count, constant(end.step, width)], width)
        made[value] = builder.build(Add, [starts[end.counter], far], width)
    leave = block.exit_edge
    leave.arguments = [made.get(a, a) for a in leave.arguments]
    for other in kernel.blocks:
        if other is not block:
            read_instead(other, lambda value: made.get(value, value))
