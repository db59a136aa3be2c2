# SPDX-License-Identifier: Apache-2.0
"""Which kernel is walked through: the one with the C's operators, where it goes the same way."""

from __future__ import annotations

from collections import Counter

from tandem.ir.blocks import Block, Branch, Jump
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, Rom
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def walked(kernel: Kernel) -> Kernel:
    """The kernel to walk through: the one with the C's operators, if it still goes the same way
    through the same blocks and accesses."""
    plain = kernel.plain
    return kernel if plain is None or not _goes_as(plain, kernel) else plain


def _goes_as(plain: Kernel, kernel: Kernel) -> bool:
    """Whether each block has the same accesses, and leads to the same blocks, as in another one;
    some fewer, where it has since been seen that it never goes there."""
    if len(plain.blocks) != len(kernel.blocks):
        return False
    return all(
        _skeleton(one) == _skeleton(other) and _successors(one) >= _successors(other)
        for one, other in zip(plain.blocks, kernel.blocks, strict=True)
    )


def walked_schedules(schedule: KernelSchedule) -> dict[Block, BlockSchedule]:
    """Of each block of the kernel to walk through, its schedule."""
    later = (schedule.blocks[block] for block in schedule.kernel.blocks)
    return dict(zip(walked(schedule.kernel).blocks, later, strict=True))


def _skeleton(block: Block) -> tuple[object, ...]:
    accesses = [(type(op), op.memory.name) for op in block.ops if _is_moved(op)]
    leads_on = isinstance(block.end, (Jump, Branch))
    return block.name, leads_on or type(block.end), block.is_loop, accesses


def _successors(block: Block) -> Counter[str]:
    return Counter(edge.block.name for edge in block.end.edges)


def _is_moved(op: Op) -> bool:
    """Whether an operation moves what is in a memory. What tables hold is the same wherever, and in
    however many parts, it is read."""
    return op.has_memory and not isinstance(op, Rom)
