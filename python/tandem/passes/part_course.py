# SPDX-License-Identifier: Apache-2.0
"""A loop that runs a part of its course only: where it ends, and which of its tests are settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tandem.analysis.courses import Course
from tandem.analysis.open_courses import OpenCourse, Start, as_root
from tandem.analysis.trips import exit_test
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Op, constant


def settled(tests: list[Op], readers: Iterable[Callable[[Op], object]]) -> dict[Op, Op]:
    """Those of some tests that give the same in all of some iterations, with that as a constant.
    `readers`: what tells what a value is in them, one or more."""
    first, *others = readers
    found: dict[Op, Op] = {}
    for op in tests:
        value = first(op)
        if isinstance(value, int) and all(known(op) == value for known in others):
            found[op] = constant(value, op.width)
    return found


def leave_after(kernel: Kernel, course: Course, iteration: int) -> None:
    """Has a loop end after an iteration."""
    counter, end = course.counter, course.latch.end
    assert counter is not None
    last = constant(course.counters[counter][iteration], counter.width)
    kind = "eq" if end.edges[0] is course.exit else "ne"
    end.condition = Builder(kernel, course.latch, end.line).compare(kind, counter, last)


def leave_before(kernel: Kernel, course: OpenCourse, last: int) -> None:
    """Has a loop end before so many of its last iterations."""
    end = course.end
    assert end is not None
    builder = Builder(kernel, course.latch, course.latch.end.line)
    moved = builder.plus(end.moves, last * end.start.step)
    kind = "eq" if course.latch.end.edges[0] is course.exit else "ne"
    course.latch.end.condition = builder.compare(kind, moved, end.fixed)


def leave_at(kernel: Kernel, course: OpenCourse, until: Op) -> None:
    """Has a loop end when what moves in it has come to something else."""
    end, leaving = course.end, course.latch.end
    assert end is not None
    test, stays = exit_test(course.latch, course.header)
    operands = [until if operand is end.fixed else operand for operand in test.operands]
    builder = Builder(kernel, course.latch, leaving.line)
    made = builder.compare(test.kind, *operands)
    goes_back = leaving.edges[0].block is course.header
    leaving.condition = made if stays == goes_back else builder.invert(made)


def place_after(builder: Builder, course: OpenCourse, first: int) -> Op:
    """Where what moves in a loop is in the last one of its first iterations."""
    end = course.end
    assert end is not None
    return value_in(builder, course, end.start, first - 1, end.fixed.width)


def place_at_end(builder: Builder, course: OpenCourse, width: int) -> Op:
    """Where what moves in a loop is in its last iteration, in so many bits, as `builder` makes it
    before the loop."""
    end = course.end
    assert end is not None
    root, number, _ = as_root(end.fixed)
    return value_in(builder, course, Start(root, number, 0), 0, width)


def value_in(builder: Builder, course: OpenCourse, start: Start, iteration: int, width: int) -> Op:
    """What counts so in an iteration, in so many bits."""
    number = start.number + start.step * iteration
    if start.root is None:
        return constant(number, width)
    assert course.bound is not None
    return builder.plus(builder.resize(start.root, width, course.bound.is_signed), number)
