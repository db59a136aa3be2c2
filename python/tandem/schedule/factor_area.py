# SPDX-License-Identifier: Apache-2.0
"""Flip-flops before products: those that a product which takes a cycle has, where no multiplier
block has them inside, and those of values that a block takes in since only products read them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from tandem.ir.ops import WIRING, ArgumentOp, Mul, Op
from tandem.ir.wiring import Bit, bits_of, is_constant, is_sign_extended, makers_of, multiplier_bits
from tandem.schedule.multiplier_area import TakenIn
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.wires import register_of

Side = tuple[Op, int]
"""A product, and which of its factors."""
Word = tuple[Bit, ...]


def factor_registers(schedule: KernelSchedule, taken: TakenIn) -> Counter[Op]:
    """Flip-flops before products that take a cycle. What several products read in the same cycle is
    in one, which is gone where a block has it; and what is read later in a pipeline that starts an
    iteration every cycle waits in an equal one."""
    found: Counter[Op] = Counter()
    for s in schedule.blocks.values():
        sides = [
            (op, place)
            for op, latency in s.latency.items()
            if latency and isinstance(op, Mul) and op not in s.ports
            for place in (0, 1)
        ]
        outside = [side for side in sides if not _has_register(schedule, taken, side)]
        if not outside:
            continue
        inside = {(_word(op, place), s.start[op]) for op, place in set(sides).difference(outside)}
        later = _last_read(s) if s.ii == 1 else {}
        seen: set[tuple[Bit, int]] = set()
        for op, place in outside:
            start, word = s.start[op], _word(op, place)
            if (word, start) not in inside:
                bits = {(bit, start) for bit in word if later.get(bit, 0) <= start}
                found[op] += len(bits - seen)
                seen |= bits
    return found


def taken_factors(schedule: KernelSchedule, taken: TakenIn) -> Counter[Op]:
    """Of the registers in which values wait, those that are in multiplier blocks: nothing but
    products reads them, as whole factors and in one cycle."""
    sides = set(_taking(schedule, taken))
    makers = {bit[0] for side in sides for bit in _word(*side)}
    stages: dict[Op, set[int]] = defaultdict(set)
    for s in schedule.blocks.values() if makers else ():
        for side, maker, cycle in _readers(s, makers):
            stages[maker].add(_stage(s, maker, cycle) if side in sides else -1)
    alone = {maker for maker, found in stages.items() if len(found) == 1 and -1 not in found}
    bits = {bit for side in sides for bit in _word(*side) if bit[0] in alone}
    return Counter(bit[0] for bit in bits)


def _taking(schedule: KernelSchedule, taken: TakenIn) -> Iterator[Side]:
    """The factors that stand in registers as a whole, where blocks may have these."""
    family = schedule.target.multipliers
    for s in schedule.blocks.values():
        if not family.holds and s.ii != 1:
            continue
        for op in (op for op in s.start if op in taken.products and not s.latency.get(op)):
            sides = [
                (op, place)
                for place in (0, 1)
                if _has_register(schedule, taken, (op, place)) and _waits(s, op, place)
            ]
            known = sum(is_constant(bits_of(o)) for o in op.operands)
            if family.sides_apart or len(sides) + known == len(op.operands):
                yield from sides


def _waits(schedule: BlockSchedule, op: Op, place: int) -> bool:
    """Whether a factor is all in registers of values."""
    word = _word(op, place)
    makers = {bit[0] for bit in word}
    return bool(word) and all(_stage(schedule, m, schedule.start[op]) for m in makers)


def _stage(schedule: BlockSchedule, maker: Op, cycle: int) -> int:
    """In which of its registers a value is then, 0 where it is in none."""
    if maker not in schedule.start:
        return int(not isinstance(maker, ArgumentOp))
    return register_of(schedule, maker, cycle)


def _has_register(schedule: KernelSchedule, taken: TakenIn, side: Side) -> bool:
    """Whether the block of a product has a register before a factor."""
    op, place = side
    signs = [is_sign_extended(bits_of(o)) for o in op.operands]
    is_mixed = signs[1 - place] and not signs[place]
    return op not in taken.bare and (schedule.target.multipliers.mixed_signs or not is_mixed)


def _word(op: Op, place: int) -> Word:
    """The unknown bits of a factor."""
    bits = bits_of(op.operands[place])
    return tuple([bit for bit in bits[: multiplier_bits(bits)] if type(bit) is not int])


def _readers(schedule: BlockSchedule, makers: set[Op]) -> Iterator[tuple[Side | None, Op, int]]:
    """Which of some values are read from registers in a block, when, and for which factor if it is
    for one."""
    for side, value, cycle in _all_readers(schedule):
        for maker in makers.intersection(makers_of([value])):
            if _stage(schedule, maker, cycle):
                yield side, maker, cycle


def _all_readers(schedule: BlockSchedule) -> Iterator[tuple[Side | None, Op, int]]:
    for op, cycle in schedule.start.items():
        if not isinstance(op, WIRING):
            yield from (((op, i), operand, cycle) for i, operand in enumerate(op.operands))
    for value, cycle in (*schedule.deciding_readers(), *schedule.leaving_readers()):
        yield None, value, cycle


def _last_read(schedule: BlockSchedule) -> dict[Bit, int]:
    last: dict[Bit, int] = {}
    for value, cycle in schedule.readers():
        for bit in bits_of(value):
            last[bit] = max(cycle, last.get(bit, 0))
    return last
