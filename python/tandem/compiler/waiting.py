# SPDX-License-Identifier: Apache-2.0
"""What the loops of a kernel wait for, as far as that decides what else is tried of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable
from dataclasses import replace

from tandem import policy
from tandem.compiler.fits import Fit
from tandem.ir.blocks import Block
from tandem.ir.lines import LoopId
from tandem.passes.interleave import turns_to_try
from tandem.schedule.expected import cycles_of_blocks, is_large, seldom_entered
from tandem.schedule.limits import LimitKind
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def parts_of(schedule: KernelSchedule, loop: LoopId) -> list[BlockSchedule]:
    """What a loop has become."""
    return [s for s in schedule.blocks.values() if s.block.loop == loop]


def enough_turns(fit: Fit, loop: LoopId) -> list[int]:
    """How many iterations may have to take turns so that a loop does not wait for itself;
    the fewer the better, none where it does not wait."""
    may_turn = loop in fit.schedule.kernel.independent and waits_for_itself(fit, loop)
    return ways_to_turn(fit, loop) if may_turn else []


def ways_to_turn(fit: Fit, loop: LoopId) -> list[int]:
    """So many that what a turn leaves is there for the next one."""
    enough = ii_at(fit, loop) + policy.CYCLES_BETWEEN_TURNS
    return turns_to_try(fit.schedule.kernel.independent[loop], enough)


def ii_at(fit: Fit, loop: LoopId, others: Collection[Block] = ()) -> int:
    """The largest `ii` of what a loop has become, but for `others`."""
    schedules = [s for s in fit.schedule.blocks.values() if s.block not in others]
    return max((s.ii for s in schedules if s.block.loop == loop), default=0)


def is_slow(fit: Fit, loop: LoopId) -> bool:
    """Whether a loop does not start an iteration every cycle."""
    return ii_at(fit, loop) > 1


def waits_for_rows(fit: Fit, loop: LoopId) -> bool:
    """Whether a loop whose rows are kept does not start an iteration every cycle."""
    return ii_at(fit, loop, seldom_entered(fit.schedule.kernel)) > 1


def unrolled_for_little(schedule: KernelSchedule) -> list[LoopId]:
    """Loops that were replaced by copies which ended in slow blocks, the largest first."""
    kernel = schedule.kernel
    if is_large(kernel):
        return []
    slow = [
        s.block for s in schedule.blocks.values() if (s.ii or s.length) >= policy.SLOW_BLOCK_CYCLES
    ]
    lines = [op.line for block in slow for op in block.ops]
    counts = {
        loop: sum(line in inside for line in lines) for loop, inside in kernel.unrolled.items()
    }
    found = [loop for loop, count in counts.items() if count]
    return sorted(found, key=lambda loop: -counts[loop])


def waits_for_itself(fit: Fit, loop: LoopId) -> bool:
    """Whether a loop has a recurrence of several cycles."""
    return any(
        s.ii > 1 and s.limits.recurrences and s.block.loop == loop
        for s in fit.schedule.blocks.values()
    )


def are_turns_slow(schedule: KernelSchedule) -> bool:
    """Whether iterations that take turns do not start in every cycle."""
    return any(s.ii > 1 and s.block.interleaved > 1 for s in schedule.blocks.values())


def turns_wait(schedule: KernelSchedule) -> bool:
    """Whether iterations that take turns still wait for each other."""
    return any(
        s.ii > 1 and s.block.interleaved > 1 and s.limits.recurrences
        for s in schedule.blocks.values()
    )


def waiting_for_stores(schedule: KernelSchedule) -> list[LoopId]:
    """Loops in which a load waits for a store that it may have to see."""
    found = [
        s.block.loop
        for s in schedule.blocks.values()
        if s.limits.binding is not None
        and s.limits.binding.kind in (LimitKind.DEPENDENCE, LimitKind.CROWDED)
    ]
    return sorted(schedule.kernel.stores_read.intersection(found))


def likeness(fit: Fit, loop: LoopId) -> Hashable:
    """What two loops have in common that are alike in a kernel: they take the same time, and do the
    same. Of loops that are none in it, those are that are one in the C, of a function that is part
    of several others."""
    schedule = fit.schedule
    blocks = parts_of(schedule, loop)
    if not blocks:
        return replace(loop, sites=())
    cycles = cycles_of_blocks(schedule)
    return tuple((s.ii, s.length, cycles[s.block], _done(s.block)) for s in blocks)


def _done(block: Block) -> Hashable:
    return frozenset(Counter((op.slug, op.width) for op in block.ops).items())
