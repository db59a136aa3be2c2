# SPDX-License-Identifier: Apache-2.0
"""Pipelines that a loop around them could leave early."""

from __future__ import annotations

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.loops import loop_around, natural_loops
from tandem.ir.ops import Access, Divide, Mul, Op, Store
from tandem.ir.wiring import makers_of
from tandem.schedule.access_orders import is_alone


def rounds_of(kernel: Kernel) -> dict[Block, dict[Op, int]]:
    """Pipelines that a loop around them could leave early, as nothing that they make has to be
    waited for; their accesses that come before those of the blocks around them, and how many
    blocks are between at least."""
    loops, found = natural_loops(kernel), dict[Block, dict[Op, int]]()
    for block in (block for block in loops if block.is_loop):
        outer = loop_around(block, loops)
        if outer and not any(map(_takes_long, makers_of(block.exit_edge.arguments))):
            found[block] = _awaited(block, outer, loops[outer])
    return found


def _awaited(block: Block, outer: Block, body: set[Block]) -> dict[Op, int]:
    """The accesses of a pipeline that those of the blocks around it wait for, and how many blocks
    are between at least."""
    found: dict[Op, int] = {}
    for other, blocks in _behind(block, body).items():
        waiting = [o for o in other.ops if isinstance(o, Access)]
        accesses = (op for op in block.ops if isinstance(op, Access) and op not in found)
        for op in accesses:
            if any(_comes_before(op, o, outer) for o in waiting):
                found[op] = blocks
    return found


def _behind(inner: Block, body: set[Block]) -> dict[Block, int]:
    """The blocks of a loop around a pipeline that are no loops, the nearest ones first, and how
    many are between."""
    found, left = dict[Block, int](), [inner.exit_edge.block]
    while left:
        here = [b for b in dict.fromkeys(left) if b in body and not b.is_loop and b not in found]
        blocks = max(found.values(), default=-1) + 1
        found |= dict.fromkeys(here, blocks)
        left = [s for block in here for s in block.successors]
    return found


def _comes_before(op: Op, other: Op, outer: Block) -> bool:
    """Whether an access in a block around a pipeline waits for one of the pipeline's."""
    if op.memory is not other.memory:
        return False
    is_met = isinstance(other, Store) or not (is_alone(op, outer) and is_alone(other, outer))
    return type(op) is type(other) or is_met


def _takes_long(op: Op) -> bool:
    return isinstance(op, Access) or bool(op.core) or isinstance(op, (Mul, Divide))
