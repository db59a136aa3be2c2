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
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Add, Op, constant, mask
from tandem.ir.wiring import makers_of
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
            made = [*found.values()]
            if not found:
                builder = Builder(kernel, Block("sums"))
                found = dict(counting.in_long_step(builder))
                made = builder.block.ops
            header.ops = [*made, *header.ops]
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

    def in_long_step(self, builder: Builder) -> Iterator[tuple[Op, Op]]:
        """Parameters that go on by as much as another one, where that is a number that the loop
        does not change, and what they are of it, made with `builder`."""
        steps = {p: step for p in self.header.parameters if (step := self._long_step(p))}
        kept: list[Op] = []
        for p in sorted(steps, key=self._is_aside):
            q = next((q for q in kept if _are_equal(steps[p], steps[q])), None)
            starts = [None if o is None else self.sums.form(self.starts[o]) for o in (p, q)]
            if q is None or starts[0] is None or starts[1] is None:
                kept.append(p)
            else:
                more = starts[0].plus(starts[1], -1)
                builder.line = p.line
                sum_ = builder.build(Add, [q, more.value(builder)], p.width)
                sum_.name = sum_.name or p.name
                yield p, sum_

    def _long_step(self, p: Op) -> Linear | None:
        """By how much a parameter is more in each iteration, if that is no constant."""
        form = None if self.steps[p] is not None else self.sums.form(self.following[p])
        if form is None or form.terms.get(p) != 1:
            return None
        step = form.plus(Linear(form.width, terms={p: 1}), -1)
        return None if any(not self._own.isdisjoint(makers_of([op])) for op in step.terms) else step

    @cached_property
    def _own(self) -> set[Op]:
        return {op for block in self.body for op in (*block.parameters, *block.ops)}

    @cached_property
    def _deciding(self) -> set[Op]:
        """What the ends of the loop follow from."""
        last = [block for block in self.body if not self.body.issuperset(block.successors)]
        return made_of([b.end.condition for b in last if b.end.condition is not None], self._own)

    def _is_aside(self, counter: Op) -> bool:
        return counter not in self._deciding

    def _more(self, p: Op, q: Op) -> int | None:
        """By how much the first of one is more than that of another one."""
        if p.width != q.width:
            return None
        return self.sums.difference(self.starts[p], self.starts[q])


def _are_equal(one: Linear, other: Linear) -> bool:
    """Whether two sums are always the same number of one width."""
    gap = one.plus(other, -1).centred()
    return one.width == other.width and not gap.constant and not any(gap.terms.values())


def _plus(p: Op, q: Op, more: int) -> Op:
    """A parameter as a sum of another one."""
    number = constant(more & mask(p.width), p.width)
    return Add((q, number), p.width, line=p.line, name=p.name)
