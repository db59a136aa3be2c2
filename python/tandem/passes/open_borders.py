# SPDX-License-Identifier: Apache-2.0
"""Borders of loops of which only the call says how often they run (`analysis.open_courses`).

A nest in which there are such becomes two. One runs what lies between the borders of its outermost
loop, without tests, and the borders of the loops inside are taken out of these. The other one is
the nest as it was: for the borders of the outermost loop, first and last, and for the few calls in
which there is nothing between borders.

    asking -> around -> rest -> behind -> the end of the nest
                ^                 |
                +---- between <---+
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from math import inf

from tandem.analysis.courses import bits_read
from tandem.analysis.open_courses import (
    COUNTED_BITS,
    REACH,
    OpenCourse,
    Span,
    open_course_of,
)
from tandem.analysis.readers import read_by
from tandem.ir.builder import Builder
from tandem.ir.clone import copy_blocks
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name, put_on
from tandem.ir.kernel import (
    Block,
    Edge,
    Kernel,
    Op,
    Terminator,
    constant,
    parameter_like,
    reverse_postorder,
)
from tandem.ir.lines import LoopId
from tandem.ir.loops import natural_loops
from tandem.passes.borders import (
    LONGEST_BORDER,
    MOST_QUESTIONS,
    Alike,
    Borders,
    is_left_to_us,
    split,
    without_guards,
)
from tandem.passes.part_course import leave_at, leave_before, place_after, place_at_end, value_in
from tandem.passes.simplify import read_instead, tidy

REST = "rest"
"""The part that a nest is which runs the borders of another one."""


@dataclass(frozen=True)
class Open(Borders):
    """Borders of a loop whose course is open: `at_least` iterations lie before, in and behind
    them."""

    course: OpenCourse

    @property
    def at_least(self) -> int:
        """How often the loop runs at least, so that there is something between them."""
        return self.first + self.last + 1

    @property
    def between(self) -> Span:
        """The iterations between them."""
        return Span((self.first, inf), (self.last, inf))

    def known_first(self) -> Iterable[Callable[[Op], object]]:
        if self.first == 1:
            return [self.course.known_in(Span((0, 0), (self.at_least - 1, inf)))]
        return [self.course.known_in(Span((0, self.first - 1), (self.last + 1, inf)))]

    def known_last(self) -> Iterable[Callable[[Op], object]]:
        return [self.course.known_in(Span((self.first + 1, inf), (0, self.last - 1)))]

    def end_after_first(self, kernel: Kernel, copy: OpenCourse) -> None:
        builder = Builder(kernel, copy.latch, copy.latch.end.line)
        leave_at(kernel, copy, place_after(builder, copy, self.first))

    def end_before_last(self, kernel: Kernel) -> None:
        leave_before(kernel, self.course, self.last)

    def is_large(self, builder: Builder) -> Op:
        """Whether a call has the loop run `at_least` so often, and not so often that anything would
        wrap."""
        bound = self.course.bound
        assert bound is not None
        value = builder.resize(bound.value, max(COUNTED_BITS, bound.value.width), bound.is_signed)
        first = constant(bound.least + bound.step * (self.at_least - 1), value.width)
        ends = [value, first] if bound.step > 0 else [first, value]
        over = builder.build("sub", ends, value.width)
        return builder.compare("ult", over, constant(REACH, value.width))


def run(kernel: Kernel, slug: str, wanted: Collection[LoopId]) -> bool:
    """Makes two of each nest with loops that are `wanted`, and notes the others that could be; what
    is done to a loop is noted under the `slug`."""
    changed, done = False, set[Block]()
    while True:
        loops = natural_loops(kernel)
        outermost = [h for h in loops if not any(h in loops[o] for o in loops if o is not h)]
        rest = [header for header in outermost if header not in done]
        if not rest:
            return changed
        header = rest[0]
        done.add(header)
        found = [b for b in _borders_in(kernel, header, loops) if _is_fixed(b, loops[header])]
        kernel.borders.update(b.course.header.loop for b in found)
        found = [b for b in found if b.course.header.loop in wanted]
        if found and _hand_out(kernel, loops[header]):
            done.update(_make_two(kernel, header, loops, found))
            kernel.deeds += [_deed(slug, b) for b in found if b.course.header is header]
            _take_out(kernel, slug, [b.course.header for b in found])
            changed = True


def _borders_in(kernel: Kernel, header: Block, loops: dict[Block, set[Block]]) -> Iterator[Open]:
    """The open borders of a nest's loops, outer ones first."""
    inside = [other for other in loops if other in loops[header] and other.part != REST]
    for other in sorted(inside, key=lambda h: -len(loops[h])):
        found = _borders_of(kernel, other, loops)
        if found is not None:
            yield found


