# SPDX-License-Identifier: Apache-2.0
"""Which logic lies in one look-up table.

Logic of two inputs a bit, and choices, do not take a table each: synthesis has one table compute
all that depends on no more inputs a bit than the table has. The cover of an operation are the
values that its table reads. Of the possible ones it is that with the earliest result, and then the
smallest; what a table computes on the way is computed again for others that ask for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from tandem.ir.blocks import Block
from tandem.ir.ops import Logic, Op, Select
from tandem.ir.wiring import named_by
from tandem.schedule.delays import Target, is_inverter


@dataclass(frozen=True)
class Cover:
    """`reads`: what the table of an operation reads; `inside`: the operations that it computes on
    the way; `delay_ps`: of the slowest of them, or its own."""

    reads: tuple[Op, ...]
    inside: frozenset[Op]
    delay_ps: int


def covers_of(block: Block, target: Target) -> dict[Op, Cover]:
    """The covers of a block's logic; all else computes of its operands alone."""
    found: dict[Op, Cover] = {}
    arrival_ps: dict[Op, int] = {}
    for op in block.ops:
        if in_table(op):
            found[op] = min(_covers(op, found, target), key=lambda cover: _rank(cover, arrival_ps))
            arrival_ps[op] = _latest(found[op].reads, arrival_ps) + found[op].delay_ps
        else:
            arrival_ps[op] = _latest(op.operands, arrival_ps) + target.delay_ps(op)
    return found


def _rank(cover: Cover, arrival_ps: Mapping[Op, int]) -> tuple[int, int, int]:
    at_ps = _latest(cover.reads, arrival_ps) + cover.delay_ps
    return at_ps, len(cover.reads), -len(cover.inside)


def in_table(op: Op) -> bool:
    """Whether an operation may share a table. Wider logic is a module of its own in the Verilog."""
    return isinstance(op, Select) or (isinstance(op, Logic) and len(op.operands) == 2)


def _covers(op: Op, found: Mapping[Op, Cover], target: Target) -> list[Cover]:
    """Every cover that takes in some of the operands' own, and fits."""
    ways = [[False, True] if o in found else [False] for o in op.operands]
    covers = []
    for taken in product(*ways):
        inner = [found[o] for o, is_taken in zip(op.operands, taken, strict=True) if is_taken]
        kept = [o for o, is_taken in zip(op.operands, taken, strict=True) if not is_taken]
        reads = dict.fromkeys([*kept, *(r for cover in inner for r in cover.reads)])
        variable = tuple(r for r in reads if any(named_by(r)))
        if inner and len(variable) > target.lut_inputs:
            continue
        inside = {o for o, is_taken in zip(op.operands, taken, strict=True) if is_taken}
        inside = inside.union(*(cover.inside for cover in inner))
        own_ps = 0 if inner and is_inverter(op) else target.delay_ps(op)
        delays = [own_ps, *(cover.delay_ps for cover in inner)]
        covers.append(Cover(variable, frozenset(inside), max(delays)))
    return covers


def _latest(values: tuple[Op, ...] | list[Op], arrival_ps: Mapping[Op, int]) -> int:
    return max(
        (arrival_ps.get(maker, 0) for value in values for maker in named_by(value)), default=0
    )
