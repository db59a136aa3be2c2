# SPDX-License-Identifier: Apache-2.0
"""accumulate-products: a loop's counter times what the loop does not change is a sum that goes on.

`a[y * width + x]` takes three multiplier blocks for its row, which is but `width` more than the row
before. The product is a parameter of the loop, which begins with that of the counter's first value
and is `width` more where the counter is one more. A counter may begin again: of a nest that is one
loop, each is 0 once the one inside has ended.

Requires: what sees by products which rows indices are in has seen it (find-independent,
line-buffers); narrow-widths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.analysis.counters import Way, ways_of
from tandem.analysis.range_inputs import one_run
from tandem.analysis.ranges import ranges_of
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Add, Constant, Mul, Op, Parameter, Range, Select, Sub, constant, mask
from tandem.ir.wiring import bits_of, is_constant, makers_of
from tandem.passes.count_loops import COUNTER_BITS
from tandem.passes.simplify import substitute, tidy

SLUG = "accumulate-products"
SUMMARY = "make sums of products of counters with what their loops do not change"

LEAST_BITS = 8
"""A narrower product is a few tables, as a sum and its register are."""
MOST_CHOICES = 3
"""Choices between what a counter is next: of a nest that is one loop, one for each loop in it."""


def run(kernel: Kernel, counter_bits: int = COUNTER_BITS) -> bool:
    """Whether there was such a product, of no more bits than a counter may have."""
    if not any(isinstance(op, Mul) for _, op in kernel.ops()):
        return False
    ranges, predecessors = ranges_of(kernel), kernel.predecessors()
    becomes: dict[Op, Op] = {}
    for header, body in natural_loops(kernel).items():
        entries, backs = ways_of(body, predecessors[header])
        if len(backs) == 1 and entries:
            loop = _Loop(kernel, header, body, entries, backs[0], ranges)
            becomes |= dict(loop.accumulated(counter_bits))
    if becomes:
        substitute(kernel, becomes)
        tidy(kernel)
    return bool(becomes)


@dataclass
class _Loop:
    """A loop with one way back."""

    kernel: Kernel
    header: Block
    body: set[Block]
    entries: list[Way]
    back: Way
    ranges: dict[Op, Range]

    def accumulated(self, most_bits: int) -> Iterator[tuple[Op, Op]]:
        """Products, and the parameters that they become."""
        body = [block for block in self.kernel.blocks if block in self.body]
        own = {op for block in body for op in (*block.parameters, *block.ops)}
        made: dict[tuple[Op, Op, int], Op | None] = {}
        for op in [op for block in body for op in block.ops]:
            if not isinstance(op, Mul) or not LEAST_BITS <= op.width <= most_bits:
                continue
            for factor, fixed in (op.operands, op.operands[::-1]):
                counter = self._counter(factor)
                is_fixed = own.isdisjoint(makers_of([fixed])) and not is_constant(bits_of(fixed))
                if counter is None or not is_fixed:
                    continue
                key = counter, fixed, op.width
                if key not in made:
                    made[key] = self._accumulate(*key, op)
                found = made[key]
                if found is not None:
                    yield op, found
                    break

    def _counter(self, factor: Op) -> Op | None:
        """The parameter of which a factor is the lowest bits, or all with zeros above."""
        run = one_run(factor)
        if run is None or run[0] not in self.header.parameters:
            return None
        counter, first, end = run
        return None if first or end < min(counter.width, factor.width) else counter

    def _accumulate(self, counter: Op, fixed: Op, width: int, like: Op) -> Op | None:
        """A parameter that is the product; None where it does not go on by sums."""
        source, edge = self.back
        total = Parameter((), width, line=like.line, name=like.name)
        builder = Builder(self.kernel, Block("sums"))
        builder.line = like.line
        course = _Course(builder, counter, fixed, total, self._most_steps(counter, width))
        following = course.next(edge.given[counter], MOST_CHOICES)
        begins = [(block, way, way.given[counter]) for block, way in self.entries]
        if following is None or not all(_is_start(value) for _, _, value in begins):
            return None
        self.header.parameters.append(total)
        source.ops += builder.block.ops
        edge.arguments.append(following)
        for block, way, value in begins:
            before = _Course(Builder(self.kernel, block), counter, fixed, total, course.room)
            way.arguments.append(before.start(value))
        return total

    def _most_steps(self, counter: Op, width: int) -> tuple[int, int]:
        """How far a counter may go down and up in an iteration, if it is extended by zeros and so
        must not wrap."""
        if counter.width >= width:
            return mask(width), mask(width)
        low, high = self.ranges.get(counter, (0, mask(counter.width)))
        return low, mask(counter.width) - high


def _is_start(value: Op) -> bool:
    """Whether what a counter begins with is known to be 0 or 1: its product takes no multiplier."""
    return isinstance(value, Constant) and value.value <= 1


@dataclass
class _Course:
    """What becomes of a product as its counter goes on."""

    builder: Builder
    counter: Op
    fixed: Op
    total: Op
    room: tuple[int, int]

    def start(self, value: Op) -> Op:
        """The product of a counter that begins with 0 or 1."""
        return self._more() if value.value else constant(0, self.total.width)

    def _more(self) -> Op:
        """What the loop does not change, where it is used: it may be wired in the loop."""
        return self.builder.wire(bits_of(self.fixed))

    def next(self, value: Op, choices: int) -> Op | None:
        """The product of what a counter is next; None where that is not known."""
        if value is self.counter:
            return self.total
        if _is_start(value):
            return self.start(value)
        if isinstance(value, Select) and choices:
            ways = [self.next(side, choices - 1) for side in value.operands[1:]]
            if ways[0] is None or ways[1] is None:
                return None
            chosen = [value.operands[0], ways[0], ways[1]]
            return self.builder.build(Select, chosen, self.total.width)
        return self._step(value)

    def _step(self, value: Op) -> Op | None:
        """The same of one more, or one less."""
        if not isinstance(value, Add) or value.operands[0] is not self.counter:
            return None
        step, most = value.operands[1], mask(value.width)
        down, up = self.room
        for number, kind, room in ((1, Add, up), (most, Sub, down)):
            if isinstance(step, Constant) and step.value == number and room >= 1:
                return self.builder.build(kind, [self.total, self._more()], self.total.width)
        return None
