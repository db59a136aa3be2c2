# SPDX-License-Identifier: Apache-2.0
"""What is known of every iteration of a loop before it runs: a loop that begins with numbers, goes
on by numbers, and ends when they say so has one course in every call, whatever its C looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from tandem.analysis.readers import values_behind
from tandem.ir.blocks import Block, Branch, Edge
from tandem.ir.kernel import Kernel
from tandem.ir.ops import And, Constant, Op, Or, computed, is_computable, mask
from tandem.ir.wiring import named_by

MOST_ITERATIONS = 4096
"""Of loops that are followed."""
DEEPEST = 40
"""What takes more operations, one after the other, is computed from data and not counted."""

Known = Callable[[Op], int | None]
"""What a value is, None where that is not known."""
Carried = dict[Op, list[Op]]
NOTHING: Mapping[Op, int] = {}


@dataclass(frozen=True, eq=False)
class PlainLoop:
    """A loop that is entered by one edge, goes on by one (`back`, from `latch`), and is left by
    one, from there too. `carried`: of parameters of its blocks, but for the header, what the edges
    to them carry."""

    header: Block
    body: set[Block]
    source: Block
    entry: Edge
    latch: Block
    carried: Carried

    @property
    def back(self) -> Edge:
        return next(e for e in self.latch.end.edges if e.block is self.header)

    @property
    def exit(self) -> Edge:
        return next(e for e in self.latch.end.edges if e.block not in self.body)

    @property
    def own(self) -> set[Op]:
        """All that is made in the loop."""
        return {op for block in self.body for op in [*block.parameters, *block.ops]}

    def is_made_in(self, value: Op) -> bool:
        """Whether the loop makes a value, or some of its bits: a form's term is wiring of its own
        that stands in no block."""
        return not self.own.isdisjoint(named_by(value))

    def copied(self, blocks: Mapping[Block, Block], ops: Mapping[Op, Op]) -> Self:
        """The same of a copy of the loop, which leads where it does. `ops`: what is made in it."""
        del ops
        body = {blocks[block] for block in self.body}
        return replace(self, header=blocks[self.header], latch=blocks[self.latch], body=body)

    def read_behind(self, kernel: Kernel) -> set[Op]:
        """What is made in the loop and read behind it."""
        return self.own & values_behind(kernel, self.body)

    def ways_in(self, known: Callable[[Op], object]) -> dict[Block, list[Edge]]:
        """The blocks that an iteration may come through, as far as is known, with the edges by
        which it comes to each."""
        ways: dict[Block, list[Edge]] = {self.header: []}
        work = [self.header]
        while work:
            block = work.pop()
            for edge in [] if block is self.latch else _taken(block, known):
                if edge.block not in ways:
                    work.append(edge.block)
                ways.setdefault(edge.block, []).append(edge)
        return ways


@dataclass(frozen=True, eq=False)
class Course(PlainLoop):
    """`counters`: the values that parameters of the header have in each of the `count` iterations,
    for those that follow from numbers alone."""

    counters: dict[Op, list[int]] = field(default_factory=dict)
    count: int = 0

    def copied(self, blocks: Mapping[Block, Block], ops: Mapping[Op, Op]) -> Course:
        """That of a copy of the loop."""
        counters = {ops[p]: values for p, values in self.counters.items()}
        return replace(super().copied(blocks, ops), counters=counters)

    @property
    def counter(self) -> Op | None:
        """A counter that has each of its values once."""
        counters = self.counters.items()
        return next((p for p, values in counters if len(set(values)) == self.count), None)

    def known_in(self, iteration: int, given: Mapping[Op, int] = NOTHING) -> Known:
        """A function that gives what a value is in an iteration, None where that is not known.
        `given`: what some are to be."""
        now = {p: values[iteration] for p, values in self.counters.items()}
        return _reader(self.carried, {**now, **given})


def _taken(block: Block, known: Callable[[Op], object]) -> list[Edge]:
    """The edges that may be taken."""
    decided = None if block.end.condition is None else known(block.end.condition)
    return block.end.edges if decided is None else [block.end.edges[0 if decided else 1]]


def tests_of(kernel: Kernel, header: Block, body: set[Block]) -> list[Op]:
    """Values of one bit that are known in a loop's first iteration: tests of its counters, but for
    one that only ends it."""
    entries = [e for b, e in kernel.predecessors()[header] if b not in body]
    if len(entries) != 1:
        return []
    starts = entries[0].given.items()
    numbers = {p: start.value for p, start in starts if isinstance(start, Constant)}
    known = _reader(_carried(header, body), numbers)
    return [op for op in bits_read(body) if known(op) is not None]


def bits_read(body: set[Block]) -> list[Op]:
    """Values of one bit that are made in a loop and read there for more than to end it."""
    read = {o for b in body for op in b.ops for o in op.operands}
    read.update(o for b in body if body.issuperset(b.successors) for o in b.end.inputs())
    return [op for b in body for op in b.ops if op.width == 1 and op in read]


def plain_loop(kernel: Kernel, header: Block, body: set[Block]) -> PlainLoop | None:
    """The loop, if it is entered and left as it must be."""
    ways = kernel.predecessors()[header]
    entries = [(b, e) for b, e in ways if b not in body]
    latches = [b for b, _ in ways if b in body]
    exits = [(b, e) for b in body for e in b.end.edges if e.block not in body]
    if len(entries) != 1 or len(latches) != 1 or len(exits) != 1 or exits[0][0] is not latches[0]:
        return None
    (source, entry), latch = entries[0], latches[0]
    if not isinstance(latch.end, Branch) or len(latch.end.edges) != 2:
        return None
    return PlainLoop(header, body, source, entry, latch, _carried(header, body))


def course_of(kernel: Kernel, header: Block, body: set[Block]) -> Course | None:
    """The course of a loop; None where there is none, or one of more than `MOST_ITERATIONS`."""
    loop = plain_loop(kernel, header, body)
    if loop is None:
        return None
    counters, count = _follow(loop)
    return Course(**vars(loop), counters=counters, count=count) if count else None


def _carried(header: Block, body: set[Block]) -> Carried:
    """Of parameters of a loop's blocks, but for the header: what the edges to them carry."""
    found: Carried = {}
    for edge in (e for b in body for e in b.end.edges if e.block in body):
        for parameter, value in edge.given.items() if edge.block is not header else ():
            found.setdefault(parameter, []).append(value)
    return found


