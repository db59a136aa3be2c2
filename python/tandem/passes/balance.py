# SPDX-License-Identifier: Apache-2.0
"""balance: chains of one logic operation become wider operations where that shortens the path.

`(a ^ b) ^ c`, with `a ^ b` the last to arrive, becomes `a ^ b ^ c`: one look-up table instead of
two in a row. Other users of `a ^ b` keep it. It works bit by bit through any wiring in between, and
stops at the width of a look-up table, beyond which nothing is gained. In a loop, what is then still
three tables deep and has the inputs of two becomes two.

`a - (a >= b ? b : 0)`, in a loop, becomes `a >= b ? a - b : a`: comparison and difference then take
place side by side, as in a division bit by bit, where the recurrence is otherwise twice as long.

`a < 0` is a bit of `a`. Passes before this one understand loops by their comparisons.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest

from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    WIRING,
    And,
    Compare,
    Constant,
    Load,
    Logic,
    Op,
    Pop,
    ResultOp,
    Select,
    SLe,
    SLt,
    Sum,
    Xor,
    mask,
)
from tandem.ir.wiring import Bit, Bits, bits_of, named_by, segments
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "balance"
SUMMARY = "merge chains of logic on the critical path into wider operations"

NEVER = 1 << 30
"""The level of what does not fit two tables in a row."""


def run(kernel: Kernel, lut_inputs: int) -> bool:
    """Merges chains up to `lut_inputs` inputs a bit; whether anything has changed."""
    arrival: dict[Op, int] = {}
    loops = {block.name for block in kernel.blocks if block.is_loop}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if isinstance(op, Logic):
            columns = _merged(type(op), operands, lut_inputs, arrival)
            if builder.block.name in loops:
                columns = _regrouped(builder, type(op), columns, lut_inputs, arrival)
            made = builder.logic(type(op), [builder.wire(c) for c in columns])
        elif isinstance(op, Sum) and builder.block.name in loops:
            made = _chosen_late(builder, op, operands) or remake(builder, op, operands)
        elif isinstance(op, (SLt, SLe)):
            made = _sign(builder, type(op), *operands) or remake(builder, op, operands)
        else:
            made = remake(builder, op, operands)
        for new in reversed(builder.block.ops):
            if new in arrival:
                break
            _note_arrival(new, arrival)
        return made

    return refold_and_tidy(kernel, change)


def _sign(builder: Builder, kind: type[Op], a: Op, b: Op) -> Op | None:
    """A comparison with 0 or -1 that only the sign of the other number decides, as that bit."""
    limit = {SLt: 0, SLe: mask(a.width)}[kind]  # a < 0, a <= -1
    if isinstance(b, Constant) and b.value == limit:
        return builder.extract(a, a.width - 1, 1)
    if isinstance(a, Constant) and a.value == mask(a.width) - limit:  # -1 < b, 0 <= b
        return builder.invert(builder.extract(b, b.width - 1, 1))
    return None


def _chosen_late(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    """A sum with a number that a comparison chooses, or else 0, as a choice between sums."""
    first, second = operands
    choice = _choice_under_zeros(second)
    if choice is None or not isinstance(choice.operands[0], Compare):
        return None
    condition, *cases = choice.operands
    if not any(isinstance(case, Constant) and case.value == 0 for case in cases):
        return None
    wide = [builder.resize(case, op.width) for case in cases]
    sums = [builder.build(type(op), [first, case], op.width) for case in wide]
    return builder.build(Select, [condition, *sums], op.width)


def _choice_under_zeros(value: Op) -> Op | None:
    """The select that a value is, extended by zeros."""
    (choice, low, width), *above = segments(bits_of(value))
    if choice is None or not isinstance(choice, Select) or low or width < choice.width:
        return None
    return choice if all(source is None and not number for source, number, _ in above) else None


def _note_arrival(op: Op, arrival: dict[Op, int]) -> None:
    """Levels of logic before the value is there; what a register or a port gives is there at 0."""
    latest = 0
    for operand in op.operands:
        for source in named_by(operand):
            latest = max(latest, arrival.get(source, 0))
    costs = not isinstance(op, WIRING) and not isinstance(op, (Pop, Load, ResultOp))
    arrival[op] = latest + 1 if costs else latest


def _merged(
    kind: type[Logic], operands: list[Op], limit: int, arrival: dict[Op, int]
) -> list[Bits]:
    if not any(type(source) is kind for operand in operands for source in named_by(operand)):
        return [bits_of(operand) for operand in operands]
    neutral = 1 if kind is And else 0
    positions = [
        _merge_position(kind, column, limit, arrival)
        for column in zip(*(bits_of(o) for o in operands), strict=True)
    ]
    most = max(len(p) for p in positions)
    padded = [p + [neutral] * (most - len(p)) for p in positions]
    return [tuple(p[i] for p in padded) for i in range(most)]


def _merge_position(
    kind: type[Logic], column: tuple[Bit, ...], limit: int, arrival: dict[Op, int]
) -> list[Bit]:
    """The inputs of one result bit, the latest one replaced by its own inputs while that fits."""
    terms = list(column)
    while True:
        levels = [_level(bit, arrival) for bit in terms]
        latest = max(levels)
        last = [i for i, level in enumerate(levels) if level == latest]
        bit = terms[last[0]]
        if len(last) != 1 or type(bit) is int or type(bit[0]) is not kind:
            return terms
        inner = [bits_of(o)[bit[1]] for o in bit[0].operands]
        merged = terms[: last[0]] + inner + terms[last[0] + 1 :]
        if sum(type(b) is not int for b in merged) > limit:
            return terms
        terms = merged


# -- two tables in a row ------------------------------------------------------------------------


@dataclass
class _Tree:
    """The inputs of one result bit: `direct` ones, and such that are merged first."""

    direct: list[Bit]
    groups: list[list[Bit]]
    level: int


def _regrouped(
    builder: Builder, kind: type[Logic], columns: list[Bits], limit: int, arrival: dict[Op, int]
) -> list[Bits]:
    """The inputs of the last table in a row of two, where that makes the row shorter; else those
    that were given."""
    positions = [list(column) for column in zip(*columns, strict=True)]
    now = [1 + max(_level(bit, arrival) for bit in terms) for terms in positions]
    worst = max(now)
    trees: list[_Tree] = []
    for terms, level in zip(positions, now, strict=True):
        is_worst = level == worst
        tree = _tree(kind, terms, limit, arrival) if is_worst else _Tree(terms, [], level)
        if tree.level >= worst:
            return columns
        trees.append(tree)
    neutral = 1 if kind is And else 0
    merged: list[Bits] = []
    for slot in range(max(len(tree.groups) for tree in trees)):
        members = [tree.groups[slot] if slot < len(tree.groups) else [] for tree in trees]
        rows = zip_longest(*members, fillvalue=neutral)
        merged.append(bits_of(builder.logic(kind, [builder.wire(tuple(row)) for row in rows])))
    inputs = [
        [merged[slot][place] for slot in range(len(tree.groups))] + tree.direct
        for place, tree in enumerate(trees)
    ]
    return [tuple(row) for row in zip_longest(*inputs, fillvalue=neutral)]


def _tree(kind: type[Logic], terms: list[Bit], limit: int, arrival: dict[Op, int]) -> _Tree:
    """All that a bit is made of by one kind of logic, those that are there first merged first."""
    leaves = sorted(_leaves(kind, terms, limit * limit), key=lambda bit: _level(bit, arrival))
    count = max(0, -(-(len(leaves) - limit) // (limit - 1)))
    early = max(0, len(leaves) - (limit - count)) if count else 0
    groups = [leaves[limit * i : min(early, limit * (i + 1))] for i in range(count)]
    direct = leaves[early:]
    ends = [_level(group[-1], arrival) + 2 for group in groups if group]
    ends += [_level(bit, arrival) + 1 for bit in direct[-1:]]
    is_complete = len(direct) + count <= limit
    return _Tree(direct, groups, max(ends, default=0) if is_complete else NEVER)


def _leaves(kind: type[Logic], terms: list[Bit], most: int) -> list[Bit]:
    """The bits behind operations of a kind; as they are where they would be more than `most`. An
    exclusive or of a bit with itself is nothing."""
    found = list(terms)
    while True:
        place = next(
            (i for i, b in enumerate(found) if type(b) is not int and type(b[0]) is kind), None
        )
        if place is None or len(found) > most:
            break
        op, index = found[place]
        found[place : place + 1] = [bits_of(o)[index] for o in op.operands]
    counts = Counter(bit for bit in found if type(bit) is not int)
    ones = [bit for bit in found if type(bit) is int]
    return [b for b, n in counts.items() if kind is not Xor or n % 2] + ones


def _level(bit: Bit, arrival: dict[Op, int]) -> int:
    return arrival.get(bit[0], 0) if type(bit) is not int else -1
