# SPDX-License-Identifier: Apache-2.0
"""Processes: functions that run beside each other, and the FIFOs that join them.

A block with records to take starts when all of them are there, and when there is room for those
that it gives: so it takes before it gives, and one record of a FIFO at most. What the C does in
another order is several blocks.

**Polls** ask what there is in the cycle in which the block starts, and wait for nothing: whether a
FIFO has a record (`has`), or room (`room`). So what is computed depends on time. A record is taken
without waiting where `has` is part of the condition, and given so where `room` is (`is_sure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tandem.ir.blocks import Block, Start, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import GIVING, And, Op, Or, Peek, Poll, Pop, Push, StreamOp, Take


def may_follow(before: Iterable[Op], after: Iterable[Op]) -> bool:
    """Whether operations can be in one block, behind others."""
    earlier = [op for op in before if isinstance(op, StreamOp)]
    later = [op for op in after if isinstance(op, StreamOp)] if earlier else []
    sure = {op for op in later if any(is_sure(op, poll) for poll in [*earlier, *later])}
    return all(may_start_with(one, op, is_sure=op in sure) for op in later for one in earlier)


def may_start_with(before: Op, after: Op, *, is_sure: bool) -> bool:
    """Whether two operations on streams can start in one cycle, where the C has them in this order.
    What is taken may have come because of what was given before; what is asked is asked before
    anything is waited for, and nothing is taken, or given, between two questions."""
    waits = not is_sure and not isinstance(after, Poll)
    if waits and (
        isinstance(before, Poll) or (isinstance(after, Take) and isinstance(before, Push))
    ):
        return isinstance(after, Push) and before.memory is not after.memory
    if before.memory is not after.memory or isinstance(before, GIVING) != isinstance(after, GIVING):
        return True
    return isinstance(before, Poll) or (isinstance(before, Peek) and isinstance(after, Pop))


def is_sure(op: Op, poll: Op) -> bool:
    """Whether a record is given, or taken, only if a poll says that it can be."""
    is_asked = isinstance(poll, Poll) and poll.memory is op.memory and not isinstance(op, Poll)
    return is_asked and op.enable is not None and _follows_from(op.enable, poll)


def _follows_from(condition: Op, poll: Op) -> bool:
    """Whether a condition holds only where a poll's answer is yes."""
    if isinstance(condition, (And, Or)):
        of_parts = any if isinstance(condition, And) else all
        return of_parts(_follows_from(part, poll) for part in condition.operands)
    return condition is poll


def waiting_ops(block: Block) -> Iterator[Op]:
    """A block's operations on streams for which it waits before it starts."""
    polls = list(stream_ops(block, Poll))
    for op in stream_ops(block):
        if not isinstance(op, Poll) and not any(is_sure(op, poll) for poll in polls):
            yield op


def has_polls(kernel: Kernel) -> bool:
    """Whether what is computed depends on time."""
    return any(isinstance(op, Poll) for _, op in kernel.ops())


def processes(kernel: Kernel) -> dict[str, Block]:
    """Name of each process -> its first block, in the order in which they are started."""
    starts = (block.end for block in kernel.blocks if isinstance(block.end, Start))
    return {end.callee: end.edges[0].block for end in starts}


def process_of(kernel: Kernel) -> dict[Block, str]:
    """The process that each block is part of; not for what is part of none."""
    found = processes(kernel)
    return {block: name for name, entry in found.items() for block in reverse_postorder(entry)}


def fifos(kernel: Kernel) -> list[Memory]:
    """What joins the processes."""
    return [memory for memory in kernel.memories.values() if memory.kind is MemoryKind.FIFO]


def stream_ops(block: Block, *kinds: type[Op]) -> Iterator[Op]:
    """A block's operations on streams, of the kinds given or of any."""
    return (op for op in block.ops if isinstance(op, kinds or StreamOp))
