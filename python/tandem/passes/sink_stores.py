# SPDX-License-Identifier: Apache-2.0
"""sink-stores: what every iteration of a loop writes at one place is written once, after the loop.

`y[i] += a[i][j] * x[j]` is a sum in a register: the element is read before the loop if an iteration
reads it, and written behind it. Between, it needs no port, and no iteration waits for a memory; nor
does a loop around this one, whose iterations may then take turns.

Requires: bind-arguments (extents and streams are told from where the C writes). Every iteration
writes the element, and nothing else in the loop reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear
from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of, turns_of
from tandem.ir.blocks import Block, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Load, Op, Parameter, Store
from tandem.passes.preheaders import preheader
from tandem.passes.simplify import substitute, tidy

SLUG = "sink-stores"
SUMMARY = "write behind a loop what every iteration would write again"


def run(kernel: Kernel) -> bool:
    """Whether any store has left its loop."""
    loops = [_Loop(kernel, block) for block in kernel.blocks if block.is_loop]
    found = [(loop.block, place) for loop in loops for place in loop.places()]
    for block, place in found:
        _sink(kernel, block, place)
    if found:
        kernel.facts.clear()
        tidy(kernel)
    return bool(found)


@dataclass
class _Place:
    """An element at the index `form`, and the accesses of a loop that reach it, in their order."""

    form: Linear
    accesses: list[Op]


class _Loop:
    """A loop of one block."""

    def __init__(self, kernel: Kernel, block: Block) -> None:
        self.kernel = kernel
        self.block = block
        self.entries = [e for b, e in kernel.predecessors()[block] if b is not block]

    def places(self) -> Iterator[_Place]:
        """Those that every iteration writes, and nothing else reaches."""
        ops = [op for op in self.block.ops if isinstance(op, Access)]
        stored = {op.memory.name for op in ops if isinstance(op, Store) and op.enable is None}
        if len(self.entries) == 1:
            for memory in sorted(stored):
                yield from self._places([op for op in ops if op.memory.name == memory])

    def _places(self, accesses: list[Op]) -> Iterator[_Place]:
        left = list(accesses)
        while left:
            form = self.plain.form(left[0].index)
            same = [op for op in left if op is left[0] or self.plain.form(op.index) == form]
            left = [op for op in left if op not in same]
            others = [op for op in accesses if op not in same]
            stores = [op for op in same if isinstance(op, Store)]
            always = all(op.enable is None for op in [same[0], *stores])
            if form is None or form.step or not stores or not always:
                continue
            if all(self._never_meet(same[0].index, op.index) for op in others):
                yield _Place(form, same)

    def _never_meet(self, one: Op, other: Op) -> bool:
        return (
            self.affine.distance(one, other) is None is self.affine.distance(other, one)
        ) or self.meetings.never(one, other, self.block)

    @cached_property
    def plain(self) -> AffineLoop:
        """The forms that take no ranges."""
        return AffineLoop(self.block, list(self.entries[0].arguments))

    @cached_property
    def affine(self) -> AffineLoop:
        turns = turns_of(self.kernel).get(self.block)
        initial: list[Op | None] = list(self.entries[0].arguments)
        return AffineLoop(self.block, initial, ranges=ranges_of(self.kernel), turns=turns)

    @cached_property
    def meetings(self) -> Meetings:
        return Meetings(Nests.of(self.kernel, ranges_of(self.kernel), self.block))


def _sink(kernel: Kernel, block: Block, place: _Place) -> None:
    ((source, entry),) = ((b, e) for b, e in kernel.predecessors()[block] if b is not block)
    source, entry = preheader(kernel, source, entry)
    builder = Builder(kernel, source)
    first, last = place.accesses[0], place.accesses[-1]
    builder.line = first.line
    index = place.form.value(builder)
    value, replace = None, {}
    if isinstance(first, Load):
        value = Parameter((), first.width, line=first.line, name=first.name)
        loaded = builder.raw(Load, [index], first.width, memory=first.memory)
    for op in place.accesses:
        if isinstance(op, Load):
            assert value is not None
            replace[op] = value
        else:
            value = op.operands[1]
    assert value is not None
    if isinstance(first, Load):
        block.parameters.append(replace[first])
        entry.arguments.append(loaded)
        block.back_edge.arguments.append(value)
    block.ops = [op for op in block.ops if op not in place.accesses]
    _store_behind(kernel, block, index, value, last)
    substitute(kernel, replace)


def _store_behind(kernel: Kernel, block: Block, index: Op, value: Op, last: Op) -> None:
    """Has the only way out of a loop store a value."""
    leaving = block.exit_edge
    behind = Block(block_name(kernel, f"{block.name}_after"), line=block.line)
    behind.end = Jump(edges=[Edge(leaving.block, leaving.arguments)], line=last.line)
    leaving.block, leaving.arguments = behind, []
    builder = Builder(kernel, behind, last.line)
    builder.raw(Store, [index, value], 0, memory=last.memory)
    kernel.blocks.insert(kernel.blocks.index(block) + 1, behind)
