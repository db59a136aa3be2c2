# SPDX-License-Identifier: Apache-2.0
"""split-borders: iterations at the ends of a loop that go another way are no part of it.

    for (x < 64) if (x == 0 || x == 63) out[y][x] = in[y][x]; else out[y][x] = ... in[y][x - 1] ...;

What most iterations read they read on a condition here, and memories of rows, windows of registers
and proofs that accesses never meet all ask for what is read in every iteration. The first
iterations get a copy of the body, and so do the last; in the loop between them the tests are gone.

Requires: simplify, trim-loops. Loops whose course is known (`analysis.courses`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from tandem.analysis.courses import Course, course_of, tests_of
from tandem.ir.clone import copy_blocks
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Block, Edge, Kernel, Op, Terminator, constant, reverse_postorder
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import natural_loops
from tandem.passes.part_course import leave_after, settled
from tandem.passes.simplify import read_instead, tidy

SLUG = "split-borders"
SUMMARY = "make the first and last iterations apart where tests of counters send them another way"

LONGEST_BORDER = 16
"""Iterations, at each end of a loop: of filters of up to 33 taps."""

MOST_QUESTIONS = 1 << 16
"""Tests of a loop, in all of its iterations: to ask so many takes half a second."""


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Splits the loops that are `wanted`, outer ones first, and notes the others that could be."""
    changed, done = False, set[Block]()
    while True:
        loops = natural_loops(kernel)
        rest = sorted((b for b in loops if b not in done), key=lambda b: -len(loops[b]))
        if not rest:
            return changed
        header = rest[0]
        done.add(header)
        found = _borders_of(kernel, header, loops)
        if found is not None:
            kernel.borders.add(header.loop)
            if header.loop in wanted:
                kernel.deeds.append(Deed(SLUG, header.loop, count=found.count))
                _split(kernel, found)
                changed = True


@dataclass(frozen=True)
class _Borders:
    """Of a loop: which iterations lie between them, and what its `tests` give there."""

    course: Course
    between: range
    tests: list[Op]
    constants: dict[Op, Op]

    @property
    def count(self) -> int:
        """Of iterations in them."""
        return self.course.count - len(self.between)


def _borders_of(kernel: Kernel, header: Block, loops: dict[Block, set[Block]]) -> _Borders | None:
    """The borders of a loop; None where it has none, or large ones."""
    body = loops[header]
    is_left_to_us = all(b.wanted_ii is None and b.copies is None for b in body)
    tests = tests_of(kernel, header, body) if is_left_to_us and header.loop != NO_LOOP else []
    guards = {b.end.condition for b in body if _is_guard(b, loops)}
    tests = [op for op in tests if op not in guards]
    course = course_of(kernel, header, body) if tests else None
    if course is None or course.counter is None or course.count * len(tests) > MOST_QUESTIONS:
        return None
    core, given = _longest_run(course, tests)
    constants = {op: constant(v, op.width) for op, v in given.items() if v is not None}
    is_alike, first, behind = _Alike(kernel, course, constants), core.start, core.stop
    while first > 0 and is_alike(first - 1):
        first -= 1
    while behind < course.count and is_alike(behind):
        behind += 1
    longest, apart = max(first, course.count - behind), course.count - (behind - first)
    if longest > LONGEST_BORDER or not 0 < apart < behind - first:
        return None
    return _Borders(course, range(first, behind), list(given), constants)


def _is_guard(block: Block, loops: dict[Block, set[Block]]) -> bool:
    """Whether a block leads into a loop or past it: no iteration of one that is not entered goes
    another way."""
    ways = [
        s.successors[0] if s.end.kind == "jump" and s not in loops else s for s in block.successors
    ]
    return len(ways) == 2 and sum(way in loops and block not in loops[way] for way in ways) == 1


def _longest_run(course: Course, tests: list[Op]) -> tuple[range, dict[Op, int | None]]:
    """The iterations, one after the other, in which tests give the same, and what that is: without
    those tests that change their minds again and again."""
    readers = [course.known_in(i) for i in range(course.count)]
    given = {op: [known(op) for known in readers] for op in tests}
    steady = {op: values for op, values in given.items() if _changes(values) <= 2}
    ways = enumerate(zip(*steady.values(), strict=True))
    runs = [list(same) for _, same in groupby(ways, lambda pair: pair[1])]
    longest = max(runs, key=len, default=[(0, ())])
    core = range(longest[0][0], longest[-1][0] + 1)
    return core, {op: values[core.start] for op, values in steady.items()}