def _reader(carried: Carried, numbers: dict[Op, int]) -> Known:
    """Reads values of a loop with what is known of some. What blocks get is known where all edges
    to them carry the same."""
    found: dict[Op, int | None] = {**numbers}

    def read(op: Op, depth: int = 0) -> int | None:
        if isinstance(op, Constant):
            return op.value
        if op not in found:
            found[op] = None  # for what comes to itself by an inner loop
            if depth < DEEPEST and op in carried:
                values = {read(value, depth + 1) for value in carried[op]}
                found[op] = values.pop() if len(values) == 1 else None
            elif depth < DEEPEST and is_computable(op):
                found[op] = _computed(op, [read(o, depth + 1) for o in op.operands])
        return found[op]

    return read


def _computed(op: Op, operands: list[int | None]) -> int | None:
    """What an operation gives. One that some of its operands decide is known when these are."""
    numbers = [value for value in operands if value is not None]
    if len(numbers) < len(operands):
        decisive = {And: 0, Or: mask(op.width)}.get(type(op))
        return decisive if decisive in numbers else None
    return computed(op, numbers)


def _follow(loop: PlainLoop) -> tuple[dict[Op, list[int]], int]:
    """What counts in a loop, in each iteration, and how many there are; none where that is not
    known."""
    following, condition = loop.back.given, loop.latch.end.condition
    assert condition is not None
    starts = loop.entry.given.items()
    now = {p: start.value for p, start in starts if isinstance(start, Constant)}
    leaves = int(loop.latch.end.edges[0].block not in loop.body)
    found: dict[Op, list[int]] = {p: [] for p in now}
    for count in range(1, MOST_ITERATIONS + 1):
        for parameter, value in now.items():
            found[parameter].append(value)
        read = _reader(loop.carried, now)
        left = read(condition)
        if left is None:
            break
        if left == leaves:
            return {p: found[p] for p in now}, count
        values = {p: read(following[p]) for p in now}
        now = {p: value for p, value in values.items() if value is not None}
    return {}, 0
