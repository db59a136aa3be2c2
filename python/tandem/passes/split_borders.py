# SPDX-License-Identifier: Apache-2.0
"""split-borders: iterations at the ends of a loop that go another way are no part of it.

    for (x < 64) if (x == 0 || x == 63) out[y][x] = in[y][x]; else out[y][x] = ... in[y][x - 1] ...;

What most iterations read they read on a condition here, and memories of rows, windows of registers
and proofs that accesses never meet all ask for what is read in every iteration. The first and last
iterations become copies of the body, and in the loop between them the tests are gone.

Requires: simplify, trim-loops. Loops whose course is known (`analysis.courses`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby, pairwise

from tandem.analysis.courses import Course, course_of, tests_of
from tandem.ir.clone import copy_blocks
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Block, Edge, Kernel, Op, Terminator, reverse_postorder
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import natural_loops
from tandem.passes.part_course import leave_after, settled
from tandem.passes.simplify import read_instead, tidy

SLUG = "split-borders"
SUMMARY = "make the first and last iterations apart where tests of counters send them another way"

MOST_COPIES = 4
"""Of a body, at each end of a loop: filters of up to nine taps have such a border."""

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
                _Splitting(kernel, found).run()
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
    tests, core = _longest_run(course, tests)
    constants = settled(course, tests, core)
    is_alike, first, behind = _Alike(course, constants), core.start, core.stop
    while first > 0 and is_alike(first - 1):
        first -= 1
    while behind < course.count and is_alike(behind):
        behind += 1
    is_short = max(first, course.count - behind) <= MOST_COPIES < behind - first
    if not is_short or behind - first == course.count:
        return None
    return _Borders(course, range(first, behind), tests, constants)


def _is_guard(block: Block, loops: dict[Block, set[Block]]) -> bool:
    """Whether a block leads into a loop or past it: no iteration of one that is not entered goes
    another way."""
    ways = [
        s.successors[0] if s.end.kind == "jump" and s not in loops else s for s in block.successors
    ]
    return len(ways) == 2 and sum(way in loops and block not in loops[way] for way in ways) == 1


def _longest_run(course: Course, tests: list[Op]) -> tuple[list[Op], range]:
    """The iterations, one after the other, in which tests give the same, and which tests those are:
    not those that change their minds again and again."""
    readers = [course.known_in(i) for i in range(course.count)]
    given = {op: [known(op) for known in readers] for op in tests}
    steady = [op for op, values in given.items() if _changes(values) <= 2]
    ways = zip(*(given[op] for op in steady), strict=True)
    runs = [list(same) for _, same in groupby(enumerate(ways), lambda pair: pair[1])]
    longest = max(runs, key=len, default=[(0, ())])
    return steady, range(longest[0][0], longest[-1][0] + 1)


def _changes(values: list[int | None]) -> int:
    return sum(one != other for one, other in pairwise(values))


class _Alike:
    """Tells whether an iteration does what those of `constants`, which tests give there, do: where
    an index is held within a row, the last column's is itself."""

    def __init__(self, course: Course, constants: dict[Op, Op]) -> None:
        self.course = course
        self.given = {op: value.value for op, value in constants.items()}
        self.readers: dict[Op, list[Op]] = {}
        for op in (op for block in course.body for op in block.ops):
            for operand in op.operands:
                self.readers.setdefault(operand, []).append(op)
        self.steering = {value for block in course.body for value in block.end.inputs()}

    def __call__(self, iteration: int) -> bool:
        known = self.course.known_in(iteration)
        instead = self.course.known_in(iteration, self.given)
        work = [op for op, value in self.given.items() if known(op) != value]
        for op in work:
            if op in self.steering:
                return False
            for reader in self.readers.get(op, ()):
                values = known(reader), instead(reader)
                is_test = reader.width == 1 and None not in values
                if None in values or (values[0] != values[1] and not is_test):
                    return False
                if values[0] != values[1] and reader not in work:
                    work.append(reader)
        return True


@dataclass(frozen=True)
class _Copy:
    """An iteration apart from its loop; what is made in it, by what is made in the loop."""

    header: Block
    latch: Block
    blocks: list[Block]
    ops: dict[Op, Op]

    def go_on(self, to: Block, values: list[Op]) -> Edge:
        """Has it end with an edge to a block, with the values that the loop's own edge carries."""
        edge = Edge(to, [self.ops.get(value, value) for value in values])
        self.latch.end = Terminator("jump", edges=[edge], line=self.latch.end.line)
        return edge


class _Splitting:
    """Of one loop."""

    def __init__(self, kernel: Kernel, borders: _Borders) -> None:
        self.kernel = kernel
        self.course = course = borders.course
        self.tests, self.constants = borders.tests, borders.constants
        self.blocks = [block for block in kernel.blocks if block in course.body]
        self.following = list(course.back.arguments)
        self.between = borders.between

    def run(self) -> None:
        """Does it."""
        course, kernel, constants = self.course, self.kernel, self.constants
        before = [self._copy(i) for i in range(self.between.start)]
        behind = [self._copy(i) for i in range(self.between.stop, course.count)]
        self._begin_with(before)
        if behind:
            self._end_with(behind)
        for block in course.body:
            read_instead(block, lambda op: constants.get(op, op))
        kernel.blocks = reverse_postorder(kernel.entry)
        tidy(kernel)

    def _copy(self, iteration: int) -> _Copy:
        course, constants = self.course, settled(self.course, self.tests, [iteration])
        copies, ops = copy_blocks(self.kernel, self.blocks)
        known = {ops[op]: value for op, value in constants.items()}
        for block in copies.values():
            read_instead(block, lambda op: known.get(op, op))
        copies[course.header].loop = NO_LOOP
        return _Copy(copies[course.header], copies[course.latch], [*copies.values()], ops)

    def _begin_with(self, copies: list[_Copy]) -> None:
        way = self.course.entry
        for copy in copies:
            way.block = copy.header
            way = copy.go_on(self.course.header, self.following)

    def _end_with(self, copies: list[_Copy]) -> None:
        kernel, course, leaving = self.kernel, self.course, self.course.exit
        last = copies[-1]
        leave_after(kernel, course, self.between[-1])
        last.go_on(leaving.block, leaving.arguments)
        for copy, following in pairwise(copies):
            copy.go_on(following.header, self.following)
        leaving.block, leaving.arguments = copies[0].header, list(self.following)
        own = {*course.body, *(block for copy in copies for block in copy.blocks)}
        for block in (block for block in kernel.blocks if block not in own):
            read_instead(block, lambda op: last.ops.get(op, op))