def _borders_of(kernel: Kernel, header: Block, loops: dict[Block, set[Block]]) -> Open | None:
    """The borders of a loop; None where it has none, or its course is not open."""
    body = loops[header]
    tests = bits_read(body) if is_left_to_us(header, body) else []
    tests = without_guards(tests, body, loops)
    course = open_course_of(kernel, header, body) if tests else None
    if course is None or len(tests) * 2 * LONGEST_BORDER > MOST_QUESTIONS:
        return None
    far = (LONGEST_BORDER, inf)
    known = course.known_in(Span(far, far))
    given = {op: value for op in tests if isinstance(value := known(op), int)}
    constants = {op: constant(value, op.width) for op, value in given.items()}
    is_alike, first, last = Alike(kernel, course, constants), LONGEST_BORDER, LONGEST_BORDER
    while first > 0 and is_alike(Span((first - 1, first - 1), far)):
        first -= 1
    while last > 0 and is_alike(Span((first, inf), (last - 1, last - 1))):
        last -= 1
    return Open(first, last, list(given), constants, course) if first or last else None


def _is_fixed(borders: Open, nest: set[Block]) -> bool:
    """Whether it is known before a nest how often a loop of it runs."""
    bound = borders.course.bound
    return bound is not None and bound.value not in _made_in(nest)


def _made_in(blocks: Iterable[Block]) -> set[Op]:
    return {op for block in blocks for op in [*block.parameters, *block.ops]}


def _hand_out(kernel: Kernel, nest: set[Block]) -> bool:
    """Has all that is made in a nest and read behind it come by its way out; whether it does."""
    made = _made_in(nest)
    others = [block for block in kernel.blocks if block not in nest]
    read = {op: None for block in others for op in read_by(block) if op in made}
    exits = [e for block in nest for e in block.end.edges if e.block not in nest]
    if read and len(exits) == 1:
        end, _ = put_on(kernel, exits[0], f"{exits[0].block.name}_behind")
        left = {
            op: parameter_like(op) for op in [*read, *(a for a in end.end.inputs() if a in made)]
        }
        for block in [*others, end]:
            read_instead(block, lambda op: left.get(op, op))
        end.parameters, exits[0].arguments = list(left.values()), list(left)
    return not read or len(exits) == 1


def _make_two(
    kernel: Kernel, header: Block, loops: dict[Block, set[Block]], found: list[Open]
) -> list[Block]:
    """Has a nest run only where it has enough to do, and between the borders of its outermost loop;
    and a copy of it elsewhere. The headers that are new."""
    nest = loops[header]
    (entry,) = (e for b, e in kernel.predecessors()[header] if b not in nest)
    copies, ops = copy_blocks(kernel, [block for block in kernel.blocks if block in nest])
    inside = [copies[other] for other in loops if other in nest]
    for other in inside:
        other.part = REST
    asking, onward = put_on(kernel, entry, f"{header.name}_large")
    builder = Builder(kernel, asking, header.line)
    large: Op = constant(1, 1)
    for borders in found:
        large = builder.logic("and", [large, borders.is_large(builder)])
    outer = next((b for b in found if b.course.header is header), None)
    new = inside
    if outer is None:
        small = Edge(copies[header], list(onward.arguments), seldom=True)
        asking.end = Terminator("branch", large, [onward, small], line=header.line)
    else:
        new = [*inside, _Around(kernel, outer, copies, ops).lead(asking, onward, large)]
    _settle(kernel, nest, found)
    kernel.blocks = reverse_postorder(kernel.entry)
    return new


