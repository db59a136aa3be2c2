# SPDX-License-Identifier: Apache-2.0
"""Borders of loops of which only the call says how often they run (`analysis.open_courses`).

The innermost loop with borders becomes two. One runs what lies between the borders of all loops of
its nest, without tests. The other one is the loop as it was, `rest`: for its first and last
iterations, and for all of them in rows that are borders of the loops around, and in the few calls
in which there is nothing between borders.

    asking -> around -> rest -> behind -> what follows the loop
                ^                 |
                +---- between <---+
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import inf

from tandem import policy
from tandem.analysis.courses import bits_read
from tandem.analysis.forms import WRAPS_BITS
from tandem.analysis.open_courses import REACH, OpenCourse, Span, open_course_of
from tandem.analysis.readers import read_by
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.clone import copy_blocks
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name, put_on
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.loops import Loops, natural_loops
from tandem.ir.ops import And, Op, Parameter, Select, SLe, Sub, ULt, constant, parameter_like
from tandem.ir.wiring import named_by
from tandem.passes.borders import MOST_QUESTIONS, Alike, is_left_to_us, without_guards
from tandem.passes.part_course import leave_at, leave_before, place_after, place_at_end, value_in
from tandem.passes.preheaders import before_loop
from tandem.passes.rebuild import Elsewhere
from tandem.passes.simplify import read_instead, tidy

REST, AROUND = "rest", "around"
"""Parts: the loop that runs the borders of another one, and the one that leads from one to the
other, and back."""


@dataclass(frozen=True)
class _Open:
    """The `first` and the `last` iterations of a loop whose course is open, so many of each.
    `given`: what tests give between them."""

    first: int
    last: int
    given: dict[Op, int]
    course: OpenCourse

    @property
    def loop(self) -> LoopId:
        """Which one of the C's that is."""
        return self.course.header.loop

    @property
    def between(self) -> Span:
        """The iterations between them."""
        return Span((self.first, inf), (self.last, inf))

    def is_large(self, builder: Builder) -> Op:
        """Whether a call has the loop run so often that there is something between them, and not so
        often that anything would wrap."""
        bound = self.course.bound
        value = builder.resize(bound.value, max(WRAPS_BITS, bound.value.width), bound.is_signed)
        first = constant(bound.least + bound.step * (self.first + self.last), value.width)
        ends = [value, first] if bound.step > 0 else [first, value]
        over = builder.build(Sub, ends, value.width)
        return builder.compare(ULt, over, constant(REACH, value.width))

    def is_between(self, before: Builder, builder: Builder) -> Op:
        """Whether an iteration is between them, in a call that is large enough. `before` makes what
        is the same for all iterations."""
        course, end = self.course, self.course.end
        counter, start = next(
            (p, s)
            for p, s in course.starts.items()
            if (s.root, s.step) == (end.start.root, end.start.step)
        )
        first = value_in(before, course, start, self.first, counter.width)
        more = end.start.number - start.number + self.last * start.step
        last = before.plus(place_at_end(before, course, counter.width), -more)
        pairs = [(first, counter), (counter, last)]
        ordered = [pair if start.step > 0 else pair[::-1] for pair in pairs]
        return builder.logic(And, [builder.compare(SLe, *pair) for pair in ordered])


def run(kernel: Kernel, slug: str, wanted: Collection[LoopId]) -> bool:
    """Takes the borders out of loops that are `wanted`, and notes the others that could be; what is
    done to a loop is noted under the `slug`."""
    changed, done = False, set[Block]()
    while True:
        loops = natural_loops(kernel)
        nests = list(_nests(kernel, loops))
        kernel.borders.update(borders.loop for nest in nests for borders in nest)
        taken = [[borders for borders in nest if borders.loop in wanted] for nest in nests]
        rest = [t for t, nest in zip(taken, nests, strict=True) if nest[-1] in t]
        nest = next((n for n in rest if n[-1].course.header not in done), None)
        if nest is None:
            return changed
        done.add(nest[-1].course.header)
        kernel.deeds.append(Deed(slug, nest[-1].loop, count=nest[-1].first + nest[-1].last))
        _hand_out(kernel, nest[-1].course)
        _TakingOut(kernel, nest, loops).run()
        tidy(kernel)
        changed = True


