# SPDX-License-Identifier: Apache-2.0
"""decide-late: what follows a choice that a loop waits for is computed for both of its cases.

`if (j == n) j = 0; j++` is a comparison, a choice and an addition, one after the other, and the
next iteration waits for them. The addition is made beside the comparison for the case that changes,
for the other one it is known before the loop; the choice comes last. So with what is asked of a
choice, with a sum of which a decision is a term, and with sums that are compared with what does not
change: `j + 1 == n` is `j == n - 1`.

Only operations that a loop waits for longer than a period: elsewhere this gains nothing.

Requires: if-convert (choices are `select`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tandem.analysis.readers import changing, count_readers
from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Kernel, Op, constant
from tandem.ir.operations import COMPARE, SUM
from tandem.ir.wiring import bits_of, is_zero, makers_of
from tandem.passes.reassociate import Timing, awaited
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "decide-late"
SUMMARY = "compute beside a decision what follows it, for both of its cases"

MOST_ROUNDS = 4
"""Choices that follow each other are passed one a round."""

_Operands = Mapping[Op, list[Op]]
"""What operations that are made anew are made of."""
_Way = Callable[[Builder, Op, _Operands], Op]


def run(kernel: Kernel, timing: Timing) -> bool:
    """Whether any choice comes later than it did."""
    rounds = 0
    while rounds < MOST_ROUNDS and _round(kernel, timing):
        rounds += 1
    return rounds > 0


def _round(kernel: Kernel, timing: Timing) -> bool:
    readers = count_readers(kernel)
    ways: dict[Op, _Way] = {}
    for block in kernel.blocks:
        if block.is_loop:
            at_ps = awaited(block, readers, timing)
            loop = _Loop(block, at_ps)
            ways.update((op, way) for op in at_ps if (way := _way(op, loop)) is not None)
    if not ways:
        return False
    operands_of: dict[Op, list[Op]] = {}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        operands_of[op] = operands
        if op in ways:
            return ways[op](builder, op, operands_of)
        return remake(builder, op, operands)

    rebuild(kernel, change)
    tidy(kernel)
    return True


class _Loop:
    """What a loop waits for: `at_ps`, when each operation of it is there."""

    def __init__(self, block: Block, at_ps: Mapping[Op, int]) -> None:
        self.at_ps = at_ps
        self.moving = changing(block)

    def is_later(self, value: Op, than: Op) -> bool:
        """Whether the loop waits for a value, and longer than for another one."""
        after = max((self.at_ps.get(maker, 0) for maker in makers_of([than])), default=0)
        return any(self.at_ps.get(maker, 0) > after for maker in makers_of([value]))


def _way(op: Op, loop: _Loop) -> _Way | None:
    """How the operation is made with its decision last; None where it has none, or that would not
    be sooner."""
    if op.kind not in COMPARE | SUM:
        return None
    for place, other in ((0, 1), (1, 0)):
        moving = op.operands[place]
        is_fixed = op.operands[other] not in loop.moving
        if is_fixed and moving.kind == "select" and _gains(op, moving, loop):
            return partial(_of_choice, place)
        if is_fixed and moving.kind == "add" and op.kind in ("eq", "ne"):
            terms = [i for i in (0, 1) if moving.operands[i] not in loop.moving]
            if terms:
                return partial(_of_sum, place, terms[0])
        if op.kind == "add" and _is_counted(moving, op.operands[other], loop):
            return partial(_of_decision, place)
    return None


def _gains(op: Op, choice: Op, loop: _Loop) -> bool:
    """Whether what follows a choice can be made for both cases: of a sum, one must be known before
    the loop, or there would be two adders."""
    condition, *cases = choice.operands
    moving = [case for case in cases if case in loop.moving]
    if op.kind not in COMPARE and len(moving) > 1:
        return False
    return condition in loop.moving and all(loop.is_later(condition, case) for case in moving)


def _is_counted(decision: Op, total: Op, loop: _Loop) -> bool:
    """Whether a term is one bit that is there after the other one."""
    bits = bits_of(decision)
    is_bit = len(bits) > 1 and type(bits[0]) is not int and all(map(is_zero, bits[1:]))
    return is_bit and loop.is_later(decision, total)


def _of_choice(place: int, builder: Builder, op: Op, operands_of: _Operands) -> Op:
    condition, *cases = operands_of[op.operands[place]]
    made = []
    for case in cases:
        operands = list(operands_of[op])
        operands[place] = case
        made.append(builder.build(op.kind, operands, op.width))
    return builder.build("select", [condition, *made], op.width)


def _of_sum(place: int, fixed: int, builder: Builder, op: Op, operands_of: _Operands) -> Op:
    """A sum with what does not change is compared as its other term."""
    terms = operands_of[op.operands[place]]
    compared = operands_of[op][1 - place]
    rest = builder.build("sub", [compared, terms[fixed]], compared.width)
    return builder.compare(op.kind, terms[1 - fixed], rest)


def _of_decision(place: int, builder: Builder, op: Op, operands_of: _Operands) -> Op:
    condition = builder.extract(operands_of[op][place], 0, 1)
    total = operands_of[op][1 - place]
    more = builder.build("add", [total, constant(1, op.width)], op.width)
    return builder.build("select", [condition, more, total], op.width)
