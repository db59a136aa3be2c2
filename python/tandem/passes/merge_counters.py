# SPDX-License-Identifier: Apache-2.0
"""merge-counters: a loop's parameter that is what another one was an iteration ago is that one
less its step.

`*p++ = p[-1] + ...` leaves two pointers after LLVM: where the last element was stored, and where
this one is. As one pointer and a constant, accesses through both have one form, and it is known
when they meet.

Requires: if-convert (a loop's body is one block), strip-zeros (equal pointers have equal forms).
"""

from __future__ import annotations

from collections.abc import Iterator

from tandem.analysis.linear import AffineLoop, Sums
from tandem.ir.kernel import Block, Edge, Kernel, Op, constant
from tandem.ir.operations import mask
from tandem.passes.simplify import substitute, tidy

SLUG = "merge-counters"
SUMMARY = "make one of a counter and of what it was an iteration ago"


def run(kernel: Kernel) -> bool:
    """Whether there was such a parameter."""
    predecessors = kernel.predecessors()
    replace: dict[Op, Op] = {}
    for block in kernel.blocks:
        entries = [edge for source, edge in predecessors[block] if source is not block]
        if block.is_loop and len(entries) == 1:
            found = dict(_merged(block, entries[0]))
            block.ops = [*found.values(), *block.ops]
            replace |= found
    if replace:
        substitute(kernel, replace)
        tidy(kernel)
    return bool(replace)


def _merged(block: Block, entry: Edge) -> Iterator[tuple[Op, Op]]:
    """Parameters of a loop, and what each is of another one's value."""
    following = block.back_edge.given
    behind = {p: q for p, q in following.items() if q in following and following[q] is not q}
    if not behind:
        return
    starts = entry.given
    steps = AffineLoop(block, [None] * len(starts)).increments
    for p, q in behind.items():
        step = steps[q]
        if step is not None and Sums().difference(starts[p], starts[q]) == -step & mask(p.width):
            less = constant(-step & mask(p.width), p.width)
            yield p, Op("add", (q, less), p.width, line=p.line, name=p.name)
