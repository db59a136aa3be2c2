# SPDX-License-Identifier: Apache-2.0
"""What is known of every iteration of a loop before it runs: a loop that begins with numbers, goes
on by numbers, and ends when they say so has one course in every call, whatever its C looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tandem.ir.kernel import Block, Edge, Kernel, Op
from tandem.ir.operations import OPERATIONS, mask

MOST_ITERATIONS = 4096
"""Of loops that are followed."""
DEEPEST = 40
"""What takes more operations, one after the other, is computed from data and not counted."""

Known = Callable[[Op], int | None]
"""What a value is, None where that is not known."""


@dataclass(frozen=True, eq=False)
class Course:
    """Of a loop that is entered by one edge, goes on by one (`back`, from `latch`), and is left by
    one, from there too. `counters`: the values that parameters of the header have in each of the
    `count` iterations, for those that follow from numbers alone."""

    header: Block
    body: set[Block]
    source: Block
    entry: Edge
    latch: Block
    counters: dict[Op, list[int]]
    count: int

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

    def known_in(self, iteration: int) -> Known:
        """A function that gives what a value is in an iteration, None where that is not known."""
        return _reader({p: values[iteration] for p, values in self.counters.items()})


def course_of(kernel: Kernel, header: Block, body: set[Block]) -> Course | None:
    """The course of a loop; None where there is none, or one of more than `MOST_ITERATIONS`."""
    ways = kernel.predecessors()[header]
    entries = [(b, e) for b, e in ways if b not in body]
    latches = [b for b, _ in ways if b in body]
    exits = [(b, e) for b in body for e in b.end.edges if e.block not in body]
    if len(entries) != 1 or len(latches) != 1 or len(exits) != 1 or exits[0][0] is not latches[0]:
        return None
    (source, entry), latch = entries[0], latches[0]
    if latch.end.kind != "branch" or len(latch.end.edges) != 2:
        return None
    course = Course(header, body, source, entry, latch, {}, 0)
    counters, count = _follow(course, entry.given)
    return Course(header, body, source, entry, latch, counters, count) if count else None


def _reader(found: dict[Op, int | None]) -> Known:
    """Reads values with what is known of some."""

    def read(op: Op, depth: int = 0) -> int | None:
        if op.kind == "constant":
            return op.value
        if op not in found:
            is_near = depth < DEEPEST and _computable(op)
            operands = [read(o, depth + 1) for o in op.operands] if is_near else [None]
            found[op] = _computed(op, operands)
        return found[op]

    return read


def _computed(op: Op, operands: list[int | None]) -> int | None:
    """What an operation gives. One that some of its operands decide is known when these are."""
    numbers = [value for value in operands if value is not None]
    if len(numbers) < len(operands):
        decisive = {"and": 0, "or": mask(op.width)}.get(op.kind)
        return decisive if decisive in numbers else None
    evaluate = OPERATIONS[op.kind].evaluate
    if evaluate is None:
        return numbers[0] >> op.attributes["low"] & mask(op.width)
    return evaluate(numbers, [o.width for o in op.operands], op.width) & mask(op.width)


def _computable(op: Op) -> bool:
    row = OPERATIONS[op.kind]
    return row.pure and (row.evaluate is not None or op.kind == "extract")


def _follow(course: Course, starts: dict[Op, Op]) -> tuple[dict[Op, list[int]], int]:
    """What counts in a loop, in each iteration, and how many there are; none where that is not
    known."""
    following, condition = course.back.given, course.latch.end.condition
    assert condition is not None
    now = {p: start.value for p, start in starts.items() if start.kind == "constant"}
    leaves = int(course.latch.end.edges[0].block not in course.body)
    found: dict[Op, list[int]] = {p: [] for p in now}
    for count in range(1, MOST_ITERATIONS + 1):
        for parameter, value in now.items():
            found[parameter].append(value)
        read = _reader(dict(now))
        left = read(condition)
        if left is None:
            break
        if left == leaves:
            return {p: found[p] for p in now}, count
        values = {p: read(following[p]) for p in now}
        now = {p: value for p, value in values.items() if value is not None}
    return {}, 0
