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
from dataclasses import dataclass
from itertools import groupby, pairwise

from tandem import policy
from tandem.analysis.courses import Course, course_of, tests_of
from tandem.ir.blocks import Block, Edge, Jump, reverse_postorder
from tandem.ir.clone import copy_blocks
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import Loops, each_loop
from tandem.ir.ops import Op, constant
from tandem.passes import open_borders
from tandem.passes.borders import MOST_QUESTIONS, Alike, is_left_to_us, without_guards
from tandem.passes.part_course import leave_after, settled
from tandem.passes.simplify import read_instead, tidy

SLUG = "split-borders"
SUMMARY = "make the first and last iterations apart where tests of counters send them another way"


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Splits the loops that are `wanted`, outer ones first, and notes the others that could be."""
    changed = _split_counted(kernel, wanted)
    return open_borders.run(kernel, SLUG, wanted) or changed


def _split_counted(kernel: Kernel, wanted: Collection[LoopId]) -> bool:
    """Those whose course is known."""
    changed = False
    for header, loops in each_loop(kernel, outer_first=True):
        found = _borders_of(kernel, header, loops)
        if found is not None:
            kernel.borders.add(header.loop)
            if header.loop in wanted:
                kernel.deeds.append(Deed(SLUG, header.loop, count=found.count))
                _split(kernel, found)
                changed = True
    return changed


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


def _borders_of(kernel: Kernel, header: Block, loops: Loops) -> _Borders | None:
    """The borders of a loop; None where it has none, or large ones."""
    body = loops[header]
    tests = tests_of(kernel, header, body) if is_left_to_us(header, body) else []
    tests = without_guards(tests, body, loops)
    course = course_of(kernel, header, body) if tests else None
    if course is None or course.counter is None or course.count * len(tests) > MOST_QUESTIONS:
        return None
    core, given = _longest_run(course, tests)
    constants = {op: constant(v, op.width) for op, v in given.items() if v is not None}
    is_alike, first, behind = Alike(kernel, course, constants), core.start, core.stop
    while first > 0 and is_alike(first - 1):
        first -= 1
    while behind < course.count and is_alike(behind):
        behind += 1
    longest, apart = max(first, course.count - behind), course.count - (behind - first)
    if longest > policy.LONGEST_BORDER or not 0 < apart < behind - first:
        return None
    return _Borders(course, range(first, behind), list(given), constants)


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


class _Copy:
    """Iterations apart from their loop, in one copy of its body: `ops` are those of the copy by
    those of the loop. More than one are a loop too."""

    def __init__(self, kernel: Kernel, borders: _Borders, iterations: range) -> None:
        course = borders.course
        blocks = [block for block in kernel.blocks if block in course.body]
        copies, self.ops = copy_blocks(kernel, blocks)
        self.is_loop = len(iterations) > 1
        self.course = course.copied(copies, self.ops)
        constants = settled(course, borders.tests, iterations)
        known = {self.ops[op]: value for op, value in constants.items()}
        for block in self.course.body:
            read_instead(block, lambda op: known.get(op, op))
        if not self.is_loop:
            self.course.header.loop = NO_LOOP

    def lead_to(self, block: Block, values: list[Op]) -> None:
        """Has its last iteration lead to a block, with what there is in it of the loop's values."""
        edge = Edge(block, [self.ops.get(value, value) for value in values])
        end = self.course.latch.end
        if self.is_loop:
            end.edges[end.edges.index(self.course.exit)] = edge
        else:
            self.course.latch.end = Jump(edges=[edge], line=end.line)


def _split(kernel: Kernel, borders: _Borders) -> None:
    """Takes the borders of a loop out of it."""
    course, between = borders.course, borders.between
    before, behind = range(between.start), range(between.stop, course.count)
    following, leaving, way = list(course.back.arguments), course.exit, course.entry
    first = _Copy(kernel, borders, before) if before else None
    last = _Copy(kernel, borders, behind) if behind else None
    if first is not None:
        way.block = first.course.header
        if first.is_loop:
            leave_after(kernel, first.course, before[-1])
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
