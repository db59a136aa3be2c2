# SPDX-License-Identifier: Apache-2.0
"""split-borders: iterations at the ends of a loop that go another way are no part of it.

    for (x < 64) if (x == 0 || x == 63) out[y][x] = in[y][x]; else out[y][x] = ... in[y][x - 1] ...;

What most iterations read they read on a condition here, and memories of rows, windows of registers
and proofs that accesses never meet all ask for what is read in every iteration. The first
iterations get a copy of the body, and so do the last; in the loop between them the tests are gone.

Requires: simplify, trim-loops. Loops whose course is known (`analysis.courses`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import groupby, pairwise

from tandem import policy
from tandem.analysis.courses import Course, course_of, tests_of
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Block, Kernel, Op, constant
from tandem.ir.lines import LoopId
from tandem.ir.loops import natural_loops
from tandem.passes import open_borders
from tandem.passes.borders import (
    MOST_QUESTIONS,
    Alike,
    Borders,
    is_left_to_us,
    split,
    without_guards,
)
from tandem.passes.part_course import leave_after

SLUG = "split-borders"
SUMMARY = "make the first and last iterations apart where tests of counters send them another way"


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Splits the loops that are `wanted`, outer ones first, and notes the others that could be."""
    changed = _split_counted(kernel, wanted)
    return open_borders.run(kernel, SLUG, wanted) or changed


def _split_counted(kernel: Kernel, wanted: Collection[LoopId]) -> bool:
    """Those whose course is known."""
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
                kernel.deeds.append(Deed(SLUG, header.loop, count=found.first + found.last))
                split(kernel, found)
                changed = True


@dataclass(frozen=True)
class _Counted(Borders):
    """Borders of a loop whose course is known."""

    course: Course

    def known_first(self) -> Iterable[Callable[[Op], object]]:
        return map(self.course.known_in, range(self.first))

    def known_last(self) -> Iterable[Callable[[Op], object]]:
        return map(self.course.known_in, range(self.course.count - self.last, self.course.count))

    def end_after_first(self, kernel: Kernel, copy: Course) -> None:
        leave_after(kernel, copy, self.first - 1)

    def end_before_last(self, kernel: Kernel) -> None:
        leave_after(kernel, self.course, self.course.count - self.last - 1)


def _borders_of(kernel: Kernel, header: Block, loops: dict[Block, set[Block]]) -> _Counted | None:
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
    return _Counted(first, course.count - behind, list(given), constants, course)


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
