# SPDX-License-Identifier: Apache-2.0
"""decide-late: what follows a choice that a loop waits for is computed for both of its cases.

`if (j == n) j = 0; j++` is a comparison, a choice and an addition, one after the other, and the
next iteration waits for them. The addition is made beside the comparison for the case that changes,
for the other one it is known before the loop; the choice comes last. So with what is asked of a
choice, with a sum of which a decision is a term, and with sums that are compared with what does not
change: `j + 1 == n` is `j == n - 1`.

Only operations that a loop waits for longer than a period: elsewhere this gains nothing. A loop
that asks streams waits for its exit in every iteration: the next one may take a record at once.

Requires: if-convert (choices are `select`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tandem.analysis.range_rules import full
from tandem.analysis.ranges import ranges_of
from tandem.analysis.readers import changing, count_readers
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    Add,
    ArgumentOp,
    Compare,
    Concat,
    Constant,
    Equality,
    Extract,
    Op,
    Parameter,
    Poll,
    Select,
    SLt,
    Sub,
    Sum,
    ULt,
    constant,
    mask,
)
from tandem.ir.processes import stream_ops
from tandem.ir.wiring import bits_of, is_zero, makers_of
from tandem.passes.reassociate import Timing, awaited
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "decide-late"
SUMMARY = "compute beside a decision what follows it, for both of its cases"

DECIDING = 3
"""Levels of logic from a loop's condition to the register that its next iteration begins with."""
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
        if block.is_loop and any(map(_may_come_late, block.ops)):
            exits_ps = _exit(block, timing)
            at_ps = awaited(block, readers, timing) | exits_ps
            loop = _Loop(kernel, block, at_ps, frozenset(exits_ps))
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


def _may_come_late(op: Op) -> bool:
    """Whether an operation reads what `_way` looks for. Most loops have none of these, and to find
    out what they wait for takes longer."""
    kinds = (Select, Add) if isinstance(op, Equality) else (Select,)
    kinds = (*kinds, Concat, Extract) if isinstance(op, Add) else kinds
    return isinstance(op, (Compare, Sum)) and any(isinstance(o, kinds) for o in op.operands)


def _exit(block: Block, timing: Timing) -> dict[Op, int]:
    """The operations by which a loop that asks streams is left, and when each is there in an
    iteration, where that is later than in the cycle in which it begins."""
    condition = block.end.condition
    if condition is None or not any(stream_ops(block, Poll)):
        return {}
    at_ps: dict[Op, int] = {}
    for op in block.ops:
        before = max((at_ps.get(maker, 0) for maker in makers_of(op.operands)), default=0)
        at_ps[op] = before + timing.takes_ps(op)
    found: set[Op] = set()
    work = makers_of([condition])
    if (
        max((at_ps.get(op, 0) for op in work), default=0) + DECIDING * timing.level_ps
        <= timing.period_ps
    ):
        return {}
    while work:
        op = work.pop()
        if op in at_ps and op not in found:
            found.add(op)
            work += makers_of(op.operands)
    return {op: at_ps[op] for op in block.ops if op in found}


class _Loop:
    """What a loop waits for: `at_ps`, when each operation of it is there; `exits`: those by which
    it is left."""

    def __init__(
        self, kernel: Kernel, block: Block, at_ps: Mapping[Op, int], exits: frozenset[Op]
    ) -> None:
        self.kernel = kernel
        self.at_ps = at_ps
        self.exits = exits
        self.moving = changing(block)

    def is_later(self, value: Op, than: Op) -> bool:
        """Whether the loop waits for a value, and longer than for another one."""
        after = max((self.at_ps.get(maker, 0) for maker in makers_of([than])), default=0)
        return any(self.at_ps.get(maker, 0) > after for maker in makers_of([value]))


