# SPDX-License-Identifier: Apache-2.0
"""Iterations at the ends of a loop that are taken out of it: which ones can be, and how."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tandem.analysis.courses import Course
from tandem.analysis.open_courses import OpenCourse
from tandem.ir.clone import copy_blocks
from tandem.ir.kernel import Block, Edge, Kernel, Op, Terminator, reverse_postorder
from tandem.ir.lines import NO_LOOP
from tandem.passes.part_course import settled
from tandem.passes.simplify import read_instead, tidy

MOST_QUESTIONS = 1 << 16
"""Tests of a loop, in all of its iterations: to ask so many takes half a second."""


@dataclass(frozen=True)
class Borders(ABC):
    """The `first` and the `last` iterations of a loop, so many of each. `constants`: what `tests`
    give between them."""

    first: int
    last: int
    tests: list[Op]
    constants: dict[Op, Op]
    course: Course | OpenCourse

    @abstractmethod
    def known_first(self) -> Iterable[Callable[[Op], object]]:
        """What tells what a value is in the first iterations."""

    @abstractmethod
    def known_last(self) -> Iterable[Callable[[Op], object]]:
        """The same of the last ones."""

    @abstractmethod
    def end_after_first(self, kernel: Kernel, copy: Any) -> None:
        """Has a copy of the loop, with this course, end after its first iterations."""

    @abstractmethod
    def end_before_last(self, kernel: Kernel) -> None:
        """Has the loop end before its last iterations."""


def is_left_to_us(header: Block, body: set[Block]) -> bool:
    """Whether no directive says what is to become of a loop."""
    return header.loop != NO_LOOP and all(b.wanted_ii is None and b.copies is None for b in body)


def without_guards(tests: list[Op], body: set[Block], loops: dict[Block, set[Block]]) -> list[Op]:
    """Those of some tests that do more than lead past loops."""
    guards = {block.end.condition for block in body if _is_guard(block, loops)}
    return [op for op in tests if op not in guards]


def _is_guard(block: Block, loops: dict[Block, set[Block]]) -> bool:
    """Whether a block leads into a loop or past it: no iteration of one that is not entered goes
    another way."""
    ways = [
        s.successors[0] if s.end.kind == "jump" and s not in loops else s for s in block.successors
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


class _Copy:
    """So many iterations apart from their loop, in one copy of its body: `ops` are those of the
    copy by those of the loop. More than one are a loop too."""

    def __init__(
        self,
        kernel: Kernel,
        borders: Borders,
        count: int,
        readers: Iterable[Callable[[Op], object]],
    ) -> None:
        course = borders.course
        blocks = [block for block in kernel.blocks if block in course.body]
        self.blocks, self.ops = copy_blocks(kernel, blocks)
        self.kernel = kernel
        self.count = count
        self.course = course.copied(self.blocks, self.ops)
        constants = settled(borders.tests, readers)
        known = {self.ops[op]: value for op, value in constants.items()}
        for block in self.course.body:
            read_instead(block, lambda op: known.get(op, op))
        if count == 1:
            self.course.header.loop = NO_LOOP

    def go_on(self, edge: Edge) -> None:
        """Has its last iteration lead where an edge leads."""
        latch, course = self.course.latch, self.course
        if self.count == 1:
            latch.end = Terminator("jump", edges=[edge], line=latch.end.line)
        else:
            latch.end.edges[latch.end.edges.index(course.exit)] = edge

    def edge(self, block: Block, values: list[Op]) -> Edge:
        """An edge to a block, with what there is in the copy of the loop's values."""
        return Edge(block, [self.ops.get(value, value) for value in values])


def split(kernel: Kernel, borders: Borders) -> list[Block]:
    """Takes the borders of a loop out of it; the blocks that are there more often."""
    course = borders.course
    following, leaving, way = list(course.back.arguments), course.exit, course.entry
    first = _Copy(kernel, borders, borders.first, borders.known_first()) if borders.first else None
    last = _Copy(kernel, borders, borders.last, borders.known_last()) if borders.last else None
    if first is not None:
        way.block = first.course.header
        if borders.first > 1:
            borders.end_after_first(kernel, first.course)
        first.go_on(first.edge(course.header, following))
    if last is not None:
        borders.end_before_last(kernel)
        last.go_on(last.edge(leaving.block, leaving.arguments))
        leaving.block, leaving.arguments = last.course.header, following
        _read_behind(kernel, course.body, last)
    for block in course.body:
        read_instead(block, lambda op: borders.constants.get(op, op))
    kernel.blocks = reverse_postorder(kernel.entry)
    tidy(kernel)
    return [block for copy in (first, last) if copy for block in copy.blocks.values()]


def _read_behind(kernel: Kernel, body: set[Block], last: _Copy) -> None:
    """Has what is read behind a loop come from its last iterations."""
    own = body | last.course.body
    for block in (block for block in kernel.blocks if block not in own):
        read_instead(block, lambda op: last.ops.get(op, op))
