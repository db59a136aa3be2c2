# SPDX-License-Identifier: Apache-2.0
"""Area before synthesis: what the target's measured operators, the registers between cycles and the
multiplexers in front of registers and ports add up to. An estimate; `tandem build --place` gives
what synthesis really makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import (
    WIRING,
    Concat,
    Divide,
    Extract,
    Load,
    Mul,
    Op,
    Select,
    Store,
    Sum,
    mask,
)
from tandem.ir.wiring import Bit, Bits, bits_of, makers_of
from tandem.schedule.carry_area import inverters_lut4
from tandem.schedule.control_area import control_lut4
from tandem.schedule.delays import Target, tree_lut4
from tandem.schedule.factor_area import factor_registers, taken_factors
from tandem.schedule.live_bits import columns_of, live_bits
from tandem.schedule.memory_area import memory_lut4
from tandem.schedule.multiplier_area import TakenIn, taken_into_multipliers
from tandem.schedule.operator_area import divider_lut4, is_shifted_known, operator_lut4
from tandem.schedule.register_area import divider_registers, other_registers, own_registers
from tandem.schedule.same_bits import made_bits
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule, OwnArea
from tandem.schedule.shared_area import shared_lut4, summed_once
from tandem.schedule.tables import Tables
from tandem.schedule.wires import Port, Wire, is_made_now, port_of, wires_of

Turn = tuple[Block, int]
"""A block, and a cycle of it."""


def estimate_area(schedule: KernelSchedule) -> dict[str, Any]:
    """LUT4s of operators and multiplexers, flip-flops, multiplier blocks (products are no wider by
    now), bits of tables and memories: counted once of a schedule."""
    if schedule.area is None:
        schedule.area = _estimated(schedule)
    return schedule.area


def cells_of(schedule: KernelSchedule) -> int:
    """Its area in one number: look-up tables and flip-flops."""
    area = estimate_area(schedule)
    return area["lut4"] + area["ff"]


def _estimated(schedule: KernelSchedule) -> dict[str, Any]:
    kernel = schedule.kernel
    outside, bits = _read_outside(kernel), made_bits(schedule)
    read = bits.read
    dividers = _dividers(schedule)
    taken = taken_into_multipliers(schedule, {bit[0] for bit in outside})
    inside = taken.products | taken.sums
    sums = _behind_carries(schedule) - inside
    tables = [
        Tables(s, read, outside, schedule.target.lut_inputs, sums) for s in schedule.blocks.values()
    ]
    covered = {bit[0] for made in tables for bit in (*made.columns, *made.same)}
    own = schedule.own_area = OwnArea()
    for op in (bit[0] for made in tables for bit in made.needed):
        own.lut4[op] = own.lut4.get(op, 0) + 1
    for op in sums & covered:
        own.lut4[op] = own.lut4.get(op, 0) + _unread_carries(op, read[op])
    for block, op in kernel.ops():
        if op not in covered and op not in dividers and op not in inside:
            stored = is_shifted_known(op) and _is_stored(schedule.blocks[block], op)
            own.lut4[op] = operator_lut4(schedule.target, op, read.get(op, 0), stored)
    for s in schedule.blocks.values():
        own.lut4.update(summed_once(schedule.target, s, own.lut4))
    for op, cycles in dividers.items():
        own.lut4[op] = divider_lut4(schedule.target, op, cycles)
    lut4: float = sum(own.lut4.values()) + sum(made.masks_lut4 for made in tables)
    lut4 += inverters_lut4(schedule, read)
    lut4 -= sum(shared_lut4(schedule.target, s) for s in schedule.blocks.values())
    lut4 -= sum(_shared_choices(made.schedule, made.inside) for made in tables)
    served = _served(schedule)
    lut4 += _parameter_multiplexers(kernel, schedule.target)
    lut4 += _port_multiplexers(schedule, served.values())
    lut4 += control_lut4(schedule, served.values()) + memory_lut4(schedule)
    cores = [schedule.target.core(ops[0].core).area for ops in served.values() if ops[0].core]
    lut4 += sum(core["lut4"] for core in cores)
    own.ff = own_registers(schedule, bits, outside, taken.registered)
    own.ff.update(factor_registers(schedule, taken))
    own.ff.subtract(taken_factors(schedule, taken))
    for op, cycles in dividers.items():
        own.ff[op] += divider_registers(op, cycles)
    ff = own.ff.total() + other_registers(schedule, bits) + sum(core["ff"] for core in cores)
    return {
        "estimated": True,
        "lut4": round(lut4),
        "ff": ff,
        "dsp": _multipliers(served, taken) + sum(core["dsp"] for core in cores),
        "rom_bits": _memory_bits(kernel, MemoryKind.ROM),
        "ram_bits": _memory_bits(kernel, MemoryKind.RAM),
        "operations": _counts(kernel),
    }


def _is_stored(schedule: BlockSchedule, op: Op) -> bool:
    """Whether nothing reads a value in the cycle in which it is made."""
    ready = schedule.ready(op)
    return not any(cycle == ready and op in makers_of([v]) for v, cycle in schedule.readers())


def _behind_carries(schedule: KernelSchedule) -> set[Op]:
    """Sums whose bits are tables behind carries."""
    if not schedule.target.table_behind_carry:
        return set()
    return {op for _, op in schedule.kernel.ops() if isinstance(op, Sum)}


def _unread_carries(op: Op, read: int) -> int:
    """Bits of a sum that nobody reads, and higher ones depend on. `read`: a mask."""
    added = mask(read.bit_length()) & ~mask(op.width - live_bits(op))
    return (added & ~read).bit_count()


def _dividers(schedule: KernelSchedule) -> dict[Op, int]:
    """Every divider, and how many cycles it takes between its first and its last register."""
    return {
        op: schedule.blocks[block].latency[op] - 1
        for block, op in schedule.kernel.ops()
        if isinstance(op, Divide)
    }


def _memory_bits(kernel: Kernel, kind: MemoryKind) -> int:
    return sum(m.element_bits * (m.depth or 0) for m in kernel.memories.values() if m.kind is kind)


def _counts(kernel: Kernel) -> dict[str, int]:
    counts: dict[str, int] = {}
    for _, op in kernel.ops():
        if not isinstance(op, (Extract, Concat)):
            counts[op.slug] = counts.get(op.slug, 0) + 1
    return dict(sorted(counts.items()))


def _read_outside(kernel: Kernel) -> set[Bit]:
    """Bits that are read in blocks other than their own."""
    home = {op: block for block in kernel.blocks for op in [*block.parameters, *block.ops]}
    return {
        bit
        for block in kernel.blocks
        for value in _values(block)
        for bit in bits_of(value)
        if type(bit) is not int and home.get(bit[0], block) is not block
    }


def _values(block: Block) -> Iterator[Op]:
    for op in block.ops:
        if not isinstance(op, WIRING):
            yield from op.operands
    yield from block.end.inputs()


# -- multiplexers -------------------------------------------------------------------------------


def _shared_choices(schedule: BlockSchedule, inside: set[Op]) -> int:
    """Tables that choices do not take since they are among the same values: one of several takes
    one table less than there are values, however often each of them is named. What decides is made
    once for all bits. `inside`: what lies in other operations' tables."""
    choices = [op for op in schedule.block.ops if isinstance(op, Select) and op not in inside]
    joined = _joined(schedule, choices)
    return sum(
        _repeated(column, joined) for op in choices if op not in joined for column in columns_of(op)
    )


