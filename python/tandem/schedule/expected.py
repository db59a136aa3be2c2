# SPDX-License-Identifier: Apache-2.0
"""How long a kernel is expected to run, to compare one way of making it with another."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

from tandem import policy
from tandem.analysis.trips import usual_rounds
from tandem.ir.blocks import Block
from tandem.ir.functions import blocks_of, entries
from tandem.ir.kernel import Kernel
from tandem.ir.loops import loop_around, natural_loops, turning
from tandem.ir.ops import Constant
from tandem.schedule.unsplit import blocks_before

if TYPE_CHECKING:
    from tandem.schedule.scheduled import KernelSchedule


class Trips(NamedTuple):
    """How often `loops` run whose count is not known, and those `inside` of others of which that is
    not even known as they begin; only ratios are compared."""

    loops: int
    inside: int


UNKNOWN = Trips(policy.GUESSED_TRIPS, policy.GUESSED_TRIPS)
SOME_INSIDE = Trips(policy.GUESSED_TRIPS, isqrt(policy.GUESSED_TRIPS))
"""A `while` inside of a loop, of which it is not known whether it turns as often as that, or hardly
ever: in the middle of both."""
FEW = Trips(4, 4)
"""Where it is short calls that matter."""
MANY = Trips(1024, 1024)
"""Where it is long calls that matter."""
MOST_OPERATIONS = 5_000
"""Making or scheduling a larger kernel several times takes longer than anybody waits."""


def is_large(kernel: Kernel) -> bool:
    """Whether a kernel is too large to be made in several ways and compared."""
    return kernel.size > MOST_OPERATIONS


def is_large_unsplit(kernel: Kernel) -> bool:
    """The same of one of which it does not matter how much the clock has split: with a slower one
    it may be small."""
    return kernel.unsplit_size > MOST_OPERATIONS


def expected_cycles(schedule: KernelSchedule, trips: Trips = UNKNOWN) -> float:
    """Cycles of a call in which every way is taken and every loop runs as often as it is known to,
    or else as often as `trips` says."""
    return sum(cycles_of_blocks(schedule, trips).values())


class Pace(NamedTuple):
    """When iterations of a block start, and another block, as a `BlockSchedule` has them."""

    ii: int
    leave: int
    stay: int = 0


def cycles_of_blocks(schedule: KernelSchedule, trips: Trips = UNKNOWN) -> dict[Block, float]:
    """What each block takes of them."""
    paces = {block: Pace(s.ii, s.leave, s.stay) for block, s in schedule.blocks.items()}
    return cycles_by_pace(schedule.kernel, paces, trips)


def cycles_by_pace(
    kernel: Kernel, paces: Mapping[Block, Pace], trips: Trips = UNKNOWN
) -> dict[Block, float]:
    """The same of a kernel that has no schedule yet."""
    times = expected_entries(kernel, trips)

    def once_entered(block: Block, pace: Pace) -> int:
        cycles = cycles_once_entered(block, pace.ii, pace.leave, trips, times[block] > 1)
        return max(pace.stay, cycles)

    return {block: times[block] * once_entered(block, pace) for block, pace in paces.items()}


def expected_entries(kernel: Kernel, trips: Trips = UNKNOWN) -> dict[Block, float]:
    """How often each block is entered in such a call."""
    before = blocks_before(kernel)
    if before is None:
        return _entries(kernel, trips)
    assert kernel.unsplit is not None, "it has the blocks"
    known = kernel.unsplit.facts.setdefault("entries", {})
    if trips not in known:
        known[trips] = _entries(kernel.unsplit, trips)
    return {block: known[trips][whole] for block, whole in before.items()}


def _entries(kernel: Kernel, trips: Trips) -> dict[Block, float]:
    times = dict.fromkeys(kernel.blocks, 1.0)
    predecessors = kernel.predecessors()
    loops = turning(natural_loops(kernel))
    for header, body in loops.items():
        if header.is_loop:
            continue
        turns = usual_rounds(kernel, predecessors[header], header, body)
        unknown = trips.inside if loop_around(header, loops) else trips.loops
        for block in body:
            times[block] *= turns or unknown
    for block in seldom_entered(kernel):
        times[block] /= trips.loops
    for function, entry in entries(kernel).items():
        calls = sum(times[block] for block in kernel.blocks if block.end.callee == function)
        for block in blocks_of(entry):
            times[block] *= calls
    return times


def seldom_entered(kernel: Kernel) -> list[Block]:
    """Blocks to which control hardly ever comes: only by edges that it hardly ever takes, or from
    such blocks."""
    predecessors = kernel.predecessors()
    often = {block: None for block in kernel.blocks if not predecessors[block]}
    work = list(often)
    for block in work:
        onward = [e.block for e in block.end.edges if not e.seldom and e.block not in often]
        often.update(dict.fromkeys(onward))
        work += onward
    return [block for block in kernel.blocks if block not in often]


def cycles_once_entered(
    block: Block, ii: int, leave: int, trips: Trips = UNKNOWN, is_inside: bool = False
) -> int:
    """Cycles of a block once it is reached; of a pipeline with all its iterations. `is_inside`:
    whether it is a loop inside of another one."""
    return (_count(block, trips, is_inside) - 1) * ii + leave if ii else leave


def _count(block: Block, trips: Trips, is_inside: bool) -> int:
    count = block.trip_count
    if count is not None and isinstance(count, Constant):
        return count.value
    is_while = count is None and is_inside and not block.uncounted
    own = block.rounds or (trips.inside if is_while else trips.loops)
    return own * trips.inside**block.uncounted * block.turns
