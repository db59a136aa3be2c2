# SPDX-License-Identifier: Apache-2.0
"""Area and clock before synthesis: known bits cost nothing, and the longest path is the one that
the schedule leaves. bench/peers.py compares with place and route."""

from __future__ import annotations

import pytest
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    OPERATIONS,
    Add,
    ArgumentOp,
    Op,
    Parameter,
    Rom,
    Select,
    Shl,
    Xor,
    constant,
    mask,
)
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.operator_area import operator_lut4
from tandem.schedule.scheduler import schedule_kernel

CLOCK_PS = 10_000


def argument(width: int) -> Op:
    return ArgumentOp((), width)


def area(target: Target, kind: str, *operands: Op, width: int = 1) -> float:
    return operator_lut4(target, OPERATIONS[kind](operands, width))


@pytest.mark.parametrize(
    ("kind", "first", "second", "free"),
    [
        ("slt", None, 1 << 12, 12),  # a < 4096: a's low bits do not decide
        ("slt", (1 << 12) - 1, None, 12),
        ("sle", None, (1 << 12) - 1, 12),
        ("ule", 1 << 12, None, 12),
        ("ult", None, 4097, 0),
        ("slt", None, mask(32) << 15 & mask(32), 15),
    ],
)
def test_low_bits_that_do_not_decide_a_comparison(
    target: Target, kind: str, first: int | None, second: int | None, free: int
) -> None:
    operands = [argument(32) if n is None else constant(n, 32) for n in (first, second)]
    shorter = area(target, kind, argument(32 - free), argument(32 - free))
    assert area(target, kind, *operands) == shorter


def test_half_of_a_comparison_with_a_constant(target: Target) -> None:
    known = area(target, "eq", argument(32), constant(1000, 32))
    assert 0 < known < area(target, "eq", argument(32), argument(32)) / 2


def test_copies_of_a_sign_are_chosen_once(target: Target) -> None:
    block = Block("b")
    builder = Builder(Kernel("k", blocks=[block]), block)
    a, b = (builder.resize(argument(8), 32, is_signed=True) for _ in range(2))
    assert area(target, "select", argument(1), a, b, width=32) == area(
        target, "select", argument(1), argument(8), argument(8), width=8
    )


def test_bits_that_nothing_is_added_to(target: Target) -> None:
    block = Block("b")
    builder = Builder(Kernel("k", blocks=[block]), block)
    shifted = builder.wire((*[0] * 8, *((argument(24), i) for i in range(24))))
    assert area(target, "add", argument(32), shifted, width=32) == area(
        target, "add", argument(24), argument(24), width=24
    )


def test_a_shifted_constant_is_a_table(target: Target) -> None:
    amount = argument(5)
    one = Shl((constant(1, 32), amount), 32)
    one_hot = Memory("t", MemoryKind.ROM, 32, 32, tuple(1 << i for i in range(32)))
    table = Rom((amount,), 32, {"memory": one_hot})
    assert operator_lut4(target, one) == operator_lut4(target, table)
    any_value = Shl((argument(32), amount), 32)
    assert operator_lut4(target, any_value, mask(8)) == operator_lut4(target, any_value) / 4
    of_a_bit = Shl((argument(1), argument(6)), 1)
    assert 0 < operator_lut4(target, of_a_bit) < operator_lut4(target, any_value)


def choices(target: Target, leaves: str, read_twice: bool = False) -> int:
    """The area of a choice between two choices, among some values of 32 bits."""
    block = Block("b")
    builder = Builder(Kernel("k", blocks=[block]), block)
    values = {leaf: Parameter((), 32) for leaf in leaves}
    tests = [Parameter((), 1) for _ in range(3)]
    block.parameters = [*values.values(), *tests]
    a, b, c, d = (values[leaf] for leaf in leaves)
    first = builder.build(Select, [tests[0], a, b], 32)
    second = builder.build(Select, [tests[1], c, d], 32)
    chosen = builder.build(Select, [tests[2], first, second], 32)
    block.end.value = builder.concat(chosen, first) if read_twice else chosen
    return estimate_area(schedule_kernel(Kernel("k", blocks=[block]), target, CLOCK_PS))["lut4"]


def test_a_value_that_is_named_twice_is_one_among_others(target: Target) -> None:
    assert choices(target, "abcd") - choices(target, "abca") == 32
    assert choices(target, "abcd") - choices(target, "abba") == 64
    assert choices(target, "abcd", read_twice=True) - choices(target, "abca", read_twice=True) == 0


def test_the_longest_path_is_the_one_between_registers(target: Target) -> None:
    """What fits a long clock shares a cycle; a shorter one parts it."""
    block = Block("b")
    builder = Builder(Kernel("k", blocks=[block]), block)
    block.parameters = [Parameter((), 32) for _ in range(3)]
    a, b, c = block.parameters
    first = builder.build(Add, [a, b], 32)
    block.end.value = builder.build(Xor, [builder.build(Add, [first, c], 32), first], 32)
    kernel = Kernel("k", blocks=[block])
    one, two = (schedule_kernel(kernel, target, clock) for clock in (20_000, 6_000))
    add, xor = target.delay_ps(first), target.level_ps
    assert one.reachable_clock_ps == target.period_ps(2 * add + xor)
    assert two.blocks[block].length == 3
    assert two.reachable_clock_ps == target.period_ps(add)
