# SPDX-License-Identifier: Apache-2.0
"""Flip-flops of control, as `rtl.control` makes them: of tokens those that somebody asks for, what
says that a loop runs and is left, where calls come back to, that processes run, what is returned
and that the kernel is done."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from tandem.ir.blocks import Join, Return
from tandem.ir.functions import blocks_of, returned
from tandem.ir.ops import ArgumentOp, Divide, Op, ResultOp, StreamOp
from tandem.ir.processes import processes
from tandem.ir.wiring import bits_of, makers_of
from tandem.schedule.same_bits import Made, Same
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def control_registers(schedule: KernelSchedule, made: Made) -> int:
    """Of all blocks, of calls, processes, what is returned, and the end."""
    blocks = sum(_block(schedule, s) for s in schedule.blocks.values())
    finished = not schedule.ends_at_once
    return blocks + len(processes(schedule.kernel)) + finished + _returned(schedule, made)


def _block(schedule: KernelSchedule, here: BlockSchedule) -> int:
    block = here.block
    flags = block.calls + isinstance(block.end, Join)
    if here.ii:
        last = max(0, here.leave - here.decide - 1)
        stays = (here.stay - 1).bit_length() + 1 if here.stay > 1 else 0
        return flags + 1 + _last_asked(here) + last + stays
    waits = any(isinstance(op, StreamOp) for op in block.ops)
    at_once = block is schedule.kernel.entry and schedule.begins_at_once
    cycles = here.token_cycles
    counters = sum((b - a - 1).bit_length() for a, b in pairwise(cycles))
    return flags + len(cycles) - (waits or at_once) + counters


def _last_asked(here: BlockSchedule) -> int:
    """The last cycle of a pipeline of which somebody asks whether an iteration is in it. What waits
    goes on unasked where an iteration starts in every cycle."""
    if here.ii > 1:
        return here.length - 1
    asked = [here.decide, *here.writes.values()]
    asked += [here.leave - 1] if here.stay else []
    asked += [here.start[op] for op in here.start if not op.pure or op in here.ports]
    asked += [here.start[op] for op in here.start if isinstance(op, Divide)]
    return max(asked)


def _returned(schedule: KernelSchedule, made: Made) -> int:
    """What functions return, and the kernel, if that is not in registers already."""
    kernel = schedule.kernel
    found = 0
    results = {op.function: op for _, op in kernel.ops() if isinstance(op, ResultOp)}
    for function, op in results.items():
        values = [b.end.value for b in returned(kernel, function)]
        found += _varying(values, made.read.get(op, 0), made.same)
    if any(argument.is_result for argument in kernel.arguments):
        ends = [b for b in blocks_of(kernel.entry) if isinstance(b.end, Return)]
        if len(ends) != 1 or not _lasts(schedule.blocks[ends[0]]):
            found += _varying([b.end.value for b in ends], -1, made.same)
    return found


def _varying(values: Iterable[Op | None], read: int, same: Same) -> int:
    """Bits of a register that takes one of some values."""
    columns = zip(*(bits_of(value) for value in values if value is not None), strict=True)
    made = {
        tuple([same.get(bit, bit) for bit in column])
        for i, column in enumerate(columns)
        if read >> i & 1
    }
    return sum(any(bit != column[0] or type(bit) is not int for bit in column) for column in made)


def _lasts(here: BlockSchedule) -> bool:
    """Whether what a block returns stays in registers until it runs again."""
    assert here.block.end.value is not None
    return not any(
        isinstance(op, ArgumentOp) or (op in here.start and here.length - 1 <= here.ready(op))
        for op in makers_of([here.block.end.value])
    )
