# SPDX-License-Identifier: Apache-2.0
"""Several copies of a loop's body for an iteration, as a directive asks for.

Each copy may be the last that runs. Where the number of iterations is known on entry, so are the
number of groups and how many copies of the last group run: a copy then goes on to the next one
where another group follows or, before the loop, the last group was seen to reach there. Where that
folds to constants, no copy can leave and the copies are one block. Else every copy tests what the
loop tests.
"""

from __future__ import annotations

from tandem.ir.blocks import Block, Branch, Edge
from tandem.ir.builder import Builder
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, Sub, UDiv, ULt, URem, constant
from tandem.passes.count_loops import bits_needed, count_down, trips_on_entry
from tandem.passes.peel import Copy, copy_body


def unroll_by(kernel: Kernel, block: Block, counter_bits: int) -> None:
    """Makes `block.copies` copies of a loop of one block, which then stays a loop."""
    count = block.copies or 1
    entries = [(b, edge) for b, edge in kernel.predecessors()[block] if b is not block]
    outside = Builder(kernel, entries[0][0], block.line)
    trips = trips_on_entry(outside, block, entries[0][1]) if len(entries) == 1 else None
    copies = copy_body(kernel, block, count)
    if trips is not None:
        _count_groups(outside, entries[0][1], trips, copies, counter_bits)
    block.copies = 1
    block.rounds = -(-block.rounds // count)
    if block.wanted_ii is None:
        block.wanted_ii = 0


def _count_groups(
    outside: Builder, entry: Edge, trips: Op, copies: list[Copy], counter_bits: int
) -> None:
    count = bits_needed(outside, trips)
    width = max(count.width, len(copies).bit_length())
    turns = outside.build(Sub, [count, constant(1, count.width)], count.width)
    parts = outside.resize(turns, width), constant(len(copies), width)
    last, rest = (outside.build(kind, parts, width) for kind in (UDiv, URem))
    groups = outside.plus(last, 1)
    first = copies[0].block
    count_down(outside, first, entry, groups, counter_bits, copies[-1].block)
    more = copies[-1].block.end.condition
    for number, copy in enumerate(copies[:-1], 1):
        reaches = outside.compare(ULt, constant(number - 1, width), rest)
        _go_on_where(outside.kernel, copy, more, reaches)


def _go_on_where(kernel: Kernel, copy: Copy, more: Op | None, reaches: Op) -> None:
    """The next copy runs where another group follows, or the last one reaches it."""
    line = copy.block.end.line
    in_last = Block(block_name(kernel, f"{copy.block.name}_last"), line=copy.block.line)
    in_last.end = Branch(reaches, [Edge(copy.onward.block), copy.leave], line=line)
    kernel.blocks.insert(kernel.blocks.index(copy.block) + 1, in_last)
    copy.block.end = Branch(more, [copy.onward, Edge(in_last)], line=line)
