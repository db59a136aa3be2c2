# SPDX-License-Identifier: Apache-2.0
"""Logic counts bit by bit as the tables that synthesis makes of it, and what surrounds it: control,
ports, memories, and carries that are there already."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tandem.compiler.compile import find_target
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    OPERATIONS,
    Add,
    ArgumentOp,
    Eq,
    Load,
    Op,
    Or,
    Parameter,
    Select,
    Sub,
    ULt,
    constant,
)
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target, tree_lut4
from tandem.schedule.memory_area import picked_lut4
from tandem.schedule.operator_area import operator_lut4
from tandem.schedule.scheduler import schedule_kernel

CLOCK_PS = 10_000
Made = Callable[[Builder, list[Op]], Op]


def area(target: Target, make: Made, clock_ps: int = CLOCK_PS, width: int = 32) -> int:
    """Look-up tables of what is made of some values and bits, without what a kernel that does
    nothing has."""
    return _lut4(target, make, clock_ps, width) - _lut4(target, lambda _, p: p[0], clock_ps, width)


def _lut4(target: Target, make: Made, clock_ps: int, width: int) -> int:
    block = Block("b")
    values = [Parameter((), width, name=f"p{i}") for i in range(6)]
    bits = [Parameter((), 1, name=f"b{i}") for i in range(8)]
    block.parameters = [*values, *bits]
    kernel = Kernel("k", blocks=[block])
    block.end.value = make(Builder(kernel, block), block.parameters)
    return estimate_area(schedule_kernel(kernel, target, clock_ps))["lut4"]


def shifted(builder: Builder, value: Op, bits: list[Op]) -> Op:
    """A shift to the left, a choice for each bit of the amount."""
    for i in reversed(range(len(bits))):
        low = builder.extract(value, 0, value.width - (1 << i))
        further = builder.concat(low, constant(0, 1 << i))
        value = builder.build(Select, [bits[i], further, value], value.width)
    return value


def test_zeros_that_a_shifter_brings_in_lie_in_the_next_stage(target: Target) -> None:
    """Of 16 bits every stage has as many tables at most, and the first two have half of them
    together."""
    stages = 4
    found = area(target, lambda b, p: shifted(b, p[0], p[6 : 6 + stages]), width=16)
    assert 2 * 16 < found <= stages * 16 - 8


def test_conditions_of_a_mask_are_one_bit_for_all(target: Target) -> None:
    def masked(builder: Builder, given: list[Op]) -> Op:
        value, zero = given[0], constant(0, 32)
        for bit in given[6:14]:
            value = builder.build(Select, [bit, zero, value], 32)
        return builder.build(Add, [value, given[1]], 32)

    assert area(target, masked, clock_ps=20_000) == 32 + 32 + tree_lut4(target, 8)


def test_a_register_is_set_to_what_is_known(target: Target) -> None:
    def cleared(builder: Builder, given: list[Op]) -> Op:
        value = builder.build(Select, [given[6], constant(0, 32), given[0]], 32)
        return builder.build(Add, [value, given[1]], 32)

    assert area(target, cleared) == 64
    assert area(target, cleared, clock_ps=6_000) == 32


def test_a_small_comparison_lies_in_the_table_of_a_choice(target: Target) -> None:
    def chosen(builder: Builder, given: list[Op]) -> Op:
        two = builder.extract(given[0], 0, 2)
        is_one = builder.compare(Eq, two, constant(1, 2))
        low = [builder.extract(value, 0, 1) for value in given[1:3]]
        return builder.build(Select, [is_one, *low], 1)

    assert area(target, chosen) == 1


def test_a_difference_tells_which_is_less(target: Target) -> None:
    def both(kind: str, turned: bool) -> Made:
        def make(builder: Builder, given: list[Op]) -> Op:
            a, b = given[:2]
            less = builder.build(Sub, [a, b], 32)
            first, second = (b, a) if turned else (a, b)
            return builder.concat(less, builder.build(OPERATIONS[kind], [first, second], 1))

        return make

    one, two = area(target, both("ult", False)), area(target, both("ult", True))
    equal = round(target.rows["eq"].area(32))
    assert two - one == equal
    assert area(target, both("ule", True)) == one
    assert area(target, both("ule", False)) - one == equal


def test_numbers_that_agree_are_compared_once(target: Target) -> None:
    def compared(*numbers: int) -> Made:
        def make(builder: Builder, given: list[Op]) -> Op:
            return builder.concat(
                *(builder.compare(Eq, given[0], constant(n, 32)) for n in numbers)
            )

        return make

    once = area(target, compared(1))
    assert once == tree_lut4(target, 32)
    assert area(target, compared(1, 2, 3)) <= once + 3


@pytest.mark.parametrize("kind", ["slt", "sle"])
def test_a_comparison_with_zero_is_a_tree(target: Target, kind: str) -> None:
    a = ArgumentOp((), 32)
    assert operator_lut4(target, OPERATIONS[kind]((constant(0, 32), a), 1)) == tree_lut4(target, 32)


def test_ends_in_which_two_numbers_are_alike_do_not_decide(target: Target) -> None:
    block = Block("b")
    builder = Builder(Kernel("k", blocks=[block]), block)
    zero = constant(0, 8)
    a, b = (builder.concat(zero, ArgumentOp((), 16), zero) for _ in range(2))
    inner = [ArgumentOp((), 16) for _ in range(2)]
    assert operator_lut4(target, ULt((a, b), 1)) == operator_lut4(target, ULt(tuple(inner), 1))


def test_a_sum_of_few_bits_with_a_number_is_a_table_each(target: Target) -> None:
    a = ArgumentOp((), 4)
    assert operator_lut4(target, Add((a, constant(5, 4)), 4)) == 4
    assert operator_lut4(target, Add((a, ArgumentOp((), 4)), 4)) > 4


def test_wide_logic_is_made_as_fast_as_can_be(target: Target) -> None:
    wide = Or(tuple(ArgumentOp((), 1) for _ in range(13)), 1)
    assert operator_lut4(target, wide) > 2 * tree_lut4(target, 13)


def test_parts_of_a_memory_are_chosen_by_their_number() -> None:
    """By the widest tables that there are."""
    picked = {
        "ecp5": [0, 1, 2, 4, 5, 9],
        "nexus": [0, 1, 2, 2, 3, 5],
        "ice40up": [0, 1, 2, 3, 4, 7],
    }
    for name, found in picked.items():
        family = find_target(name)
        assert [picked_lut4(family, parts) for parts in (1, 2, 3, 4, 5, 8)] == found


def test_a_port_of_a_memory_in_look_up_tables(target: Target) -> None:
    def read(depth: int) -> int:
        block = Block("b")
        kernel = Kernel("k", blocks=[block])
        memory = kernel.add_memory(Memory("m", MemoryKind.RAM, 8, depth))
        index = Parameter((), 6)
        block.parameters = [index]
        builder = Builder(kernel, block)
        block.end.value = builder.build(Load, [index], 8, memory=memory)
        return estimate_area(schedule_kernel(kernel, target, CLOCK_PS))["lut4"]

    assert read(64) - read(16) == 8 * 4 + 4
