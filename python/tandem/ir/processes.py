# SPDX-License-Identifier: Apache-2.0
"""Processes: functions that run beside each other, and the FIFOs that join them.

A block with records to take starts when all of them are there, and when there is room for those
that it gives: so it takes before it gives, and one record of a FIFO at most. What the C does in
another order is several blocks.

**Polls** ask what there is in the cycle in which the block starts, and wait for nothing: whether a
FIFO has a record (`has`), or room (`room`); `poll` takes the record if there is one. So what is
computed depends on time. A record is given without waiting for room where `room` is part of the
condition (`is_sure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tandem.ir.kernel import Block, Kernel, Memory, Op, reverse_postorder
from tandem.ir.operations import STREAM

TAKES = frozenset({"pop", "peek"})
"""What waits for a record."""
POLLS = frozenset({"poll", "has", "room"})
GIVING = frozenset({"push", "room"})
"""What is about the end of a FIFO at which records are given."""


def may_follow(before: Iterable[Op], after: Iterable[Op]) -> bool:
    """Whether operations can be in one block, behind others."""
    earlier = [op for op in before if op.kind in STREAM]
    return all(
        _may_start_together(one, op)
        for op in after
        if op.kind in STREAM and earlier
        for one in earlier
    )


def _may_start_together(before: Op, after: Op) -> bool:
    """Whether one block can hold two operations on streams, which start in one cycle. What is taken
    may have come because of what was given before; what is asked is asked before anything is
    waited for."""
    if after.kind in TAKES and (before.kind == "push" or before.kind in POLLS):
        return False
    if before.memory != after.memory or (before.kind in GIVING) != (after.kind in GIVING):
        return True
    is_asked_first = before.kind == "room" and after.kind == "push" and is_sure(after, before)
    return is_asked_first or (before.kind, after.kind) == ("peek", "pop")


def is_sure(push: Op, room: Op) -> bool:
    """Whether a record is given only if `room` says that there is room."""
    return push.enable is not None and _follows_from(push.enable, room)


def _follows_from(condition: Op, room: Op) -> bool:
    """Whether a condition never holds where there is no room."""
    if condition.kind in ("and", "or"):
        of_parts = any if condition.kind == "and" else all
        return of_parts(_follows_from(part, room) for part in condition.operands)
    return condition is room


def room_for(block: Block, push: Op) -> Op | None:
    """What a block has asked for the room of a record that it gives; None where it waits for it."""
    asked = (op for op in block.ops if op.kind == "room" and op.memory == push.memory)
    return next((op for op in asked if is_sure(push, op)), None)


def waiting_ops(block: Block) -> Iterator[Op]:
    """A block's operations on streams for which it waits before it starts."""
    for op in stream_ops(block):
        is_asked = op.kind in POLLS or (op.kind == "push" and room_for(block, op) is not None)
        if not is_asked:
            yield op


def has_polls(kernel: Kernel) -> bool:
    """Whether what is computed depends on time."""
    return any(op.kind in POLLS for _, op in kernel.ops())


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