def _way(op: Op, loop: _Loop) -> _Way | None:
    """How the operation is made with its decision last; None where it has none, or that would not
    be sooner."""
    if not isinstance(op, (Compare, Sum)):
        return None
    for place, other in ((0, 1), (1, 0)):
        moving = op.operands[place]
        is_fixed = op.operands[other] not in loop.moving
        if is_fixed and isinstance(moving, Select) and _gains(op, moving, loop):
            return partial(_of_choice, place, _counted_below(op, moving, loop))
        if is_fixed and isinstance(moving, Add) and isinstance(op, Equality):
            terms = [i for i in (0, 1) if moving.operands[i] not in loop.moving]
            if terms:
                return partial(_of_sum, place, terms[0])
        if isinstance(op, Add) and _is_counted(moving, op.operands[other], loop):
            return partial(_of_decision, place)
    return None


def _gains(op: Op, choice: Op, loop: _Loop) -> bool:
    """Whether what follows a choice can be made for both cases: of a sum, one must be known before
    the loop, or there would be two adders."""
    condition, *cases = choice.operands
    if op in loop.exits:
        return isinstance(op, Compare) and all(_is_compared_at_once(case, loop) for case in cases)
    moving = [case for case in cases if case in loop.moving]
    if not isinstance(op, Compare) and len(moving) > 1:
        return False
    return condition in loop.moving and all(loop.is_later(condition, case) for case in moving)


def _counted_below(op: Op, choice: Op, loop: _Loop) -> list[bool]:
    """Of the cases of a choice that is compared with a limit: whether it is one more than a number
    of which it is known that one more is not too much for its bits. The number is then below a
    limit that is one less."""
    limit = op.operands[1]
    if not isinstance(op, (ULt, SLt)) or not isinstance(limit, Constant) or op not in loop.exits:
        return [False, False]
    highest = mask(limit.width) >> (isinstance(op, SLt))
    ranges = ranges_of(loop.kernel)

    def is_counted(case: Op) -> bool:
        if not isinstance(case, Add) or not isinstance(case.operands[1], Constant):
            return False
        number, step = case.operands
        return step.value == 1 and ranges.get(number, full(number))[1] < highest

    return [0 < limit.value <= highest and is_counted(case) for case in choice.operands[1:]]


def _is_compared_at_once(case: Op, loop: _Loop) -> bool:
    """Whether a case is there as an iteration begins, or is one step from what is."""
    parts = case.operands if isinstance(case, Add) else [case]
    return all(isinstance(part, (Constant, Parameter, ArgumentOp)) for part in parts)


def _is_counted(decision: Op, total: Op, loop: _Loop) -> bool:
    """Whether a term is one bit that is there after the other one."""
    bits = bits_of(decision)
    is_bit = len(bits) > 1 and type(bits[0]) is not int and all(map(is_zero, bits[1:]))
    return is_bit and loop.is_later(decision, total)


def _of_choice(
    place: int, counted: Sequence[bool], builder: Builder, op: Op, operands_of: _Operands
) -> Op:
    condition, *cases = operands_of[op.operands[place]]
    made = []
    for old, case, is_counted in zip(op.operands[place].operands[1:], cases, counted, strict=True):
        operands = list(operands_of[op])
        operands[place] = case
        if is_counted:
            limit = op.operands[1]
            operands = [operands_of[old][0], constant(limit.value - 1, limit.width)]
        made.append(builder.build(type(op), operands, op.width))
    return builder.build(Select, [condition, *made], op.width)


def _of_sum(place: int, fixed: int, builder: Builder, op: Op, operands_of: _Operands) -> Op:
    """A sum with what does not change is compared as its other term."""
    terms = operands_of[op.operands[place]]
    compared = operands_of[op][1 - place]
    rest = builder.build(Sub, [compared, terms[fixed]], compared.width)
    return builder.build(type(op), [terms[1 - fixed], rest], 1)


def _of_decision(place: int, builder: Builder, op: Op, operands_of: _Operands) -> Op:
    condition = builder.extract(operands_of[op][place], 0, 1)
    total = operands_of[op][1 - place]
    more = builder.build(Add, [total, constant(1, op.width)], op.width)
    return builder.build(Select, [condition, more, total], op.width)
