# SPDX-License-Identifier: Apache-2.0
"""merge-polls: a record is taken where it is asked whether there is one.

`if (!words_empty(s)) x = words_read(s);` asks in one block and takes in another one, which waits
for a record that is known to be there. A `poll` does both in the cycle in which the first block
starts; what depends on it is then logic, and a loop around it one block.

Requires: simplify. The block that takes the record is entered where there is one, and on no other
way; it takes nothing of that FIFO before.
"""

from __future__ import annotations

from tandem.analysis.predicates import Predicates
from tandem.ir.kernel import Block, Edge, Kernel, Op
from tandem.ir.processes import POLLS, TAKES, stream_ops
from tandem.passes.simplify import substitute

SLUG = "merge-polls"
SUMMARY = "take a record where it is asked whether there is one"


def run(kernel: Kernel) -> bool:
    """Whether any record is taken earlier now."""
    ways_in = kernel.predecessors()
    changed = False
    for block in kernel.blocks:
        for has in list(stream_ops(block, "has")):
            edge = _where_it_holds(block, has)
            if edge is not None and len(ways_in[edge.block]) == 1:
                changed |= _merge(kernel, block, has, edge.block)
    return changed


def _where_it_holds(block: Block, has: Op) -> Edge | None:
    """The way on that is taken if there is a record, and only then."""
    end, predicates = block.end, Predicates()
    if end.kind != "branch" or end.condition is None:
        return None
    for edge, wanted in zip(end.edges, (True, False), strict=True):
        if predicates.read(end.condition, wanted) == predicates.of(has, True):
            return edge
    return None


def _merge(kernel: Kernel, block: Block, has: Op, taker: Block) -> bool:
    """Has the block that asks take the record, if it can; whether it does."""
    asked = (op for op in stream_ops(taker) if op.kind in TAKES | POLLS)
    taken = next((op for op in asked if op.memory == has.memory), None)
    if taker is block or taken is None or taken.kind != "pop":
        return False
    bits = taken.width
    poll = Op("poll", (), bits + 1, {"memory": has.memory}, line=has.line)
    told = Op("extract", (poll,), 1, {"low": bits}, line=has.line)
    record = Op("extract", (poll,), bits, {"low": 0}, line=taken.line)
    place = block.ops.index(has)
    block.ops[place : place + 1] = [poll, told, record]
    taker.ops.remove(taken)
    substitute(kernel, {has: told, taken: record})
    return True
