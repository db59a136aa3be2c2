# SPDX-License-Identifier: Apache-2.0
"""part-sums: sums that wait for themselves leave a loop that stores.

    for (i) for (j) { s[j] += r[i] * a[i][j]; q[i] += a[i][j] * p[j]; }

The sum of an outer iteration waits for its last addition, and everything else in its loop with it.
In a loop of its own, iterations of the outer loop can take turns in it, or change places with it
(`split-loops`, `interleave`, `interchange`), and what stores no longer waits. Both loops count, and
read what both need.

Requires: sink-stores (a sum is in a register), count-loops. No sum reads a memory that the loop
writes, and nothing that the loop writes depends on a sum.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tandem.analysis.affine import AffineLoop
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.deeds import Deed
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import nests_of_two
from tandem.ir.ops import Access, Load, Op, Store, parameter_like
from tandem.passes.simplify import read_instead, tidy

SLUG = "part-sums"
SUMMARY = "give sums a loop of their own, apart from one that stores"

SUMS = "sums"
"""The part that their loop is."""


def run(kernel: Kernel, wanted: Collection[LoopId] = frozenset()) -> bool:
    """Parts the loops that are `wanted`, and notes the others that could be."""
    changed = False
    for _, _, block in list(nests_of_two(kernel)):
        mixed = _mixed(kernel, block)
        if mixed is not None:
            kernel.mixed.add(block.loop)
            if block.loop in wanted:
                _part(kernel, mixed)
                kernel.deeds.append(Deed(SLUG, block.loop))
                changed = True
    if changed:
        tidy(kernel)
    return changed


@dataclass
class _Mixed:
    """A loop that stores and sums up. `sums`: parameters; `of_sums`: what they and the loop's end
    are made of; `entry`: the one way in."""

    block: Block
    entry: Edge
    sums: set[Op]
    of_sums: set[Op]


def _mixed(kernel: Kernel, block: Block) -> _Mixed | None:
    stores = [op for op in block.ops if isinstance(op, Store)]
    entries = [edge for source, edge in kernel.predecessors()[block] if source is not block]
    is_ours = block.wanted_ii is None and not block.is_to_be_copied and block.loop != NO_LOOP
    if not stores or not is_ours or block.trip_count is None or len(entries) != 1:
        return None
    if not all(op.pure or isinstance(op, Access) for op in block.ops):
        return None
    following = block.back_edge.given
    own = {*block.parameters, *block.ops}
    assert block.end.condition is not None
    counting = made_of([block.end.condition], own, following)
    storing = made_of([o for store in stores for o in store.operands], own, following)
    steps = AffineLoop(block, list(entries[0].arguments)).increments
    sums = {p for p in block.parameters if steps[p] is None} - counting - storing
    of_sums = made_of([*sums, *counting], own, following)
    written = {store.memory.name for store in stores}
    is_apart = all(op.memory.name not in written for op in of_sums if isinstance(op, Load))
    return _Mixed(block, entries[0], sums, of_sums) if sums and is_apart else None


def _part(kernel: Kernel, mixed: _Mixed) -> None:
    """Makes the second loop, behind the first one, which then lacks the sums."""
    block, entry = mixed.block, mixed.entry
    second, copies = _copy(kernel, mixed)
    for other in (b for b in kernel.blocks if b is not block):
        read_instead(other, lambda value: copies.get(value, value))
    back, leaving = block.back_edge, block.exit_edge
    is_copied = [p in mixed.of_sums for p in block.parameters]
    again = Edge(second, [copies.get(a, a) for a in _those(back.arguments, is_copied)])
    onward = Edge(leaving.block, [copies.get(a, a) for a in leaving.arguments], leaving.seldom)
    edges = [again, onward] if block.stays_when else [onward, again]
    assert block.end.condition is not None
    second.end = Branch(copies[block.end.condition], edges, line=block.end.line)
    between = Block(block_name(kernel, f"{block.name}_behind"), line=block.line)
    begin = Edge(second, _those(entry.arguments, is_copied))
    between.end = Jump(edges=[begin], line=block.line)
    leaving.block, leaving.arguments = between, []
    stays = [p not in mixed.sums for p in block.parameters]
    entry.arguments = _those(entry.arguments, stays)
    back.arguments = _those(back.arguments, stays)
    block.parameters = _those(block.parameters, stays)
    behind = kernel.blocks.index(block) + 1
    kernel.blocks[behind:behind] = [between, second]


def _copy(kernel: Kernel, mixed: _Mixed) -> tuple[Block, dict[Op, Op]]:
    """A block with what sums and the loop's end are made of; each value -> its copy."""
    block, second = mixed.block, mixed.block.outline()
    second.name, second.part = block_name(kernel, f"{block.name}_sums"), SUMS
    second.trip_count = block.trip_count
    copies = {p: parameter_like(p) for p in block.parameters if p in mixed.of_sums}
    second.parameters = list(copies.values())
    for op in (op for op in block.ops if op in mixed.of_sums):
        operands = [copies.get(o, o) for o in op.operands]
        copies[op] = op.like(operands)
        second.ops.append(copies[op])
    return second, copies


def _those(values: list[Op], which: list[bool]) -> list[Op]:
    return [value for value, is_it in zip(values, which, strict=True) if is_it]
