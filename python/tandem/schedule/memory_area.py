# SPDX-License-Identifier: Apache-2.0
"""Look-up tables around the kernel's memories and FIFOs: the choice among the parts that a memory
is made of, at each port that reads it, and what counts the records of a FIFO. Each memory is a
module of its own, which synthesis makes as fast as it can."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Load, Op, Push
from tandem.schedule.delays import Target
from tandem.schedule.fifos import fifo_depth
from tandem.schedule.operator_area import wide_inputs
from tandem.schedule.scheduled import KernelSchedule

COUNTERS, POINTERS = 2, 2
"""Of a FIFO: its records and the credits for more; where it is written and read."""


def memory_lut4(schedule: KernelSchedule) -> int:
    """Of all memories and FIFOs."""
    memories = schedule.kernel.memories
    around = sum(_read_port(schedule.target, memories[name]) for name, _ in _reading(schedule))
    fifos = _fifos(schedule)
    return around + sum(_fifo(schedule.target, width, depth) for width, depth in fifos)


def word_registers(schedule: KernelSchedule) -> int:
    """Flip-flops of the words of FIFOs, where no look-up table is a memory."""
    if schedule.target.memories.lut_most_words:
        return 0
    return sum(width * depth for width, depth in _fifos(schedule))


def memory_blocks(schedule: KernelSchedule) -> int:
    """Block RAMs of all memories: a copy for each port that reads."""
    memories = schedule.kernel.memories
    return sum(schedule.target.blocks(memories[name]) for name, _ in _reading(schedule))


def _reading(schedule: KernelSchedule) -> set[tuple[str, int]]:
    """The memories with each of the ports that read them."""
    return {
        (op.memory.name, s.ports[op])
        for s in schedule.blocks.values()
        for op in s.ports
        if isinstance(op, Load)
    }


def _read_port(target: Target, memory: Memory) -> int:
    if memory.kind is not MemoryKind.RAM:
        return 0
    if target.in_look_up_tables(memory):
        parts = target.memories.lut_parts(memory.depth)
    else:
        parts = len(target.parts(memory))
    return memory.element_bits * picked_lut4(target, parts) + (parts if parts > 1 else 0)


def picked_lut4(target: Target, parts: int) -> int:
    """Tables of one bit of several by their number. Up to four, with the two bits of the number,
    are one table of six inputs where a family has these; else choices of two, of which the last
    one may be a multiplexer behind tables."""
    of_four = {0: 3, 1: 2}.get(wide_inputs(target) - target.lut_inputs, 4)
    if parts < 5:
        return (0, 0, 1, 2, of_four)[parts]
    rest = picked_lut4(target, parts % 4) + picked_lut4(target, -(-parts // 4))
    return parts // 4 * of_four + rest


def _fifos(schedule: KernelSchedule) -> Iterator[tuple[int, int]]:
    """The width and depth of each, between processes and behind output streams."""
    memories = schedule.kernel.memories
    for name, depth in schedule.fifo_depths.items():
        yield memories[name].element_bits, depth
    for op, depth in _behind_outputs(schedule):
        yield op.operands[0].width, depth


def output_depths(schedule: KernelSchedule) -> Iterator[int]:
    """How many records each FIFO behind an output stream holds."""
    return (depth for _, depth in _behind_outputs(schedule))


def _behind_outputs(schedule: KernelSchedule) -> Iterator[tuple[Op, int]]:
    """What gives to each, and its depth."""
    for block, op in schedule.kernel.ops():
        if isinstance(op, Push) and op.memory.name not in schedule.fifo_depths:
            yield op, fifo_depth(schedule.blocks[block].start[op])


def _fifo(target: Target, width: int, depth: int) -> int:
    """A counter goes both ways, and says whether it is zero."""
    bits, parts = (depth - 1).bit_length(), target.memories.lut_parts(depth)
    chosen = width * picked_lut4(target, parts) + (parts if parts > 1 else 0)
    return chosen + COUNTERS * (2 * bits + 3) + POINTERS * bits