def _changes(values: list[int | None]) -> int:
    return sum(one != other for one, other in pairwise(values))


class _Alike:
    """Tells whether an iteration does what those of `constants`, which tests give there, do: where
    an index is held within a row, the last column's is itself, and how often a loop runs does not
    matter where it is passed over."""

    def __init__(self, kernel: Kernel, course: Course, constants: dict[Op, Op]) -> None:
        self.course = course
        self.behind = course.read_behind(kernel)
        self.given = {op: value.value for op, value in constants.items()}
        self.readers: dict[Op, list[tuple[Block, Op]]] = {}
        for block in course.body:
            for op in block.ops:
                for operand in op.operands:
                    self.readers.setdefault(operand, []).append((block, op))

    def __call__(self, iteration: int) -> bool:
        known = self.course.known_in(iteration)
        instead = self.course.known_in(iteration, self.given)
        ways = self.course.ways_in(known)
        steering = {block.end.condition for block in ways}
        steering.update(a for edges in ways.values() for edge in edges for a in edge.arguments)
        steering.update(self.course.back.arguments, self.behind)
        work = [op for op, value in self.given.items() if known(op) != value]
        for op in work:
            if op in steering:
                return False
            for block, reader in self.readers.get(op, ()):
                values = known(reader), instead(reader)
                if block not in ways or (None not in values and values[0] == values[1]):
                    continue
                if None in values:
                    return False
                if reader not in work:
                    work.append(reader)
        return True


class _Copy:
    """Iterations apart from their loop, in one copy of its body: `ops` are those of the copy by
    those of the loop. More than one are a loop too."""

    def __init__(self, kernel: Kernel, borders: _Borders, iterations: range) -> None:
        course = borders.course
        blocks = [block for block in kernel.blocks if block in course.body]
        copies, self.ops = copy_blocks(kernel, blocks)
        self.kernel = kernel
        self.iterations = iterations
        self.course = replace(
            course,
            header=copies[course.header],
            latch=copies[course.latch],
            body={*copies.values()},
            counters={self.ops[p]: values for p, values in course.counters.items()},
        )
        constants = settled(course, borders.tests, iterations)
        known = {self.ops[op]: value for op, value in constants.items()}
        for block in self.course.body:
            read_instead(block, lambda op: known.get(op, op))
        if len(iterations) == 1:
            self.course.header.loop = NO_LOOP

    def lead_to(self, block: Block, values: list[Op]) -> Edge:
        """Has its last iteration lead to a block, with what there is in it of the loop's values."""
        edge = Edge(block, [self.ops.get(value, value) for value in values])
        latch, course = self.course.latch, self.course
        if len(self.iterations) == 1:
            latch.end = Terminator("jump", edges=[edge], line=latch.end.line)
        else:
            leave_after(self.kernel, course, self.iterations[-1])
            latch.end.edges[latch.end.edges.index(course.exit)] = edge
        return edge


def _split(kernel: Kernel, borders: _Borders) -> None:
    """Takes the borders of a loop out of it."""
    course, between = borders.course, borders.between
    before, behind = range(between.start), range(between.stop, course.count)
    following, leaving, way = list(course.back.arguments), course.exit, course.entry
    first = _Copy(kernel, borders, before) if before else None
    last = _Copy(kernel, borders, behind) if behind else None
    if first is not None:
        way.block = first.course.header
        first.lead_to(course.header, following)
    if last is not None:
        leave_after(kernel, course, between[-1])
        last.lead_to(leaving.block, leaving.arguments)
        leaving.block, leaving.arguments = last.course.header, following
        _read_behind(kernel, course, last)
    for block in course.body:
        read_instead(block, lambda op: borders.constants.get(op, op))
    kernel.blocks = reverse_postorder(kernel.entry)
    tidy(kernel)


def _read_behind(kernel: Kernel, course: Course, last: _Copy) -> None:
    """Has what is read behind a loop come from its last iterations."""
    own = course.body | last.course.body
    for block in (block for block in kernel.blocks if block not in own):
        read_instead(block, lambda op: last.ops.get(op, op))
