# SPDX-License-Identifier: Apache-2.0
"""Flip-flops: of the values that wait in a kernel, each operation's own, and of control, dividers,
memories, FIFOs and calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Load, Op, ResultOp
from tandem.ir.processes import stream_ops
from tandem.ir.wiring import Bit, bits_of
from tandem.schedule.memory_area import word_registers
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def own_registers(
    schedule: KernelSchedule, read: Mapping[Op, int], outside: set[Bit], inside: frozenset[Op]
) -> Counter[Op]:
    """Of each operation and parameter, those in which its value waits. `read`: which bits of each
    reach an effect; `outside`: bits that are read in other blocks than their own; `inside`: what
    has its first register in a multiplier block."""
    found: Counter[Op] = Counter()
    for block in schedule.blocks.values():
        found.update(_registers(block, read, outside, inside))
    return found


def other_registers(schedule: KernelSchedule) -> int:
    """Of control, memories, FIFOs and calls."""
    tokens = sum(map(_token_registers, schedule.blocks.values()))
    memories = _answer_registers(schedule) + _fifo_registers(schedule) + word_registers(schedule)
    return tokens + memories + _call_registers(schedule.kernel)


def _registers(
    schedule: BlockSchedule, read: Mapping[Op, int], outside: set[Bit], inside: frozenset[Op]
) -> Counter[Op]:
    """Of one block. Each is its maker's own; there is none for what reaches nothing, and the first
    of what is `inside` a multiplier block is there."""
    waiting = (_in_pipeline if schedule.ii else _in_block)(schedule, outside)
    found: Counter[Op] = Counter()
    for (op, i), registers in waiting.items():
        if registers and read.get(op, 0) >> i & 1 and not schedule.keeps(op):
            found[op] += registers - (op in inside)
    for value, cycles in schedule.copies.items():
        found[value] += value.width * len(cycles)
    for parameter in schedule.block.parameters:
        found[parameter] += read.get(parameter, 0).bit_count()
    return found


def _in_block(schedule: BlockSchedule, outside: set[Bit]) -> dict[Bit, int]:
    """What is read later than it is made, in the block or in others, waits in one register. That of
    a parameter is there."""
    own = schedule.start
    later = {
        bit
        for value, cycle in schedule.readers()
        for bit in bits_of(value)
        if type(bit) is not int and bit[0] in own and schedule.ready(bit[0]) < cycle
    }
    return dict.fromkeys(later.union(bit for bit in outside if bit[0] in own), 1)


def _in_pipeline(schedule: BlockSchedule, outside: set[Bit]) -> dict[Bit, int]:
    """What is read later than it is made goes through a register each `ii` cycles. What is read
    when the loop is left is kept in one more from where it is known that no iteration follows, if
    others could still come by until then."""
    own = {op: schedule.ready(op) for op in schedule.start} | schedule.writes
    last: dict[Bit, int] = {}
    for value, cycle in schedule.inner_readers():
        for bit in bits_of(value):
            if type(bit) is not int and bit[0] in own:
                before = last.get(bit, 0)
                last[bit] = cycle if cycle > before else before
    kept = {bit for bit in outside if bit[0] in own}
    leaving = {bit for value, _ in schedule.leaving_readers() for bit in bits_of(value)}
    for bit in kept.union(bit for bit in leaving if type(bit) is not int and bit[0] in own):
        known = max(schedule.ready(bit[0]), schedule.decide)
        last[bit] = max(known, last.get(bit, 0))
        if known < schedule.leave - 1:
            kept.add(bit)
    return {
        bit: max(0, -(-(cycle - own[bit[0]]) // schedule.ii)) + (bit in kept)
        for bit, cycle in last.items()
    }


def _token_registers(schedule: BlockSchedule) -> int:
    """One a cycle, and a counter for each long wait."""
    cycles = schedule.token_cycles
    waits = (after - before for before, after in pairwise(cycles) if after > before + 1)
    return len(cycles) + sum((wait - 1).bit_length() for wait in waits)


def divider_registers(op: Op, cycles: int) -> int:
    """The dividend's bits that become the quotient's, the divisor, the rest and a counter; for two
    bits at a time the divisor's triple."""
    bits, width = (o.width for o in op.operands)
    triple = width + 1 if bits > cycles else 0
    return bits + 2 * width + triple + cycles.bit_length()


def _answer_registers(schedule: KernelSchedule) -> int:
    """What look-up tables hold is read into a register at each reading port."""
    ports = {
        (op.memory.name, schedule.blocks[block].ports[op])
        for block, op in schedule.kernel.ops()
        if isinstance(op, Load)
    }
    memories = schedule.kernel.memories
    answering = (memories[name] for name, _ in ports if memories[name].kind is MemoryKind.RAM)
    in_tables = schedule.target.in_look_up_tables
    return sum(memory.element_bits for memory in answering if in_tables(memory))


def _fifo_registers(schedule: KernelSchedule) -> int:
    """A place at each end of a FIFO, how many records there are, and whether there are any; and a
    bit for every block that waits for records and for every process."""
    places = [(depth - 1).bit_length() for depth in schedule.fifo_depths.values()]
    waiting = sum(
        not schedule.blocks[block].ii and any(stream_ops(block)) for block in schedule.kernel.blocks
    )
    return sum(3 * bits + 2 for bits in places) + waiting


def _call_registers(kernel: Kernel) -> int:
    """A bit a call that says where it comes back to, and what a function has returned."""
    results = {op.function: op.width for _, op in kernel.ops() if isinstance(op, ResultOp)}
    return sum(block.calls for block in kernel.blocks) + sum(results.values())
