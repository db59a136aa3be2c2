# SPDX-License-Identifier: Apache-2.0
"""Regions: parts of a kernel with one way in and no loop inside, that can become one block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tandem.ir.blocks import Block, Edge, Return, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import innermost_of, natural_loops


@dataclass
class Region:
    """`blocks` in an order of their execution, the head first. `is_loop`: it is all of a loop."""

    blocks: list[Block]
    is_loop: bool

    @property
    def head(self) -> Block:
        return self.blocks[0]

    @cached_property
    def inner(self) -> set[Block]:
        """All but the head."""
        return set(self.blocks[1:])

    @cached_property
    def exits(self) -> list[Edge]:
        """The edges that leave it or go back to its head."""
        return [e for b in self.blocks for e in b.end.edges if e.block not in self.inner]

    @cached_property
    def returns(self) -> list[Block]:
        """Blocks that return."""
        return [block for block in self.blocks if isinstance(block.end, Return)]

    @cached_property
    def targets(self) -> list[Block]:
        """Where its edges lead to, each once."""
        return list(dict.fromkeys(edge.block for edge in self.exits))

    def conditional(self) -> list[Block]:
        """Blocks that not every pass through the region runs: in a loop, every iteration that has a
        next one."""
        return [block for block in self.blocks[1:] if self._is_avoidable(block)]

    def _is_avoidable(self, avoided: Block) -> bool:
        reached = {self.head}
        for block in self.blocks:
            if block in reached and block is not avoided:
                if self._ends_at(block):
                    return True
                reached.update(block.successors)
        return False

    def _ends_at(self, block: Block) -> bool:
        if self.is_loop:
            return self.head in block.successors
        return not block.end.edges or any(s not in self.inner for s in block.successors)


class Regions:
    """The regions of a kernel as it is; made anew when its blocks have changed."""

    def __init__(self, kernel: Kernel) -> None:
        self.order = reverse_postorder(kernel.entry)
        self.places = {block: place for place, block in enumerate(self.order)}
        self.predecessors = kernel.predecessors()
        self.loops = natural_loops(kernel)
        self.loop_of = innermost_of(self.loops)

    def candidates(self) -> Iterator[Region]:
        """Every region of two blocks or more, innermost loops first and large ones before those
        inside them."""
        for head in filter(self._goes_on, self._heads()):
            whole = self._largest(head)
            yield whole
            part = self._until_ways_meet(whole)
            if len(part.blocks) > 1:
                yield part

    def _goes_on(self, head: Block) -> bool:
        """Whether there is a block that only `head` leads to, in the same loop. What follows a call
        cannot be one block with it."""
        home = self.loop_of.get(head)
        return not head.hands_over and any(
            all(source is head for source, _ in self.predecessors[block])
            and self.loop_of.get(block) is home
            for block in head.successors
            if block is not head
        )

    def _heads(self) -> list[Block]:
        size = {block: len(self.loops.get(header, ())) for block, header in self.loop_of.items()}
        return sorted(self.order, key=lambda block: size.get(block, len(self.order) + 1))

    def _largest(self, head: Block) -> Region:
        inside = {head: None}
        home = self.loop_of.get(head)
        for block in self.order[self.places[head] + 1 :]:
            same = block is not home and self.loop_of.get(block) is home
            if (
                same
                and not block.hands_over
                and all(source in inside for source, _ in self.predecessors[block])
            ):
                inside[block] = None
        return Region(list(inside), self.loops.get(head) == set(inside))

    def _until_ways_meet(self, region: Region) -> Region:
        """The part before the first block that all ways out of the head run through; the head alone
        where there is none."""
        for block in region.blocks[1:]:
            before = Region(_before(region, block), False)
            if not before.returns and before.targets == [block]:
                return before
        return Region([region.head], False)


def _before(region: Region, block: Block) -> list[Block]:
    """The blocks of a region that do not come after one of them."""
    after = {block}
    for candidate in region.blocks:
        if candidate in after:
            after.update(s for s in candidate.successors if s is not region.head)
    return [b for b in region.blocks if b not in after]
