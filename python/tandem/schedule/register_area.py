# SPDX-License-Identifier: Apache-2.0
"""Flip-flops: of the values that wait in a kernel, each operation's own, and of control, dividers,
memories, FIFOs and calls."""

from __future__ import annotations

from collections import Counter

from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Load, Op
from tandem.ir.processes import stream_ops
from tandem.ir.wiring import Bit, bits_of
from tandem.schedule.control_registers import control_registers
from tandem.schedule.memory_area import output_depths, word_registers
from tandem.schedule.same_bits import Made, Same
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.wires import Port, port_of

Moved = dict[Bit, int]
"""How many registers a bit goes through."""
Answer = tuple[Port, int]
"""A bit of what a port gives."""


def own_registers(
    schedule: KernelSchedule, made: Made, outside: set[Bit], inside: frozenset[Op]
) -> Counter[Op]:
    """Of each operation and parameter, those in which its value waits. `outside`: bits that are
    read in other blocks than their own; `inside`: what has its first register in a multiplier
    block."""
    found: Counter[Op] = Counter()
    answers: dict[Answer, int] = {}
    for block in schedule.blocks.values():
        found.update(_registers(block, made, outside, inside, answers))
    return found


def other_registers(schedule: KernelSchedule, made: Made) -> int:
    """Of control, memories and FIFOs."""
    memories = _answer_registers(schedule) + _fifo_registers(schedule) + word_registers(schedule)
    return control_registers(schedule, made) + memories


def _registers(
    schedule: BlockSchedule,
    made: Made,
    outside: set[Bit],
    inside: frozenset[Op],
    answers: dict[Answer, int],
) -> Counter[Op]:
    """Of one block. Each is its maker's own; there is none for what reaches nothing, and the first
    of what is `inside` a multiplier block is there. `answers`: how many registers there are behind
    each port already that take what it gives in every cycle, whoever has asked."""
    read, same = made
    moved, kept = (_in_pipeline if schedule.ii else _in_block)(schedule, outside, same)
    found: Counter[Op] = Counter()
    for bit in moved.keys() | kept:
        op, i = bit
        registers = moved.get(bit, 0) + (bit in kept)
        if not registers or not read.get(op, 0) >> i & 1 or schedule.keeps(op):
            continue
        found[op] += registers - (op in inside)
        if schedule.ii == 1 and op in schedule.ports:
            answer = (port_of(op, schedule.ports[op]), i)
            before = answers.get(answer, 0)
            found[op] -= min(before, moved.get(bit, 0))
            answers[answer] = max(before, moved.get(bit, 0))
    for value, cycles in schedule.copies.items():
        found[value] += read.get(value, 0).bit_count() * len(cycles)
    for parameter in schedule.block.parameters:
        found[parameter] += read.get(parameter, 0).bit_count()
    return found


def _in_block(schedule: BlockSchedule, outside: set[Bit], same: Same) -> tuple[Moved, set[Bit]]:
    """What is read later than it is made, in the block or in others, is kept in one register. That
    of a parameter is there."""
    own = schedule.start
    kept = {
        same.get(bit, bit)
        for value, cycle in schedule.readers()
        for bit in bits_of(value)
        if type(bit) is not int and bit[0] in own and schedule.ready(bit[0]) < cycle
    }
    kept.update(same.get(bit, bit) for bit in outside if bit[0] in own)
    return {}, kept


def _in_pipeline(schedule: BlockSchedule, outside: set[Bit], same: Same) -> tuple[Moved, set[Bit]]:
    """What is read later than it is made goes through a register each `ii` cycles. What is read
    when the loop is left is kept in one more from where it is known that no iteration follows, if
    others could still come by until then."""
    own = {op: schedule.ready(op) for op in schedule.start} | schedule.writes
    last: dict[Bit, int] = {}
    for value, cycle in schedule.inner_readers():
        for bit in bits_of(value):
            if type(bit) is not int and bit[0] in own:
                found = same.get(bit, bit)
                before = last.get(found, 0)
                last[found] = cycle if cycle > before else before
    ii, kept = schedule.ii, {same.get(bit, bit) for bit in outside if bit[0] in own}
    leaving = {
        same.get(bit, bit) for value, _ in schedule.leaving_readers() for bit in bits_of(value)
    }
    for bit in kept.union(bit for bit in leaving if type(bit) is not int and bit[0] in own):
        ready = schedule.ready(bit[0])
        known = max(ready, schedule.decide)
        before = last.get(bit, 0)
        last[bit] = max(known, before)
        if ii > 1 and known < before and own[bit[0]] == ready and not (known - ready) % ii:
            kept.discard(bit)  # the next register takes the same with the same token
        elif known < schedule.leave - 1:
            kept.add(bit)
    return {b: max(0, -(-(cycle - own[b[0]]) // ii)) for b, cycle in last.items()}, kept


def divider_registers(op: Op, cycles: int) -> int:
    """The dividend's bits that become the quotient's, the divisor, the rest and a counter; for two
    bits at a time the divisor's triple."""
    bits, width = (o.width for o in op.operands)
    triple = width + 1 if bits > cycles else 0
    return bits + 2 * width + triple + cycles.bit_length()


def _answer_registers(schedule: KernelSchedule) -> int:
    """At each port that reads a memory: what look-up tables hold is read into a register, and what
    blocks answer into another one where it comes two cycles late and theirs is not taken; and of
    several parts the number of the one that is meant."""
    ports = {
        (op.memory.name, schedule.blocks[block].ports[op])
        for block, op in schedule.kernel.ops()
        if isinstance(op, Load)
    }
    memories = (schedule.kernel.memories[name] for name, _ in ports)
    return sum(_port(schedule, memory) for memory in memories if memory.kind is MemoryKind.RAM)


def _port(schedule: KernelSchedule, memory: Memory) -> int:
    target, late = schedule.target, schedule.read_latency[memory.name] - 1
    if target.in_look_up_tables(memory):
        return memory.element_bits
    parts = target.parts(memory)
    number = (len(parts) - 1).bit_length() * (late + 1)
    held = 0 if target.late_inside else late * memory.element_bits * len(parts)
    return number + held


def _fifo_registers(schedule: KernelSchedule) -> int:
    """A place at each end of a FIFO, how many records there are, and whether there are any; behind
    an output stream its credits too, and one that comes back; and a bit for every block that waits
    for records."""
    depths = list(schedule.fifo_depths.values())
    behind = list(output_depths(schedule))
    waiting = sum(
        not schedule.blocks[block].ii and any(stream_ops(block)) for block in schedule.kernel.blocks
    )
    counters = sum(depth.bit_length() + 1 for depth in (*depths, *behind, *behind))
    places = sum(2 * (depth - 1).bit_length() for depth in (*depths, *behind))
    return counters + places + len(behind) + waiting