class _Around:
    """What leads from one of two nests to the other, where the outermost loop has borders. `rest`:
    the loop that runs these."""

    def __init__(
        self, kernel: Kernel, outer: Open, copies: dict[Block, Block], ops: dict[Op, Op]
    ) -> None:
        self.kernel = kernel
        self.outer = outer
        self.ops = ops
        self.course = course = outer.course
        self.rest = course.copied(copies, ops)
        header = self.rest.header
        header.rounds = max(1, outer.first + outer.last)
        self.block = Block(block_name(kernel, f"{header.name}_around"), line=header.line)
        self.block.parameters = [parameter_like(p) for p in course.header.parameters]
        entry = Edge(header, list(self.block.parameters))
        self.to_end = Op("parameter", (), 1, name="to_end")
        """Whether the rest runs to the end of the loop, or its first iterations only."""
        self.block.parameters.append(self.to_end)
        self.block.end = Terminator("jump", edges=[entry], line=header.line)

    def lead(self, asking: Block, onward: Edge, large: Op) -> Block:
        """Does it, on the way from `asking` to the loop; the block around both nests."""
        course, starts = self.course, list(onward.arguments)
        if self.outer.first:
            small = Builder(self.kernel, asking).invert(large)
            edges = [Edge(self.block, [*starts, small])]
            asking.end = Terminator("jump", edges=edges, line=course.header.line)
            self._stop_after_first()
        else:
            edges = [onward, Edge(self.block, [*starts, constant(1, 1)], seldom=True)]
            asking.end = Terminator("branch", large, edges, line=course.header.line)
        if self.outer.last:
            leave_before(self.kernel, course, self.outer.last)
            leaving, following = course.exit, list(course.back.arguments)
            leaving.block, leaving.arguments = self.block, [*following, constant(1, 1)]
            leaving.seldom = True
        for block in course.body:
            read_instead(block, lambda op: self.outer.constants.get(op, op))
        return self.block

    def _stop_after_first(self) -> None:
        """Has the rest stop behind the first iterations, and go on to those between borders."""
        rest, first = self.rest, self.outer.first
        assert rest.end is not None
        leaving, builder = rest.exit, Builder(self.kernel, self.block, rest.header.line)
        ends = place_at_end(builder, self.course), place_after(builder, self.course, first)
        until = builder.build("select", [self.to_end, *ends], rest.end.fixed.width)
        leave_at(self.kernel, rest, until)
        name = block_name(self.kernel, f"{rest.header.name}_behind")
        behind = Block(name, line=leaving.block.line)
        between = Edge(self.course.header, self._after_first(Builder(self.kernel, behind)))
        edges = [Edge(leaving.block, leaving.arguments), between]
        behind.end = Terminator("branch", self.to_end, edges, line=rest.latch.end.line)
        leaving.block, leaving.arguments = behind, []

    def _after_first(self, builder: Builder) -> list[Op]:
        """What the loop has come to behind its first iterations."""
        course, first = self.course, self.outer.first
        return [
            value_in(builder, course, course.starts[p], first, p.width)
            if p in course.starts
            else self.ops.get(a, a)
            for p, a in course.back.given.items()
        ]


def _settle(kernel: Kernel, nest: set[Block], found: list[Open]) -> None:
    """Leaves out of a nest tests of what is known of its loops' bounds: ways past them, for one."""
    given: dict[Op, int] = {}
    tests = [op for _, op in kernel.ops() if op.width == 1]
    for borders in [*found, *found]:  # a test of two bounds is known when both are
        known = borders.course.known_in(borders.between, given)
        others = (op for op in tests if op not in given and op not in borders.course.own)
        values = {op: known(op) for op in others}
        given.update({op: value for op, value in values.items() if isinstance(value, int)})
    for block in nest:
        read_instead(block, lambda op: constant(given[op], 1) if op in given else op)


def _take_out(kernel: Kernel, slug: str, headers: list[Block]) -> None:
    """Takes the borders out of loops, and of the copies of these that come of it."""
    tidy(kernel)
    work = list(headers)
    while work:
        header = work.pop(0)
        loops = natural_loops(kernel)
        found = _borders_of(kernel, header, loops) if header in loops else None
        if found is not None:
            kernel.deeds.append(_deed(slug, found))
            more = split(kernel, found)
            work += [block for block in more if block in natural_loops(kernel)]


def _deed(slug: str, borders: Open) -> Deed:
    return Deed(slug, borders.course.header.loop, count=borders.first + borders.last)
