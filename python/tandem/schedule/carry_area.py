# SPDX-License-Identifier: Apache-2.0
"""Look-up tables before carries: where a carry cell takes its operands as they are, what is
subtracted is inverted before, also for a comparison of two unknown numbers. What a table makes just
then it makes inverted, if nothing else reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tandem.ir.ops import Compare, Equality, Op, SLt, Sub, ULt
from tandem.ir.wiring import Bit, bits_of, is_constant, makers_of
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.shared_area import subtracted_once
from tandem.schedule.wires import MADE_IN_TABLES, Wire, wires_of


def inverters_lut4(schedule: KernelSchedule, read: Mapping[Op, int]) -> int:
    """Of a kernel. What several operations subtract is inverted once. `read`: which bits of each
    value synthesis makes."""
    if not schedule.target.table_behind_carry:
        return 0
    return len({wire for s in schedule.blocks.values() for wire in _inverted(s, read)})


def _inverted(schedule: BlockSchedule, read: Mapping[Op, int]) -> Iterator[Bit | Wire]:
    readers = Counter(maker for op in schedule.start for maker in makers_of(op.operands))
    others = {op for ops in subtracted_once(schedule) for op in ops[1:]}
    for op, cycle in ((op, c) for op, c in schedule.start.items() if op not in others):
        bits = [
            bit
            for bit in _subtracted(op)
            if read.get(bit[0], 0) >> bit[1] & 1
            and not _is_made_inverted(schedule, bit, cycle, readers)
        ]
        yield from wires_of(schedule, op, bits)


def _subtracted(op: Op) -> Iterable[Bit]:
    """The unknown bits of what an operation subtracts: a < b and b <= a are about b."""
    if isinstance(op, Sub):
        value = op.operands[1]
    elif isinstance(op, Compare) and not isinstance(op, Equality):
        value = op.operands[isinstance(op, (SLt, ULt))]
        if any(is_constant(bits_of(o)) for o in op.operands):
            return ()
    else:
        return ()
    return {bit for bit in bits_of(value) if type(bit) is not int}


def _is_made_inverted(schedule: BlockSchedule, bit: Bit, cycle: int, readers: Counter[Op]) -> bool:
    maker = bit[0]
    is_made_now = isinstance(maker, MADE_IN_TABLES) and schedule.start.get(maker) == cycle
    return is_made_now and readers[maker] == 1
