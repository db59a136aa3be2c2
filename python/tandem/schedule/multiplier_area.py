# SPDX-License-Identifier: Apache-2.0
"""What multiplier blocks take in of what is around a product: the register behind it and, in some
families, a sum with it and the register behind that. Products that are too narrow for a block are
look-up tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

from tandem.ir.ops import Add, Mul, Op
from tandem.ir.wiring import bits_of, extended_from, makers_of, multiplier_bits
from tandem.schedule.delays import Multipliers, Target
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

Reader = tuple[Op | None, int]
"""Who reads a value, None for control and what follows the block, and when."""
Readers = dict[Op, list[Reader]]


class TakenIn(NamedTuple):
    """What the multiplier blocks of a kernel have inside: `products`, `sums`, and the first
    register behind each of `registered`; before each of `bare` they have none."""

    products: frozenset[Op]
    sums: frozenset[Op]
    registered: frozenset[Op]
    bare: frozenset[Op]


def in_block(target: Target, op: Op) -> bool:
    """Whether a product is made in a multiplier block."""
    narrow, wide = sorted(multiplier_bits(bits_of(o)) for o in op.operands)
    family = target.multipliers
    return narrow >= family.least_factor_bits and (
        min(op.width, narrow + wide) >= family.least_product_bits
    )


def product_lut4(op: Op) -> float:
    """Look-up tables of a product that is in no block: one for each pair of bits, and another one
    for its sum with those before; of a narrower result, for the pairs that are in it."""
    narrow, wide = sorted(multiplier_bits(bits_of(o)) for o in op.operands)
    pairs = sum(max(0, min(wide, op.width - place)) for place in range(narrow))
    return pairs * (2 - 1 / narrow)


def taken_into_multipliers(schedule: KernelSchedule, outside: Collection[Op]) -> TakenIn:
    """Of a kernel. `outside`: what is read in other blocks than its own."""
    taken = [_taken_in(schedule.target, s, outside) for s in schedule.blocks.values()]
    return TakenIn(*(frozenset(chain(*parts)) for parts in zip(*taken, strict=True)))


def _taken_in(
    target: Target, schedule: BlockSchedule, outside: Collection[Op]
) -> tuple[set[Op], set[Op], set[Op], set[Op]]:
    """Of a block of the kernel, what a `TakenIn` says."""
    family = target.multipliers
    products = [op for op in schedule.start if isinstance(op, Mul) and op not in schedule.ports]
    blocks: set[Op] = {op for op in products if in_block(target, op)}
    readers = _readers(schedule) if products else {}
    behind: dict[Op, Op] = {}
    for op in products:
        found = None if op in outside else _sum_behind(family, schedule, op, readers[op])
        if found and found not in behind.values() and (op in blocks or family.narrow_sums):
            behind[op] = found
    blocks.update(behind)
    sums = set(behind.values())
    registered = blocks | sums if family.sum_registers else blocks
    if not family.holds and schedule.ii != 1:
        registered = set()
    waiting = {op for op in registered if _waits(schedule, op, readers[op])}
    bare: set[Op] = {op for op in products if op not in blocks}
    return blocks, sums, waiting, bare if family.sum_registers else bare.union(behind)


def _readers(schedule: BlockSchedule) -> Readers:
    readers: Readers = defaultdict(list)
    for op, cycle in schedule.start.items():
        for maker in makers_of(op.operands):
            readers[maker].append((op, cycle))
    for value, cycle in (*schedule.deciding_readers(), *schedule.leaving_readers()):
        for maker in makers_of([value]):
            readers[maker].append((None, cycle))
    return readers


def _waits(schedule: BlockSchedule, op: Op, readers: Sequence[Reader]) -> bool:
    """Whether a value goes into a register alone, and the block's is not taken: of a product that
    is found in two cycles it is."""
    taken = schedule.latency.get(op, 0) > 1
    return not taken and all(cycle > schedule.ready(op) for _, cycle in readers)


def _sum_behind(
    family: Multipliers, schedule: BlockSchedule, product: Op, readers: Sequence[Reader]
) -> Op | None:
    """The sum that is all that reads a product, where the block takes it in: in the same cycle, or
    behind a register that takes its input in every cycle."""
    if len(readers) != 1:
        return None
    op, cycle = readers[0]
    if not isinstance(op, Add) or op.width > family.sum_bits:
        return None
    waits = cycle - schedule.ready(product) + (schedule.latency.get(product, 0) > 1)
    if waits > (family.sum_registers and schedule.ii == 1):
        return None
    return op if any(extended_from(bits_of(o)) is product for o in op.operands) else None
