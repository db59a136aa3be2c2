# SPDX-License-Identifier: Apache-2.0
"""Which blocks every path to a block runs through."""

from __future__ import annotations

from tandem.ir.blocks import Block, reverse_postorder
from tandem.ir.kernel import Kernel

Dominators = dict[Block, Block]
"""Block -> its immediate dominator; the entry is its own."""


def immediate_dominators(kernel: Kernel) -> Dominators:
    """The closest block that every path to a block runs through (Cooper, Harvey, Kennedy)."""
    order = reverse_postorder(kernel.entry)
    number = {block: i for i, block in enumerate(order)}
    predecessors = kernel.predecessors()
    result: Dominators = {kernel.entry: kernel.entry}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            found = [p for p, _ in predecessors[block] if p in result]
            best = found[0]
            for other in found[1:]:
                best = _meet(best, other, result, number)
            if result.get(block) is not best:
                result[block] = best
                changed = True
    return result


def _meet(a: Block, b: Block, tree: Dominators, number: dict[Block, int]) -> Block:
    while a is not b:
        while number[a] > number[b]:
            a = tree[a]
        while number[b] > number[a]:
            b = tree[b]
    return a


def dominates(above: Block, block: Block, dominators: Dominators) -> bool:
    """Whether every path to `block` runs through `above`."""
    while block is not above and dominators[block] is not block:
        block = dominators[block]
    return block is above
