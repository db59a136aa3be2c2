# SPDX-License-Identifier: Apache-2.0
"""A loop that runs a part of its course only: where it ends, and which of its tests are settled."""

from __future__ import annotations

from collections.abc import Iterable

from tandem.analysis.courses import Course
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Op, constant


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
    counter, end = course.counter, course.latch.end
    assert counter is not None
    last = constant(course.counters[counter][iteration], counter.width)
    kind = "eq" if end.edges[0] is course.exit else "ne"
    end.condition = Builder(kernel, course.latch, end.line).compare(kind, counter, last)
