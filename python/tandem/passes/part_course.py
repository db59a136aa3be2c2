# SPDX-License-Identifier: Apache-2.0
"""A loop that runs a part of its course only: where it ends, and which of its tests are settled."""

from __future__ import annotations

from collections.abc import Iterable

from tandem.analysis.courses import Course, PlainLoop
from tandem.analysis.open_courses import OpenCourse, Start, as_root
from tandem.analysis.trips import exit_test
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Eq, Ne, Op, constant


def settled(course: Course, tests: list[Op], iterations: Iterable[int]) -> dict[Op, Op]:
    """Those of some tests that give the same in all of some iterations, with that as a constant."""
    readers = [course.known_in(i) for i in iterations]
    found: dict[Op, Op] = {}
    for op in tests:
        value = readers[0](op)
        if value is not None and all(known(op) == value for known in readers):
            found[op] = constant(value, op.width)
    return found


def leave_after(kernel: Kernel, course: Course, iteration: int) -> None:
    """Has a loop end after an iteration."""
    counter = course.counter
    assert counter is not None
    last = constant(course.counters[counter][iteration], counter.width)
    _leave_when_equal(course, Builder(kernel, course.latch, course.latch.end.line), counter, last)


def leave_before(kernel: Kernel, course: OpenCourse, last: int) -> None:
    """Has a loop end before so many of its last iterations."""
    builder = Builder(kernel, course.latch, course.latch.end.line)
    moved = builder.plus(course.end.moves, last * course.end.start.step)
    _leave_when_equal(course, builder, moved, course.end.fixed)


def _leave_when_equal(loop: PlainLoop, builder: Builder, one: Op, other: Op) -> None:
    end = loop.latch.end
    end.condition = builder.compare(Eq if end.edges[0] is loop.exit else Ne, one, other)


def leave_at(kernel: Kernel, course: OpenCourse, until: Op) -> None:
    """Has a loop end when what moves in it has come to something else."""
    leaving = course.latch.end
    test, stays = exit_test(course.latch, course.header)
    operands = [until if operand is course.end.fixed else operand for operand in test.operands]
    builder = Builder(kernel, course.latch, leaving.line)
    made = builder.build(type(test), operands, 1)
    goes_back = leaving.edges[0].block is course.header
    leaving.condition = made if stays == goes_back else builder.invert(made)


def place_after(builder: Builder, course: OpenCourse, first: int) -> Op:
    """Where what moves in a loop is in the last one of its first iterations."""
    return value_in(builder, course, course.end.start, first - 1, course.end.fixed.width)


def place_at_end(builder: Builder, course: OpenCourse, width: int) -> Op:
    """Where what moves in a loop is in its last iteration, in so many bits, as `builder` makes it
    before the loop."""
    root, number, _ = as_root(course.end.fixed)
    return value_in(builder, course, Start(root, number, 0), 0, width)


def value_in(builder: Builder, course: OpenCourse, start: Start, iteration: int, width: int) -> Op:
    """What counts so in an iteration, in so many bits."""
    number = start.number + start.step * iteration
    if start.root is None:
        return constant(number, width)
    return builder.plus(builder.resize(start.root, width, course.bound.is_signed), number)
