# SPDX-License-Identifier: Apache-2.0
"""reload: what a loop reads at one place, and writes there in at most one iteration, is read before
the loop, and again behind that iteration.

`p[i][j] = min(p[i][j], p[i][k] + p[k][j])` over j reads p[i][k] in every iteration and writes it in
that of j == k. Iterations up to that one read what was there before, those behind it what it has
left: the loop runs twice, each time from a register, and no iteration waits for a store.

Requires: count-loops, bind-arguments (extents are told from where the C reads), sink-stores. The
read comes before the write, which moves by an element in each iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tandem import policy
from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear
from tandem.ir.blocks import Block, Branch, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    Access,
    Add,
    Constant,
    Load,
    Ne,
    Op,
    Parameter,
    Select,
    Store,
    Sub,
    ULt,
    constant,
    parameter_like,
)
from tandem.passes.count_loops import COUNTER_BITS, count_down
from tandem.passes.preheaders import preheader
from tandem.passes.simplify import substitute, tidy

SLUG = "reload"
SUMMARY = "read again what one iteration of a loop writes, rather than in every iteration"

READS_AGAIN = "reads-again"
"""The part that the loop is around one that begins again."""


def run(kernel: Kernel, counter_bits: int = COUNTER_BITS) -> bool:
    """Whether any loop reads before it begins what it would read in every iteration. Counters are
    as in count-loops."""
    found = [split for block in kernel.blocks for split in _splits(kernel, block)]
    for split in found:
        _split(kernel, split, counter_bits)
        kernel.deeds.append(Deed(SLUG, split.block.loop, memories=(split.loads[0].memory.name,)))
    if found:
        kernel.blocks = reverse_postorder(kernel.entry)
        tidy(kernel)
    return bool(found)


@dataclass
class _Split:
    """A loop, its loads of the element `place`, and where the store is that comes to it: at
    `moving`, which grows by 1 or -1 with each iteration."""

    block: Block
    loads: list[Op]
    place: Linear
    moving: Linear


def _splits(kernel: Kernel, block: Block) -> Iterator[_Split]:
    """What can be read before a loop of one block: one element."""
    entries = [e for b, e in kernel.predecessors()[block] if b is not block]
    trips = block.trip_count
    if not block.is_loop or trips is None or len(entries) != 1:
        return
    if isinstance(trips, Constant) and trips.value <= policy.RELOADED_TRIPS:
        return
    loop = AffineLoop(block, list(entries[0].arguments))
    stores = [op for op in block.ops if isinstance(op, Store)]
    found = (split for store in stores for split in _splits_before(loop, store))
    yield from islice(found, 1)


def _splits_before(loop: AffineLoop, store: Op) -> Iterator[_Split]:
    """The same of one store, which is the only one of its memory and walks through it."""
    block, moving = loop.block, loop.form(store.index)
    others: list[Op] = [
        op for op in block.ops if isinstance(op, Access) and op.memory is store.memory
    ]
    if moving is None or moving.centred().step not in (1, -1):
        return
    if any(isinstance(op, Store) and op is not store for op in others):
        return
    before = others[: others.index(store)]
    for load in before:
        place = loop.form(load.index)
        if place is None or place.width != moving.width or place.step or load.enable is not None:
            continue
        loads = [op for op in others if loop.form(op.index) == place]
        if all(op.enable is None and op in before for op in loads):
            yield _Split(block, loads, place, moving)


def _split(kernel: Kernel, split: _Split, counter_bits: int) -> None:
    """Has a loop end behind the iteration that writes what it reads, and begin again."""
    block, trips = split.block, split.block.trip_count
    assert trips is not None
    ((source, entry),) = ((b, e) for b, e in kernel.predecessors()[block] if b is not block)
    source, entry = preheader(kernel, source, entry)
    first = split.moving.after(0).value(Builder(kernel, source))
    place = split.place.value(Builder(kernel, source))
    before = Block(block_name(kernel, f"{block.name}_load"), line=block.loop.line or block.line)
    before.part = READS_AGAIN
    before.parameters = [parameter_like(p) for p in block.parameters]
    done = Parameter((), trips.width, line=block.line, name="done")
    before.parameters.append(done)
    given = [*entry.arguments, constant(0, trips.width)]
    onward = Edge(block, before.parameters[:-1])
    entry.block, entry.arguments = before, given
    before.end = Jump(edges=[onward], line=block.line)

    builder = Builder(kernel, before)
    builder.line = split.loads[0].line
    load = split.loads[0]
    value = builder.raw(Load, [place], load.width, memory=load.memory)
    builder.line = block.line
    left = builder.build(Sub, [trips, done], trips.width)
    count = _until_met(builder, split, (first, place), done, left)

    behind = Block(block_name(kernel, f"{block.name}_again"), line=block.line)
    leaving = block.exit_edge
    onto = Edge(behind, [])
    following = [*block.back_edge.arguments]
    edges = [onto if edge is leaving else edge for edge in block.end.edges]
    block.end = Branch(block.end.condition, edges, line=block.end.line)
    at_end = Builder(kernel, behind, block.line)
    now = at_end.build(Add, [done, count], trips.width)
    is_more = at_end.compare(Ne, now, trips)
    again = Edge(before, [*following, now], seldom=True)
    block.rounds = trips.value if isinstance(trips, Constant) else 0
    behind.end = Branch(is_more, [again, leaving], line=block.line)
    block.ops = [op for op in block.ops if op not in split.loads]
    count_down(builder, block, onward, count, counter_bits)
    index = kernel.blocks.index(block)
    kernel.blocks[index : index + 1] = [before, block, behind]
    substitute(kernel, dict.fromkeys(split.loads, value))


def _until_met(builder: Builder, split: _Split, at: tuple[Op, Op], done: Op, left: Op) -> Op:
    """How many iterations there are up to the one whose store comes to the element, that one too,
    or to the last one. `at`: where the store is in the first iteration of all, and the element."""
    first, place = at
    width = first.width
    step = split.moving.centred().step
    gap = builder.build(Sub, [place, first] if step > 0 else [first, place], width)
    gap = builder.build(Sub, [gap, builder.resize(done, width)], width)
    wide = max(width, left.width) + 1
    gap, whole = builder.resize(gap, wide), builder.resize(left, wide)
    meets = builder.compare(ULt, gap, whole)
    upto = builder.plus(gap, 1)
    return builder.resize(builder.build(Select, [meets, upto, whole], wide), left.width)
