# SPDX-License-Identifier: Apache-2.0
"""merge-counters: a loop's parameter that is always so much more than another one is a sum of that.

`*p++ = p[-1] + ...` leaves two pointers after LLVM: where the last element was stored, and where
this one is. As one pointer and a constant, accesses through both have one form, and it is known
when they meet. `for (i...) for (j = 0; j <= i; j++)` leaves two counters, i and i + 1, and only of
one of them it is seen how far it counts.

Requires: if-convert (a loop's body is one block, or one between those of a loop inside of it),
strip-zeros (equal pointers have equal forms).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Sums
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block, Edge
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Add, Op, constant, mask
from tandem.passes.simplify import substitute, tidy

SLUG = "merge-counters"
SUMMARY = "make one of counters that go in step"


def run(kernel: Kernel) -> bool:
    """Whether there was such a parameter."""
    predecessors = kernel.predecessors()
    replace: dict[Op, Op] = {}
    for header, body in natural_loops(kernel).items():
        entries = [edge for source, edge in predecessors[header] if source not in body]
        back = [edge for source, edge in predecessors[header] if source in body]
        if len(entries) == len(back) == 1:
            counting = _Counting(header, body, entries[0], back[0])
            found = dict(counting.behind()) or dict(counting.in_step())
            header.ops = [*found.values(), *header.ops]
            replace |= found
    if replace:
        substitute(kernel, replace)
        tidy(kernel)
    return bool(replace)


class _Counting:
    """The parameters of a loop that counts from one edge on, and goes on by another one."""

    def __init__(self, header: Block, body: set[Block], entry: Edge, back: Edge) -> None:
        self.header = header
        self.starts = entry.given
        self.following = back.given
        self.steps = AffineLoop(header, [None] * len(self.starts), body).increments
        self.body = body
        self.sums = Sums()

    def behind(self) -> Iterator[tuple[Op, Op]]:
        """Parameters that are what another one was an iteration ago, and what they are of it."""
        following = self.following
        for p, q in following.items():
            step = self.steps[q] if q in following and following[q] is not q else None
            if step is not None and self._more(p, q) == -step & mask(p.width):
                yield p, _plus(p, q, -step)

    def in_step(self) -> Iterator[tuple[Op, Op]]:
        """Parameters that count by as much as another one, and what they are of it: of one that
        tells when the loop ends, if there is one."""
        counters = sorted((p for p, step in self.steps.items() if step), key=self._is_aside)
        kept: list[Op] = []
        for p in counters:
            for q in kept:
                more = self._more(p, q) if self.steps[p] == self.steps[q] else None
                if more is not None:
                    yield p, _plus(p, q, more)
                    break
            else:
                kept.append(p)

    @cached_property
    def _deciding(self) -> set[Op]:
        """What the ends of the loop follow from."""
        own = {op for block in self.body for op in block.ops}.union(self.header.parameters)
        last = [block for block in self.body if not self.body.issuperset(block.successors)]
        return made_of([b.end.condition for b in last if b.end.condition is not None], own)

    def _is_aside(self, counter: Op) -> bool:
        return counter not in self._deciding

    def _more(self, p: Op, q: Op) -> int | None:
        """By how much the first of one is more than that of another one."""
        if p.width != q.width:
            return None
        return self.sums.difference(self.starts[p], self.starts[q])


def _plus(p: Op, q: Op, more: int) -> Op:
    """A parameter as a sum of another one."""
    number = constant(more & mask(p.width), p.width)
    return Add((q, number), p.width, line=p.line, name=p.name)
