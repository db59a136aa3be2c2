# SPDX-License-Identifier: Apache-2.0
"""Loops that stay loops because their copies would be many operations: which of them are worth a
trial, and what has to become copies with them for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from tandem import policy
from tandem.compiler.waiting import parts_of
from tandem.ir.lines import LoopId
from tandem.ir.loops import natural_loops
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Access, Op
from tandem.schedule.area import cells_of
from tandem.schedule.expected import MOST_OPERATIONS, Trips, cycles_of_blocks
from tandem.schedule.limits import LimitKind
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def copyable(schedule: KernelSchedule) -> set[LoopId]:
    """Loops of many operations that could be copies, and the kernel not too large for trials."""
    kernel = schedule.kernel
    most = (MOST_OPERATIONS - kernel.unsplit_size) / policy.LEFT_IN_COPIES
    unsplit = kernel.unsplit_size / max(1, kernel.size)  # a part of each
    found = {loop: _become(schedule, loop) for loop in kernel.copyable}
    sizes = {loop: sum(len(s.block.ops) for s in parts) for loop, parts in found.items()}
    return {
        loop
        for loop, count in kernel.copyable.items()
        if (count - 1) * sizes[loop] * unsplit <= most
        and not any(map(_would_copies_wait, found[loop]))
    }


def _would_copies_wait(schedule: BlockSchedule) -> bool:
    """Whether copies of a loop would take their turns as its iterations do: for values that each
    leaves to the next one, or at a port to memory outside of the kernel."""
    accesses = (op for op in schedule.block.ops if isinstance(op, Access))
    is_outside = any(op.memory.kind is MemoryKind.EXTERNAL for op in accesses)
    kinds = [limit.kind for limit in schedule.limits.recurrences]
    return is_outside or LimitKind.RECURRENCE in kinds


def time_besides(schedule: KernelSchedule, loop: LoopId, trips: Trips) -> float:
    """What a call takes, in ps, but for the whole nest that a loop is in; nothing where that is
    not to be found."""
    blocks = {part.block for part in _become(schedule, loop)}
    nests = natural_loops(schedule.kernel).values()
    nest = set().union(*(body for body in nests if body & blocks))
    cycles = cycles_of_blocks(schedule, trips) if nest else {}
    return sum(cycles[block] for block in cycles.keys() - nest) * schedule.clock_ps


def _become(schedule: KernelSchedule, loop: LoopId) -> list[BlockSchedule]:
    """What a loop has become, or the one that it is now part of."""
    found = parts_of(schedule, loop)
    deeds = iter(schedule.kernel.deeds)
    while not found and (deed := next(deeds, None)):
        found = parts_of(schedule, deed.other) if deed.loop == loop else []
    return found


def _ops(schedule: KernelSchedule, loop: LoopId) -> Iterator[Op]:
    return chain.from_iterable(part.block.ops for part in _become(schedule, loop))


def with_copies(schedule: KernelSchedule, loop: LoopId) -> float:
    """What a kernel takes at least with copies of a loop, in look-up tables and flip-flops: what
    depends on numbers only is not in each copy."""
    cells = cells_of(schedule)
    lut4 = sum(schedule.own_area.lut4.get(op, 0) for op in _ops(schedule, loop))
    return cells + policy.LEFT_IN_COPIES * lut4 * (schedule.kernel.copyable[loop] - 1)


def with_others(schedule: KernelSchedule, loop: LoopId, rolled: Collection[LoopId]) -> set[LoopId]:
    """A loop and those that stay loops so far and reach the same local arrays, directly or by
    others: as copies, all of them together may turn these into registers."""
    reached = {
        other: _local_arrays(schedule, other) for other in {*schedule.kernel.copyable, *rolled}
    }
    arrays, found = set(reached[loop]), {loop}
    while more := {other for other in reached.keys() - found if reached[other] & arrays}:
        found |= more
        arrays = arrays.union(*(reached[other] for other in more))
    return found


def _local_arrays(schedule: KernelSchedule, loop: LoopId) -> set[Memory]:
    memories = (op.memory for op in _ops(schedule, loop) if isinstance(op, Access))
    return {memory for memory in memories if memory.kind is MemoryKind.RAM}
