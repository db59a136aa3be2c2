# SPDX-License-Identifier: Apache-2.0
"""Loops of LLVM's with no other in them and one way out, where they are closed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import with_ways
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import Ref, call, opcode_of, operands


class Body:
    """The blocks of a function."""

    def __init__(self, module: Module, function: Ref) -> None:
        self.module = module
        self.blocks = list(llvm.children(function, "BasicBlock"))
        self.entry = self.blocks[0]
        self.targets = {block: successors(block) for block in self.blocks}

    def loops(self) -> Iterator[SimpleLoop]:
        """Those with no other in them and one way out, where they are closed."""
        for header in self.blocks:
            phi = next(phis_of(header), None)
            ways = ways_of(phi) if phi else {}
            if len(ways) != 2:
                continue
            outside = self.reached(self.entry, header)
            closing = [block for block in ways if block not in outside]
            opening = [block for block in ways if block in outside]
            if len(closing) == 1 and len(opening) == 1:
                loop = SimpleLoop(self, header, closing[0], opening[0])
                if loop.is_simple():
                    yield loop

    def reached(self, start: Ref, without: Ref | None = None) -> set[Ref]:
        """The blocks to which control comes from one, but not through another."""
        found, work = {start} - {without}, [start] if start != without else []
        while work:
            for block in self.targets[work.pop()]:
                if block not in found and block != without:
                    found.add(block)
                    work.append(block)
        return found


def phis_of(block: Ref) -> Iterator[Ref]:
    inside = llvm.children(block, "Instruction")
    return takewhile(lambda ref: opcode_of(ref) == Opcode.PHI, inside)


def ways_of(phi: Ref) -> dict[Ref, Ref]:
    """The blocks that a phi is reached from, with its values there."""
    return dict(zip(llvm.incoming_blocks(phi), operands(phi), strict=True))


class SimpleLoop:
    """`before`: the block from which it is entered."""

    def __init__(self, body: Body, header: Ref, latch: Ref, before: Ref) -> None:
        self.body, self.module = body, body.module
        self.header = header
        self.latch = latch
        self.before = before
        self.blocks = self._blocks()
        self._left = list(body.targets[latch])

    def _blocks(self) -> set[Ref]:
        found, work = {self.header, self.latch}, [self.latch]
        while work:
            block = work.pop()
            if block == self.header:
                continue
            before = [b for b, targets in self.body.targets.items() if block in targets]
            new = [b for b in before if b not in found]
            found.update(new)
            work += new
        return found

    def is_simple(self) -> bool:
        leaving = {b for b in self.blocks if not self.blocks.issuperset(self.body.targets[b])}
        return leaving == {self.latch} and len(self._left) == 2 and not self._has_another()

    def _has_another(self) -> bool:
        """Whether control comes to a block twice without passing the header."""
        left = self.blocks - {self.header}
        while left:  # takes away blocks to which only what is gone already leads
            led_to = {target for block in left for target in self.body.targets[block]}
            if left <= led_to:
                return True
            left &= led_to
        return False

    @property
    def is_outermost(self) -> bool:
        """Whether control never comes to it again."""
        return self.header not in self.body.reached(self.behind)

    @property
    def behind(self) -> Ref:
        """The block that comes behind it; the only way there is from the latch, or from `end`."""
        return next(block for block in self._left if block not in self.blocks)

    @cached_property
    def end(self) -> Ref:
        """A block on the way there."""
        behind, name = self.behind, f"tandem.end{len(self.body.targets)}"
        made = self.module.block_before(behind, name)
        Builder(self.module).at_end(made).jump(behind)
        closing = call("GetBasicBlockTerminator", self.latch)
        for i, block in enumerate(self._left):
            if block == behind:
                call("SetSuccessor", closing, i, made)
        for phi in list(phis_of(behind)):
            with_ways(self.module, phi, {self.latch: made})
        self.body.targets[made] = [behind]
        self.body.targets[self.latch] = successors(self.latch)
        return made