def _joined(schedule: BlockSchedule, choices: Sequence[Op]) -> set[Op]:
    """Choices each of whose bits only one bit of another choice reads, in the same cycle."""
    columns = {op: columns_of(op) for op in choices}
    by_choices = Counter(bit for op in choices for column in columns[op] for bit in set(column))
    repeated = {bit[0] for bit, count in by_choices.items() if type(bit) is not int and count > 1}
    chosen = {
        maker: op for op in choices for maker in makers_of(op.operands[1:]) if maker in columns
    }
    block = schedule.block
    asked = [
        op.operands[: 1 if op in columns else None]
        for op in block.ops
        if not isinstance(op, WIRING)
    ]
    apart = repeated.union(makers_of([*block.end.inputs(), *(o for given in asked for o in given)]))
    return {
        op
        for op, reader in chosen.items()
        if op not in apart and schedule.start[op] == schedule.start[reader]
    }


def _repeated(column: Bits, joined: set[Op]) -> int:
    """How many of the values that a bit is chosen from, with those of the choices that are joined
    to its own, are named before."""
    values: list[Bit] = []
    work = list(set(column))
    while work:
        bit = work.pop()
        if type(bit) is int:
            continue
        if bit[0] in joined:
            work += {bits_of(operand)[bit[1]] for operand in bit[0].operands[1:]}
        else:
            values.append(bit)
    return len(values) - len(set(values))


