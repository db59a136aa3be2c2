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
from dataclasses import replace
from functools import cached_property

from tandem.analysis.affine import AffineLoop
from tandem.analysis.counters import with_two_ways
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Add, Op
from tandem.passes.simplify import substitute, tidy

SLUG = "merge-counters"
SUMMARY = "make one of counters that go in step"


def run(kernel: Kernel) -> bool:
    """Whether there was such a parameter."""
    predecessors = kernel.predecessors()
    becomes: dict[Op, Op] = {}
    for body, (_, entry), (_, back) in with_two_ways(natural_loops(kernel), predecessors):
        counting, builder = _Counting(body, entry, back), Builder(kernel, Block("sums"))
        found = dict(counting.behind(builder)) or dict(counting.in_step(builder))
        back.block.ops = [*builder.block.ops, *back.block.ops]
        becomes |= found
    if becomes:
        substitute(kernel, becomes)
        tidy(kernel)
    return bool(becomes)


class _Counting:
    """The parameters of a loop that counts from one edge on, and goes on by another one."""

    def __init__(self, body: set[Block], entry: Edge, back: Edge) -> None:
        self.starts = entry.given
        self.following = back.given
        self.loop = AffineLoop(back.block, [None] * len(self.starts), body)
        self.steps = self.loop.increments
        self.body = body
        self.sums = Sums()

    def behind(self, builder: Builder) -> Iterator[tuple[Op, Op]]:
        """Parameters that are what another one was an iteration ago, and what they are of it, made
        with `builder`."""
        following = self.following
        for p, q in following.items():
            step = self.steps[q] if q in following and following[q] is not q else None
            more = None if step is None else self._more(p, q)
            if step is not None and more and _are_equal(more, Linear(p.width, -step)):
                yield p, _plus(builder, p, q, more)

    def in_step(self, builder: Builder) -> Iterator[tuple[Op, Op]]:
        """Parameters that go on by as much as another one, a number that the loop does not change,
        and what they are of it: of one that tells when the loop ends, if there is one. Of those
        that count by a constant, only where that is another constant: all accesses have forms then
        as it is."""
        steps = {p: step for p in self.following if (step := self._step(p)) is not None}
        kept: list[Op] = []
        for p in sorted(steps, key=self._is_aside):
            for q in kept:
                more = self._more(p, q) if _are_equal(steps[p], steps[q]) else None
                if more is not None and (steps[p].terms or not more.terms):
                    yield p, _plus(builder, p, q, more)
                    break
            else:
                kept.append(p)

    def _step(self, p: Op) -> Linear | None:
        """By how much a parameter is more in each iteration; None where it is not always that, or
        is no more."""
        known = self.steps[p]
        if known is not None:
            return Linear(p.width, known) if known else None
        form = self.sums.form(self.following[p])
        if form is None or form.terms.get(p) != 1:
            return None
        step = form.plus(Linear(form.width, terms={p: 1}), -1)
        return None if any(map(self.loop.moves, step.terms)) else step

    @cached_property
    def _deciding(self) -> set[Op]:
        """What the ends of the loop follow from."""
        last = [block for block in self.body if not self.body.issuperset(block.successors)]
        return made_of(
            [b.end.condition for b in last if b.end.condition is not None], self.loop.own
        )

    def _is_aside(self, counter: Op) -> bool:
        return counter not in self._deciding

    def _more(self, p: Op, q: Op) -> Linear | None:
        """By how much the first of one is more than that of another one, a number or a sum of what
        is made before the loop."""
        gap = self.sums.gap(self.starts[p], self.starts[q])
        if p.width != q.width or gap is None:
            return None
        more = gap.centred()
        return replace(more, terms={op: weight for op, weight in more.terms.items() if weight})


def _are_equal(one: Linear, other: Linear) -> bool:
    """Whether two sums are always the same number of one width."""
    gap = one.plus(other, -1).centred()
    return one.width == other.width and not gap.constant and not any(gap.terms.values())


def _plus(builder: Builder, p: Op, q: Op, more: Linear) -> Op:
    """A parameter as a sum of another one."""
    builder.line = p.line
    sum_ = builder.build(Add, [q, more.value(builder)], p.width)
    sum_.name = sum_.name or p.name
    return sum_
