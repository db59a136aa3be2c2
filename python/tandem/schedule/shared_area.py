# SPDX-License-Identifier: Apache-2.0
"""Look-up tables that comparisons do not take, since others make what they need. Where the same two
numbers are subtracted, the carry says which is less. Comparisons of one value with several known
numbers look once at the bits in which these agree."""

from __future__ import annotations

from tandem.ir.ops import Equality, Op, Sub, ULe, ULt
from tandem.ir.wiring import Bit, Bits, bits_of, is_constant
from tandem.schedule.delays import Target, tree_lut4
from tandem.schedule.operator_area import operator_lut4
from tandem.schedule.scheduled import BlockSchedule


def shared_lut4(target: Target, schedule: BlockSchedule) -> float:
    """Of a block."""
    return _carries(target, schedule) + _trees(target, schedule)


def _carries(target: Target, schedule: BlockSchedule) -> float:
    start = schedule.start
    differences = {
        (*map(bits_of, op.operands), cycle) for op, cycle in start.items() if isinstance(op, Sub)
    }
    return sum(
        operator_lut4(target, op)
        for op, cycle in start.items()
        if isinstance(op, (ULt, ULe)) and (*_subtracted(op), cycle) in differences
    )


def _subtracted(op: Op) -> list[Bits]:
    """From what what is subtracted for a comparison: a <= b is not b < a."""
    operands = op.operands if isinstance(op, ULt) else op.operands[::-1]
    return [bits_of(o) for o in operands]


def _trees(target: Target, schedule: BlockSchedule) -> int:
    groups: dict[tuple[frozenset[Bit], int], set[Bits]] = {}
    for op, cycle in schedule.start.items():
        if isinstance(op, Equality):
            value, known = sorted((bits_of(o) for o in op.operands), key=is_constant)
            if is_constant(known):
                pairs = [(b, k) for b, k in zip(value, known, strict=True) if type(b) is not int]
                bits = frozenset(b for b, _ in pairs)
                groups.setdefault((bits, cycle), set()).add(tuple(k for _, k in pairs))
    return sum(_agreeing(target, list(numbers)) for numbers in groups.values())


def _agreeing(target: Target, numbers: list[Bits]) -> int:
    """What some numbers, with which the same bits are compared, do not take."""
    alone = len(numbers) * tree_lut4(target, len(numbers[0]))
    differ = sum(len(set(column)) > 1 for column in zip(*numbers, strict=False))
    agree = max(1, len(numbers[0]) - differ)
    return max(0, alone - tree_lut4(target, agree) - len(numbers) * tree_lut4(target, differ + 1))
