# SPDX-License-Identifier: Apache-2.0
"""split-wide: an operation that does not fit the clock period becomes several that do.

Adders and comparisons are split into halves, shifters into one select an amount bit, tables into
two tables and a select, dividers into their steps. The scheduler then puts registers between the
parts.
"""

from __future__ import annotations

from collections.abc import Callable

from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Memory, Op, constant
from tandem.ir.operations import SHIFT
from tandem.ir.wiring import bits_of
from tandem.passes.expand_division import divide_in_chain
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "split-wide"
SUMMARY = "split operations that are slower than the clock"

LEAST_WIDTH_BITS = 4


def run(kernel: Kernel, delay_ps: Callable[[Op], int], budget_ps: int) -> None:
    """Splits until every operation that can be split takes at most `budget_ps`."""

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if delay_ps(op) <= budget_ps:
            return remake(builder, op, operands)
        return _split(builder, op, operands)

    while any(delay_ps(op) > budget_ps and _can_split(op) for _, op in kernel.ops()):
        rebuild(kernel, change)
        tidy(kernel)


def _can_split(op: Op) -> bool:
    if op.kind in SHIFT or op.kind == "divide":
        return True
    if op.kind == "rom":
        return op.operands[0].width > LEAST_WIDTH_BITS
    splits = ("add", "sub", "eq", "ne", "ult", "ule", "slt", "sle")
    return op.kind in splits and op.operands[0].width > LEAST_WIDTH_BITS


def _split(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    if not _can_split(op):
        return remake(builder, op, operands)
    if op.kind in SHIFT:
        return _shift(builder, op.kind, operands[0], operands[1])
    if op.kind == "divide":
        return divide_in_chain(builder, *operands)
    if op.kind == "rom":
        return _table(builder, op, operands[0])
    half = operands[0].width // 2
    low = [builder.extract(o, 0, half) for o in operands]
    high = [builder.extract(o, half, o.width - half) for o in operands]
    if op.kind in ("add", "sub"):
        return _sum(builder, op.kind, low, high)
    if op.kind in ("eq", "ne"):
        parts = [builder.compare(op.kind, *low), builder.compare(op.kind, *high)]
        return builder.logic("and" if op.kind == "eq" else "or", parts)
    unsigned = "u" + op.kind[1:]
    strict = op.kind[0] + "lt"
    below = builder.compare(strict, *high)
    same = builder.compare("eq", *high)
    return builder.logic(
        "or", [below, builder.logic("and", [same, builder.compare(unsigned, *low)])]
    )


def _sum(builder: Builder, kind: str, low: list[Op], high: list[Op]) -> Op:
    """The low half one bit wider gives the carry or borrow of the high half."""
    half, rest = low[0].width, high[0].width
    wide = [builder.resize(o, half + 1) for o in low]
    first = builder.build(kind, wide, half + 1)
    carry = builder.resize(builder.extract(first, half, 1), rest)
    second = builder.build(kind, [builder.build(kind, high, rest), carry], rest)
    return builder.concat(second, builder.extract(first, 0, half))


def _shift(builder: Builder, kind: str, value: Op, amount: Op) -> Op:
    """A select an amount bit, the largest shift first."""
    for i in reversed(range(amount.width)):
        moved = builder.shift(kind, value, constant(min(1 << i, value.width), 32))
        value = builder.build(
            "select", [builder.wire((bits_of(amount)[i],)), moved, value], value.width
        )
    return value


def _table(builder: Builder, op: Op, index: Op) -> Op:
    """Both halves of the table are read, and the highest index bit chooses."""
    kernel = builder.kernel
    table = kernel.memories[op.memory]
    bits = index.width - 1
    words = table.contents + (0,) * ((2 << bits) - len(table.contents))
    low = builder.extract(index, 0, bits)
    halves = []
    for start in (0, 1 << bits):
        part = Memory(
            f"{table.name}_part",
            "rom",
            table.element_bits,
            1 << bits,
            words[start : start + (1 << bits)],
        )
        kernel.add_memory(part)
        halves.append(builder.build("rom", [low], op.width, memory=part.name))
    return builder.build(
        "select", [builder.extract(index, bits, 1), halves[1], halves[0]], op.width
    )
