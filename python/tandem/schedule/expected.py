# SPDX-License-Identifier: Apache-2.0
"""How long a kernel is expected to run, to compare one way of making it with another."""

from __future__ import annotations

from tandem.ir.kernel import Block
from tandem.ir.loops import natural_loops
from tandem.schedule.scheduler import KernelSchedule

UNKNOWN_TRIPS = 32
"""What a loop whose count is not known counts as; only ratios are compared."""


def expected_cycles(schedule: KernelSchedule) -> float:
    """Cycles of a call in which every way is taken and every loop runs as often as it is known to,
    or else `UNKNOWN_TRIPS` times."""
    times = dict.fromkeys(schedule.kernel.blocks, 1.0)
    for header, body in natural_loops(schedule.kernel).items():
        if header.is_loop:
            continue
        for block in body:
            times[block] *= UNKNOWN_TRIPS
    return sum(times[b] * _cycles(schedule, b) for b in schedule.kernel.blocks)


def _cycles(schedule: KernelSchedule, block: Block) -> float:
    """Cycles of a block once it is reached; of a pipeline with all its iterations."""
    s = schedule.blocks[block]
    if not s.ii:
        return s.length
    trips = block.trip_count
    known = trips is not None and trips.kind == "constant"
    count = trips.value if trips is not None and known else UNKNOWN_TRIPS
    return (count - 1) * s.ii + s.length