def _parameter_multiplexers(kernel: Kernel, target: Target) -> float:
    """A register that several ways lead to chooses between their values."""
    total = 0.0
    for block, ways in kernel.predecessors().items():
        for place, parameter in enumerate(block.parameters):
            values = [bits_of(edge.arguments[place]) for _, edge in ways]
            own = bits_of(parameter)
            total += sum(
                _choices({*column} - {bit}, target)
                for bit, *column in zip(own, *values, strict=True)
            )
    return total


def _choices(values: set[Bit | Wire], target: Target) -> float:
    """Look-up tables that choose between the values of a bit, each of which comes with a bit that
    says whether it is the one. A register is set to a known one without."""
    count = sum(type(value) is not int for value in values)
    return tree_lut4(target, 2 * count) if count > 1 else 0.0


def _served(schedule: KernelSchedule) -> dict[Port, list[Op]]:
    """The accesses of each port of a memory, and the products of each multiplier that serves
    several."""
    served: dict[Port, list[Op]] = {}
    for block in schedule.blocks.values():
        for op, port in block.ports.items():
            served.setdefault(port_of(op, port), []).append(op)
    return served


def _multipliers(served: dict[Port, list[Op]], taken: TakenIn) -> int:
    """Those that are shared, and one for each other product in a block."""
    return sum(kind == Mul.slug for kind, _, _ in served) + len(taken.products)


def _port_multiplexers(schedule: KernelSchedule, served: Iterable[list[Op]]) -> float:
    """A port chooses between the operands of what it serves; factors may be of several widths. What
    several ports choose alike is chosen once."""
    columns = {column for ops in served for column in _port_columns(schedule, ops)}
    return sum(_chosen({wire for wire, _ in column}, schedule.target) for column in columns)


def _chosen(wires: set[Bit | Wire], target: Target) -> float:
    """Tables of a bit of a port. Where it is known but for one value, that is let through or not,
    by the table that makes it if there is one."""
    unknown = [wire for wire in wires if type(wire) is not int]
    if len(unknown) == 1 and len(wires) > 1:
        return float(not is_made_now(unknown[0]))
    return _choices(wires, target)


def _port_columns(
    schedule: KernelSchedule, served: list[Op]
) -> Iterator[frozenset[tuple[Bit | Wire, Turn]]]:
    """For each bit of a port's, what it may be and when."""
    home = {op: s for s in schedule.blocks.values() for op in s.ports}
    turns = [(home[op].block, home[op].start[op]) for op in served]
    count = {Load: 1, Store: 2}.get(type(served[0]), len(served[0].operands))
    for place in range(count):
        wires = (wires_of(home[op], op, bits_of(op.operands[place])) for op in served)
        for column in zip_longest(*wires, fillvalue=0):
            yield frozenset(zip(column, turns, strict=True))
