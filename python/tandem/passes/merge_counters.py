# SPDX-License-Identifier: Apache-2.0
"""merge-counters: a loop's parameter that is what another one was an iteration ago is that one
less its step.

`*p++ = p[-1] + ...` leaves two pointers after LLVM: where the last element was stored, and where
this one is. As one pointer and a constant, accesses through both have one form, and it is known
when they meet.

Requires: if-convert (a loop's body is one block, or one between those of a loop inside of it),
strip-zeros (equal pointers have equal forms).
"""

from __future__ import annotations

from collections.abc import Iterator

from tandem.analysis.linear import AffineLoop, Sums
from tandem.ir.kernel import Block, Edge, Kernel, Op, constant
from tandem.ir.loops import natural_loops
from tandem.ir.operations import mask
from tandem.passes.simplify import substitute, tidy

SLUG = "merge-counters"
SUMMARY = "make one of a counter and of what it was an iteration ago"


def run(kernel: Kernel) -> bool:
    """Whether there was such a parameter."""
    predecessors = kernel.predecessors()
    replace: dict[Op, Op] = {}
    for header, body in natural_loops(kernel).items():
        entries = [edge for source, edge in predecessors[header] if source not in body]
        back = [edge for source, edge in predecessors[header] if source in body]
        if len(entries) == len(back) == 1:
            found = dict(_merged(header, body, entries[0], back[0]))
            header.ops = [*found.values(), *header.ops]
            replace |= found
    if replace:
        substitute(kernel, replace)
        tidy(kernel)
    return bool(replace)


def _merged(header: Block, body: set[Block], entry: Edge, back: Edge) -> Iterator[tuple[Op, Op]]:
    """Parameters of a loop, and what each is of another one's value."""
    following = back.given
    behind = {p: q for p, q in following.items() if q in following and following[q] is not q}
    if not behind:
        return
    starts = entry.given
    steps = AffineLoop(header, [None] * len(starts), body).increments
    for p, q in behind.items():
        step = steps[q]
        if step is not None and Sums().difference(starts[p], starts[q]) == -step & mask(p.width):
            less = constant(-step & mask(p.width), p.width)
            yield p, Op("add", (q, less), p.width, line=p.line, name=p.name)
