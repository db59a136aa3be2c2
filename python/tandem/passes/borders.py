# SPDX-License-Identifier: Apache-2.0
"""Which iterations at the ends of a loop can be taken out of it."""

from __future__ import annotations

from typing import Any

from tandem.analysis.courses import Course
from tandem.analysis.open_courses import OpenCourse
from tandem.ir.blocks import Block, Jump
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.loops import Loops
from tandem.ir.ops import Op

MOST_QUESTIONS = 1 << 16
"""Tests of a loop, in all of its iterations: to ask so many takes half a second."""


def is_left_to_us(header: Block, body: set[Block]) -> bool:
    """Whether no directive says what is to become of a loop."""
    return header.loop != NO_LOOP and all(b.wanted_ii is None and b.copies is None for b in body)


def without_guards(tests: list[Op], body: set[Block], loops: Loops) -> list[Op]:
    """Those of some tests that do more than lead past loops."""
    guards = {block.end.condition for block in body if _is_guard(block, loops)}
    return [op for op in tests if op not in guards]


def _is_guard(block: Block, loops: Loops) -> bool:
    """Whether a block leads into a loop or past it: no iteration of one that is not entered goes
    another way."""
    ways = [
        s.successors[0] if isinstance(s.end, Jump) and s not in loops else s
        for s in block.successors
    ]
    return len(ways) == 2 and sum(way in loops and block not in loops[way] for way in ways) == 1


class Alike:
    """Tells whether an iteration does what those of `constants`, which tests give there, do: where
    an index is held within a row, the last column's is itself, and how often a loop runs does not
    matter where it is passed over."""

    def __init__(
        self, kernel: Kernel, course: Course | OpenCourse, constants: dict[Op, Op]
    ) -> None:
        self.course = course
        self.behind = course.read_behind(kernel)
        self.given = {op: value.value for op, value in constants.items()}
        self.readers: dict[Op, list[tuple[Block, Op]]] = {}
        for block in course.body:
            for op in block.ops:
                for operand in op.operands:
                    self.readers.setdefault(operand, []).append((block, op))

    def __call__(self, iteration: Any) -> bool:
        """`iteration`: its number, or what an open course is asked for."""
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