def _nests(kernel: Kernel, loops: Loops) -> Iterator[list[_Open]]:
    """The innermost loops with borders, each behind those around it that have some too."""
    inside = (h for h, body in loops.items() if not any(block.part == REST for block in body))
    found = {header: b for header in inside if (b := _borders_of(kernel, header, loops))}
    for header, borders in found.items():
        around = sorted((h for h in found if header in loops[h]), key=lambda h: -len(loops[h]))
        outermost = max((h for h in loops if header in loops[h]), key=lambda h: len(loops[h]))
        made = _made_in(loops[outermost])
        nest = [found[h] for h in around if made.isdisjoint(named_by(found[h].course.bound.value))]
        is_innermost = not any(h in loops[header] for h in found if h is not header)
        if is_innermost and borders in nest:
            yield nest


def _borders_of(kernel: Kernel, header: Block, loops: Loops) -> _Open | None:
    """The borders of a loop; None where it has none, or its course is not open."""
    body = loops[header]
    tests = bits_read(body) if is_left_to_us(header, body) else []
    tests = without_guards(tests, body, loops)
    course = open_course_of(kernel, header, body) if tests else None
    if course is None or len(tests) * 2 * policy.LONGEST_BORDER > MOST_QUESTIONS:
        return None
    far = (policy.LONGEST_BORDER, inf)
    known = course.known_in(Span(far, far))
    given = {op: value for op in tests if isinstance(value := known(op), int)}
    constants = {op: constant(value, op.width) for op, value in given.items()}
    is_alike = Alike(kernel, course, constants)
    first = last = policy.LONGEST_BORDER
    while first > 0 and is_alike(Span((first - 1, first - 1), far)):
        first -= 1
    while last > 0 and is_alike(Span((first, inf), (last - 1, last - 1))):
        last -= 1
    return _Open(first, last, given, course) if first or last else None


def _made_in(blocks: Iterable[Block]) -> set[Op]:
    return {op for block in blocks for op in [*block.parameters, *block.ops]}


def _hand_out(kernel: Kernel, loop: OpenCourse) -> None:
    """Has all that is made in a loop and read behind it come by its way out."""
    made, leaving = loop.own, loop.exit
    others = [block for block in kernel.blocks if block not in loop.body]
    read = {op: None for block in others for op in read_by(block) if op in made}
    if not read:
        return
    end, _ = put_on(kernel, leaving, f"{leaving.block.name}_behind")
    brought = (a for a in end.end.inputs() if a in made)
    left = {op: parameter_like(op) for op in [*read, *brought]}
    for block in [*others, end]:
        read_instead(block, lambda op: left.get(op, op))
    end.parameters, leaving.arguments = list(left.values()), list(left)


