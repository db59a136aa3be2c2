# SPDX-License-Identifier: Apache-2.0
"""trim-loops: iterations at both ends of a loop that do nothing are not run.

    for (y < 12) for (x < 40) { if (y == 0 || y == 11 || x == 0 || x == 39) continue; ... }

The border is visited and passed over, and what the rest reads is read on a condition: no row can be
kept, and no window of registers moves on. With the loops from 1 to 10 and from 1 to 38 the tests
are gone, and the nest is what it is where the C leaves the border out.

Requires: simplify. Loops whose course is known (`analysis.courses`); nothing in an iteration that
is left out is read or written, and what goes through it stays or counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.analysis.courses import Course, Known, course_of, tests_of
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.loops import each_loop
from tandem.ir.ops import Add, Constant, Op, constant, signed
from tandem.passes.part_course import leave_after, settled
from tandem.passes.simplify import read_instead, tidy

SLUG = "trim-loops"
SUMMARY = "leave out the first and last iterations of loops where these do nothing"


def run(kernel: Kernel) -> bool:
    """Trims every loop that has such iterations, inner ones first; whether there was any."""
    changed = False
    for header, loops in each_loop(kernel, outer_first=False):
        is_ours = header.wanted_ii is None
        tests = tests_of(kernel, header, loops[header]) if is_ours else []
        course = course_of(kernel, header, loops[header]) if tests else None
        if course is not None and _Trimming(kernel, course, tests).run():
            tidy(kernel)
            changed = True
    return changed


@dataclass
class _Idle:
    """Iterations at one end of a loop that do nothing: how many, and how far each parameter of the
    header that is not a counter of the course has gone in them."""

    count: int = 0
    far: dict[Op, int] = field(default_factory=dict)


class _Trimming:
    """Of one loop."""

    def __init__(self, kernel: Kernel, course: Course, tests: list[Op]) -> None:
        self.kernel = kernel
        self.tests = tests
        self.course = course

    def run(self) -> bool:
        """Does it; whether there was anything to leave out."""
        count = self.course.count
        first = self._idle(range(count))
        if first.count == count:
            return False
        last = self._idle(range(count - 1, first.count, -1))
        if last.count and not self._can_end_early(last):
            last = _Idle()
        if not first.count + last.count:
            return False
        rest = range(first.count, count - last.count)
        deed = Deed(SLUG, self.course.header.loop, count=count - len(rest))
        self.kernel.deeds.append(deed)
        constants = settled(self.course, self.tests, rest)
        if last.count:
            self._end_after(rest[-1])
        self._begin_at(first)
        for block in self.course.body:
            read_instead(block, lambda op: constants.get(op, op))
        return True

    # -- what does nothing --------------------------------------------------------------------

    def _idle(self, iterations: range) -> _Idle:
        found = _Idle()
        for iteration in iterations:
            far = _gone_in(self.course, self.course.known_in(iteration))
            if far is None:
                break
            found.count += 1
            for parameter, step in far.items():
                found.far[parameter] = found.far.get(parameter, 0) + step
        return found

    # -- what is left -------------------------------------------------------------------------

    def _begin_at(self, idle: _Idle) -> None:
        """Enters the loop as it is after its first iterations."""
        course, builder = self.course, Builder(self.kernel, self.course.source)
        builder.line = course.header.line
        arguments: list[Op] = []
        for parameter, start in course.entry.given.items():
            values = course.counters.get(parameter)
            far = idle.far.get(parameter, 0)
            if values is not None:
                arguments.append(constant(values[idle.count], parameter.width))
            else:
                arguments.append(builder.plus(start, far) if far else start)
        course.entry.arguments = arguments

    def _can_end_early(self, idle: _Idle) -> bool:
        """Whether all that is read behind the loop is known, or the same after the last iteration
        that does something."""
        stays = {a for p, a in self.course.back.given.items() if idle.far.get(p) == 0}
        known = self.course.known_in(self.course.count - 1)
        return self.course.counter is not None and all(
            op in stays or known(op) is not None for op in self.course.read_behind(self.kernel)
        )

    def _end_after(self, iteration: int) -> None:
        """Leaves the loop after an iteration, with what the last one would have left."""
        course = self.course
        known = course.known_in(course.count - 1)
        instead = {
            op: constant(value, op.width)
            for op in self.course.read_behind(self.kernel)
            if (value := known(op)) is not None
        }
        for block in self.kernel.blocks:
            if block not in course.body:
                read_instead(block, lambda op: instead.get(op, op))
        leaving = course.exit
        leaving.arguments = [instead.get(op, op) for op in leaving.arguments]
        leave_after(self.kernel, course, iteration)


# -- one iteration ------------------------------------------------------------------------------


def _gone_in(course: Course, known: Known) -> dict[Op, int] | None:
    """How far each parameter that is no counter goes in an iteration that does nothing; None for
    one that does something."""
    ways = course.ways_in(known)
    if any(_does_something(block, known) for block in ways):
        return None
    found: dict[Op, int] = {}
    for parameter, following in course.back.given.items():
        if parameter not in course.counters:
            begin, far = _origin(course, ways, following, set())
            if begin is not parameter:
                return None
            found[parameter] = far
    return found


def _does_something(block: Block, known: Known) -> bool:
    """Whether a block may read or write something, or call what may."""
    acting = (op for op in block.ops if not op.pure)
    is_silent = all(op.enable is not None and known(op.enable) == 0 for op in acting)
    return not isinstance(block.end, (Jump, Branch)) or not is_silent


def _origin(
    course: Course, ways: dict[Block, list[Edge]], value: Op, seen: set[Op]
) -> tuple[Op | None, int]:
    """The value that one is a known number more than: a parameter of the header or what is made
    outside of the loop, where there is just one."""
    far = 0
    while isinstance(value, Add) and isinstance(value.operands[1], Constant):
        far += signed(value.operands[1].value, value.width)
        value = value.operands[0]
    joins = [b for b in ways if value in b.parameters and b is not course.header]
    if not joins or value in seen:
        return value, far
    seen.add(value)
    origins = {_origin(course, ways, edge.given[value], seen) for edge in ways[joins[0]]}
    origins.discard((value, 0))  # it goes through an inner loop as it is
    if len(origins) != 1:
        return None, 0
    begin, step = origins.pop()
    return begin, far + step
