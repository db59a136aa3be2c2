# SPDX-License-Identifier: Apache-2.0
"""How long a kernel is expected to run, to compare one way of making it with another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tandem.ir.functions import blocks_of, entries
from tandem.ir.kernel import Block, Edge, Kernel
from tandem.ir.loops import natural_loops

if TYPE_CHECKING:
    from tandem.schedule.scheduler import KernelSchedule

UNKNOWN_TRIPS = 32
"""What a loop whose count is not known counts as; only ratios are compared."""
FEW_TRIPS = 4
"""The same where what is to be better has to be so for short calls too."""
MANY_TRIPS = 1024
"""The same where it is long calls that matter."""
MOST_OPERATIONS = 5_000
"""Making or scheduling a larger kernel several times takes longer than anybody waits."""


def is_large(kernel: Kernel) -> bool:
    """Whether a kernel is too large to be made in several ways and compared."""
    return kernel.size > MOST_OPERATIONS


def expected_cycles(schedule: KernelSchedule, unknown_trips: int = UNKNOWN_TRIPS) -> float:
    """Cycles of a call in which every way is taken and every loop runs as often as it is known to,
    or else `unknown_trips` times."""
    times = expected_entries(schedule.kernel, unknown_trips)
    return sum(
        times[s.block] * cycles_once_entered(s.block, s.ii, s.length, unknown_trips)
        for s in schedule.blocks.values()
    )


def expected_entries(kernel: Kernel, unknown_trips: int = UNKNOWN_TRIPS) -> dict[Block, float]:
    """How often each block is entered in such a call."""
    times = dict.fromkeys(kernel.blocks, 1.0)
    predecessors = kernel.predecessors()
    for header, body in natural_loops(kernel).items():
        if header.is_loop or _seldom(e for b, e in predecessors[header] if b in body):
            continue
        for block in body:
            times[block] *= unknown_trips
    for block in seldom_entered(kernel):
        times[block] /= unknown_trips
    for function, entry in entries(kernel).items():
        calls = sum(times[block] for block in kernel.blocks if block.end.callee == function)
        for block in blocks_of(entry):
            times[block] *= calls
    return times


def seldom_entered(kernel: Kernel) -> list[Block]:
    """Blocks to which control hardly ever comes from another one."""
    predecessors = kernel.predecessors()
    return [
        block
        for block in kernel.blocks[1:]
        if _seldom(edge for source, edge in predecessors[block] if source is not block)
    ]


def _seldom(edges: Iterable[Edge]) -> bool:
    """Whether control hardly ever takes any of them."""
    return all(edge.seldom for edge in edges)


def cycles_once_entered(
    block: Block, ii: int, length: int, unknown_trips: int = UNKNOWN_TRIPS
) -> int:
    """Cycles of a block once it is reached; of a pipeline with all its iterations."""
    if not ii:
        return length
    trips = block.trip_count
    known = trips is not None and trips.kind == "constant"
    unknown = unknown_trips ** (1 + block.uncounted) * block.turns
    count = trips.value if trips is not None and known else unknown
    return (count - 1) * ii + length
