# SPDX-License-Identifier: Apache-2.0
"""Blocks of operations, how they end, and the edges on which control goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.ops import Constant, Op

NO_PIPELINE = -1
"""What stands for an `ii` where an iteration is to start when the one before has ended."""


@dataclass(eq=False)
class Edge:
    """A jump to `block` with the values for its parameters. `seldom`: it is there for what hardly
    ever happens, and estimates do not count on it."""

    block: Block
    arguments: list[Op] = field(default_factory=list)
    seldom: bool = False

    @property
    def given(self) -> dict[Op, Op]:
        """What each parameter of the block gets."""
        return dict(zip(self.block.parameters, self.arguments, strict=True))


@dataclass(eq=False)
class Terminator:
    """How a block ends; one of the classes below."""

    slug: ClassVar[str] = ""
    condition: Op | None = None
    edges: list[Edge] = field(default_factory=list)
    value: Op | None = None
    line: int = 0
    callee: str = ""

    @property
    def onward(self) -> list[Edge]:
        """The edges on which control goes on within the function."""
        return self.edges[1:] if self.callee else self.edges

    def inputs(self) -> Iterator[Op]:
        """Every value the terminator reads."""
        if self.condition is not None:
            yield self.condition
        if self.value is not None:
            yield self.value
        for edge in self.edges:
            yield from edge.arguments


@dataclass(eq=False)
class Jump(Terminator):
    """One edge."""

    slug = "jump"


@dataclass(eq=False)
class Branch(Terminator):
    """A 1-bit condition; the edge taken when it is 1 comes first."""

    slug = "branch"


@dataclass(eq=False)
class Call(Terminator):
    """The edge into the function `callee`, and the one on from where it returns to."""

    slug = "call"


@dataclass(eq=False)
class Start(Terminator):
    """The same, but control goes on at once while the function runs: a process."""

    slug = "start"


@dataclass(eq=False)
class Join(Terminator):
    """One edge, taken when all processes have returned."""

    slug = "join"


@dataclass(eq=False)
class Return(Terminator):
    """No edge; `value` is the result or None."""

    slug = "return"


ENDS: dict[str, type[Terminator]] = {
    end.slug: end for end in (Jump, Branch, Call, Start, Join, Return)
}
"""By what the IR's text calls them."""


@dataclass(eq=False, repr=False)
class Block:
    """Operations in program order. For a loop `trip_count` is the number of iterations where it is
    known on entry, `wanted_ii` what a pragma asked for (0: the best, or `NO_PIPELINE`), None when
    no pragma did, `copies` how many one asked for of its body for an iteration (0: one for each
    there is, 1: none but the body), `turns` how many iterations are one of the loop in the C, where
    two loops have become one, as often as each of `uncounted` loops runs, of which that is not
    known, `rounds` how many iterations it, or the outer one of them, has on average where that is a
    number (else 0), and `interleaved` how many of these take turns in it. `loop` is the loop of the
    C whose first block it is, `line` the C line of what it does. `part` is the name of what a pass
    has made beside that loop, as one that fills a memory; empty for the loop itself."""

    name: str
    parameters: list[Op] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    end: Terminator = field(default_factory=lambda: Return())
    line: int = 0
    loop: LoopId = NO_LOOP
    part: str = ""
    wanted_ii: int | None = None
    copies: int | None = None
    turns: int = 1
    uncounted: int = 0
    rounds: int = 0
    interleaved: int = 1
    independent: int = 0
    trip_count: Op | None = None

    def __repr__(self) -> str:
        return f"<block {self.name}>"  # with all that it leads to it would be endless

    def outline(self) -> Block:
        """A block of this one's name, line and directives, with nothing in it."""
        return replace(self, parameters=[], ops=[], end=Return(), trip_count=None)

    @property
    def known_trips(self) -> int:
        """The iterations of a counted loop, where that is a number; else 0."""
        is_known = self.trip_count is not None and isinstance(self.trip_count, Constant)
        return self.trip_count.value if self.trip_count is not None and is_known else 0

    @property
    def successors(self) -> list[Block]:
        """Where control goes on within the function."""
        return [edge.block for edge in self.end.onward]

    @property
    def calls(self) -> bool:
        """Whether it ends with a call, or with the start of a process."""
        return bool(self.end.callee)

    @property
    def hands_over(self) -> bool:
        """Whether what follows it cannot be one block with it."""
        return self.calls or isinstance(self.end, Join)

    @property
    def is_loop(self) -> bool:
        """Whether the block is a loop of its own: one edge leads back to itself."""
        back = sum(edge.block is self for edge in self.end.edges)
        return back == 1 and isinstance(self.end, Branch)

    @property
    def is_to_be_pipeline(self) -> bool:
        """Whether a pragma asked for a pipeline."""
        return self.wanted_ii is not None and self.wanted_ii != NO_PIPELINE

    @property
    def is_to_be_copied(self) -> bool:
        """Whether a pragma asked for copies of the body that are not made yet."""
        return self.copies is not None and self.copies != 1

    @property
    def stays_when(self) -> int:
        """The value of a loop's condition with which it goes on."""
        return int(self.end.edges[0].block is self)

    @property
    def back_edge(self) -> Edge:
        return next(edge for edge in self.end.edges if edge.block is self)

    @property
    def exit_edge(self) -> Edge:
        return next(edge for edge in self.end.edges if edge.block is not self)


def reverse_postorder(entry: Block) -> list[Block]:
    """The blocks reachable from `entry`, those of called functions too, each before those that it
    leads to but for loops."""
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(entry.end.edges))]
    while stack:
        block, edges = stack[-1]
        for edge in edges:
            if edge.block not in seen:
                seen.add(edge.block)
                stack.append((edge.block, iter(edge.block.end.edges)))
                break
        else:
            stack.pop()
            order.append(block)
    return order[::-1]
