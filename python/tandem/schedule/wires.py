# SPDX-License-Identifier: Apache-2.0
"""Which wire carries a bit in a cycle of a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tandem.ir.ops import Logic, Op, Select, Shift, Sum
from tandem.ir.wiring import Bit
from tandem.schedule.scheduled import BlockSchedule

Wire = tuple[str, str, int, int] | tuple[Op, int, int]
"""A bit of what a port gives, or of what waits in a register."""
Port = tuple[str, str, int]
"""The kind of what it serves, a memory if it is one's, and its number."""

MADE_IN_TABLES = (Logic, Select, Shift, Sum)
"""What has a table for each bit, that may do a little more."""


def is_made_now(wire: Bit | Wire) -> bool:
    """Whether a table makes a bit in the very cycle."""
    return len(wire) == 3 and not wire[2] and isinstance(wire[0], MADE_IN_TABLES)


def port_of(op: Op, port: int) -> Port:
    """What serves an operation: a side of a memory, or what does products, or calls."""
    return op.core or op.slug, op.memory.name if op.has_memory else "", port


def wires_of(schedule: BlockSchedule, reader: Op, bits: Iterable[Bit]) -> Iterator[Bit | Wire]:
    """Where bits come from: what a port gives just then is one wire, whatever it is of, and a value
    that waits is another wire in each of its registers."""
    for bit in bits:
        if type(bit) is int or bit[0] not in schedule.start:
            yield bit
            continue
        register = register_of(schedule, bit[0], schedule.start[reader])
        if not register and bit[0] in schedule.ports:
            yield (*port_of(bit[0], schedule.ports[bit[0]]), bit[1])
        else:
            yield (bit[0], bit[1], register)


def register_of(schedule: BlockSchedule, value: Op, cycle: int) -> int:
    """In which of its registers a value of a block is in a cycle, 0 where it is in none yet."""
    waits = max(0, cycle - schedule.ready(value))
    return -(-waits // schedule.ii) if schedule.ii else min(waits, 1)