class _TakingOut:
    """Takes the borders out of one loop, the last one of a `nest`. `rest`: the copy of the loop
    that runs these."""

    def __init__(self, kernel: Kernel, nest: list[_Open], loops: Loops) -> None:
        self.kernel = kernel
        self.nest = nest
        self.own = nest[-1]
        self.course = course = self.own.course
        header = course.header
        self.outermost = max((h for h in loops if header in loops[h]), key=lambda h: len(loops[h]))
        self.around = loops[self.outermost]
        blocks = [block for block in kernel.blocks if block in course.body]
        copies, self.ops = copy_blocks(kernel, blocks)
        for other in (other for other in loops if other in course.body):
            copies[other].part = REST
        self.rest = course.copied(copies, self.ops)
        self.rest.header.rounds = max(1, self.own.first, self.own.last)
        self.block = Block(block_name(kernel, f"{header.name}_around"), line=header.line)
        self.block.part = AROUND
        self.block.parameters = [parameter_like(p) for p in header.parameters]
        entry = Edge(self.rest.header, list(self.block.parameters))
        self.to_end = Parameter((), 1, name="to_end")
        """Whether the rest runs to the end of the loop, or its first iterations only."""
        self.block.parameters.append(self.to_end)
        self.block.end = Jump(edges=[entry], line=header.line)

    def run(self) -> None:
        """Does it."""
        given = self._given()
        course, kernel, line = self.course, self.kernel, self.course.header.line
        asked = self._asked()
        (entry,) = (e for b, e in kernel.predecessors()[course.header] if b not in course.body)
        asking, onward = put_on(kernel, entry, f"{course.header.name}_asking")
        is_between = asked[0]
        for one in asked[1:]:
            is_between = Builder(kernel, asking, line).logic(And, [is_between, one])
        starts = list(onward.arguments)
        if self.own.first:
            whole = Builder(kernel, asking).invert(is_between)
            asking.end = Jump(edges=[Edge(self.block, [*starts, whole])], line=line)
            between = self._stop_after_first()
        else:
            edges = [onward, Edge(self.block, [*starts, constant(1, 1)], seldom=True)]
            asking.end = Branch(is_between, edges, line=line)
            between, _ = put_on(kernel, onward, f"{course.header.name}_between")
        if self.own.last:
            leave_before(kernel, course, self.own.last)
            leaving, following = course.exit, list(course.back.arguments)
            leaving.block, leaving.arguments = self.block, [*following, constant(1, 1)]
            leaving.seldom = True
        self._settle(given, Builder(kernel, between, line))
        kernel.blocks = reverse_postorder(kernel.entry)

    def _given(self) -> dict[Op, int]:
        """What tests give between the borders of all loops: one of two loops' counters too."""
        given = {op: value for borders in self.nest for op, value in borders.given.items()}
        tests = [op for _, op in self.kernel.ops() if op.width == 1]
        for borders in [*self.nest, *self.nest]:
            known = borders.course.known_in(borders.between, given)
            values = {op: known(op) for op in tests if op not in given}
            given.update({op: value for op, value in values.items() if isinstance(value, int)})
        return given

    def _asked(self) -> list[Op]:
        """Whether a call is large enough, and whether a row is between the borders of the loops
        around."""
        block = before_loop(self.kernel, self.outermost, self.around)
        before = Builder(self.kernel, block, self.outermost.line)
        asked = [borders.is_large(before) for borders in self.nest]
        for borders in self.nest[:-1]:
            header = borders.course.header
            asked.append(borders.is_between(before, Builder(self.kernel, header, header.line)))
        return asked

    def _stop_after_first(self) -> Block:
        """Has the rest stop behind the first iterations, and go on to those between borders; the
        block that leads to these."""
        rest, first, kernel = self.rest, self.own.first, self.kernel
        leaving, builder = rest.exit, Builder(kernel, self.block, rest.header.line)
        width = rest.end.fixed.width
        ends = place_at_end(builder, self.course, width), place_after(builder, self.course, first)
        leave_at(kernel, rest, builder.build(Select, [self.to_end, *ends], width))
        behind = Block(block_name(kernel, f"{rest.header.name}_behind"), line=leaving.block.line)
        between = Block(block_name(kernel, f"{rest.header.name}_between"), line=rest.header.line)
        edges = [Edge(leaving.block, leaving.arguments), Edge(between)]
        behind.end = Branch(self.to_end, edges, line=rest.latch.end.line)
        leaving.block, leaving.arguments = behind, []
        way = Edge(self.course.header, self._after_first(Builder(kernel, between)))
        between.end = Jump(edges=[way], line=rest.header.line)
        return between

    def _after_first(self, builder: Builder) -> list[Op]:
        """What the loop has come to behind its first iterations."""
        course, first = self.course, self.own.first
        return [
            value_in(builder, course, course.starts[p], first, p.width)
            if p in course.starts
            else self.ops.get(a, a)
            for p, a in course.back.given.items()
        ]

    def _settle(self, given: dict[Op, int], builder: Builder) -> None:
        """Leaves tests out of the loop between borders, and makes before it once more what others
        around it have decided."""
        known = {op: constant(value, op.width) for op, value in given.items()}
        depends = set(known)
        for block in reverse_postorder(self.kernel.entry):
            for op in block.ops if block not in self.course.body else ():
                if op.pure and not depends.isdisjoint(op.operands):
                    depends.add(op)
        elsewhere = Elsewhere(builder, depends, known)
        for block in self.course.body:
            read_instead(block, elsewhere.value)
