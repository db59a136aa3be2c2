# SPDX-License-Identifier: Apache-2.0
"""Processes: functions that run beside each other, and the FIFOs that join them.

A block with records to take starts when all of them are there, and when there is room for those
that it gives: so it takes before it gives, and one record of a FIFO at most. What the C does in
another order is several blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tandem.ir.kernel import Block, Kernel, Memory, Op, reverse_postorder
from tandem.ir.operations import STREAM

TAKES = frozenset({"pop", "peek"})


def may_follow(before: Iterable[Op], after: Iterable[Op]) -> bool:
    """Whether operations can be in one block, behind others. What is taken may have come because
    of what was given before."""
    kinds: dict[str, set[str]] = {}
    for op in before:
        if op.kind in STREAM:
            kinds.setdefault(op.kind, set()).add(op.memory)
    if not kinds:
        return True
    given = kinds.get("push", set())
    for op in after:
        if op.kind in TAKES and (given or op.memory in kinds.get("pop", ())):
            return False
        if op.kind in STREAM and op.memory in kinds.get(op.kind, ()):
            return False
    return True


def processes(kernel: Kernel) -> dict[str, Block]:
    """Name of each process -> its first block, in the order in which they are started."""
    starts = (block.end for block in kernel.blocks if block.end.kind == "start")
    return {end.callee: end.edges[0].block for end in starts}


def process_of(kernel: Kernel) -> dict[Block, str]:
    """The process that each block is part of; not for what is part of none."""
    found = processes(kernel)
    return {block: name for name, entry in found.items() for block in reverse_postorder(entry)}


def fifos(kernel: Kernel) -> list[Memory]:
    """What joins the processes."""
    return [memory for memory in kernel.memories.values() if memory.kind == "fifo"]


def stream_ops(block: Block, *kinds: str) -> Iterator[Op]:
    """A block's operations on streams, of the kinds given or of any."""
    return (op for op in block.ops if op.kind in (kinds or STREAM))
