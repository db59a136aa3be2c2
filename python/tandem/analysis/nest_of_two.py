# SPDX-License-Identifier: Apache-2.0
"""A loop around another one, as passes that change both need them: what comes before the inner one,
and what after it."""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.lines import NO_LOOP
from tandem.ir.ops import Op


@dataclass(frozen=True)
class NestOfTwo:
    """An outer iteration goes through the blocks `before`, the `inner` loop, and those `after` it;
    from the first block to the last one where the inner loop does not run (`is_guarded`)."""

    before: list[Block]
    inner: Block
    after: list[Block]

    @property
    def header(self) -> Block:
        return self.before[0]

    @property
    def latch(self) -> Block:
        return self.after[-1]

    @property
    def blocks(self) -> list[Block]:
        return [*self.before, self.inner, *self.after]

    @property
    def is_guarded(self) -> bool:
        return self.latch in self.header.successors

    @property
    def entry(self) -> Edge:
        """The way into the inner loop."""
        return next(e for e in self.before[-1].end.edges if e.block is self.inner)


def nest_of(header: Block, body: set[Block], inner: Block) -> NestOfTwo | None:
    """The nest, if its blocks lie as they must."""
    before, after = [header], [inner.exit_edge.block]
    onward = [s for s in header.successors if s in body]
    if inner not in onward:
        between = [b for b in onward if b.successors == [inner]]
        before += between[:1]
    if header not in after[0].successors:
        after += [s for s in after[0].successors if s in body][:1]
    nest = NestOfTwo(before, inner, after)
    ways = {before[1] if len(before) > 1 else inner, nest.latch}
    is_whole = body == set(nest.blocks) and len(body) == len(nest.blocks)
    has_edges = inner in before[-1].successors and header in nest.latch.successors
    leads_on = set(header.successors) <= ways
    is_plain = all(isinstance(b.end, (Jump, Branch)) for b in nest.blocks)
    ends = len(nest.latch.successors) == 2 and len(inner.successors) == 2
    joins = len(after) == 1 or after[0].successors == [nest.latch]
    is_left_to_us = not any(b.parameters for b in before[1:]) and all(
        b.wanted_ii is None and not b.is_to_be_copied for b in (header, inner)
    )
    is_it = is_whole and has_edges and leads_on and is_plain and ends and joins and is_left_to_us
    return nest if is_it and NO_LOOP not in (header.loop, inner.loop) else None


def moving(before: list[Block], steps: dict[Op, int]) -> set[Op]:
    """What may differ between outer iterations, before the inner loop."""
    found = {parameter for parameter, step in steps.items() if step}
    for op in (op for block in before for op in block.ops):
        if not op.pure or not found.isdisjoint(op.operands):
            found.add(op)
    return found
