# SPDX-License-Identifier: Apache-2.0
"""Bits that are always others of the same kernel, of which synthesis makes neither tables nor
registers: the copies of a sum's sign, and parameters that the same values come into in the same
cycle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tandem.analysis.demanded import demanded_bits
from tandem.analysis.stuck import stuck_bits
from tandem.ir.blocks import Block
from tandem.ir.ops import Add, Op, Sum, mask
from tandem.ir.wiring import (
    Bit,
    Bits,
    bits_of,
    constant_bits,
    is_constant,
    is_sign_extended,
    multiplier_bits,
    number,
)
from tandem.schedule.scheduled import KernelSchedule

Same = Mapping[Bit, Bit]


class Made(NamedTuple):
    """What synthesis makes of a kernel's values. `read`: the bits of each that reach an effect and
    are neither known nor others; `same`: bits that are others, and which."""

    read: dict[Op, int]
    same: Same


def made_bits(schedule: KernelSchedule) -> Made:
    """Of a kernel."""
    kernel = schedule.kernel
    stuck, same = stuck_bits(kernel), _same_bits(schedule)
    read = {op: bits & ~stuck.get(op, 0) for op, bits in demanded_bits(kernel).items()}
    for (op, i), (other, k) in same.items():
        if read.get(op, 0) >> i & 1:
            read[op] &= ~(1 << i)
            read[other] = read.get(other, 0) | 1 << k
    return Made(read, same)


def _same_bits(schedule: KernelSchedule) -> dict[Bit, Bit]:
    same: dict[Bit, Bit] = {}
    for _, op in schedule.kernel.ops():
        if isinstance(op, Sum):
            own = _summed_bits(op, same)
            same.update({(op, i): (op, own - 1) for i in range(own, op.width)})
    for block, ways in schedule.kernel.predecessors().items():
        _add_parameters(same, schedule, block, [edge.arguments for _, edge in ways])
    return same


def _add_parameters(
    same: dict[Bit, Bit], schedule: KernelSchedule, block: Block, ways: list[list[Op]]
) -> None:
    writes = schedule.blocks[block].writes
    first: dict[tuple[int, Bits], Bit] = {}
    for place, parameter in enumerate(block.parameters if ways else ()):
        cycle = writes.get(parameter, 0)
        values = zip(*(bits_of(arguments[place]) for arguments in ways), strict=True)
        for bit, column in zip(bits_of(parameter), values, strict=True):
            made_of = tuple([same.get(b, b) for b in column])
            other = first.setdefault((cycle, made_of), bit)
            if other is not bit:
                same[bit] = other


def _summed_bits(op: Op, same: Same) -> int:
    """Bits of a sum below the copies of its sign: one more than those of what is added. A known
    number below 0 is subtracted."""
    if any(_reaches_the_top(bits_of(o), same) for o in op.operands):
        return op.width
    first, second = (tuple([same.get(bit, bit) for bit in bits_of(o)]) for o in op.operands)
    subtracts = not isinstance(op, Add)
    if is_constant(second) and not subtracts and second[-1]:
        second, subtracts = constant_bits(-number(second) & mask(op.width), op.width), True
    sizes = [(multiplier_bits(bits), is_sign_extended(bits)) for bits in (first, second)]
    if not any(signed for _, signed in sizes):
        return min(op.width, max(sizes)[0] + 1) if subtracts else op.width
    return min(op.width, max(size + (not signed) for size, signed in sizes) + 1)


def _reaches_the_top(bits: Bits, same: Same) -> bool:
    """Whether the highest bit is none that the one below it is too."""
    return len(bits) < 2 or same.get(bits[-1], bits[-1]) != same.get(bits[-2], bits[-2])
