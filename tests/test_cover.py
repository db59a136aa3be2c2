# SPDX-License-Identifier: Apache-2.0
"""Logic of a few inputs a bit counts as the one table that synthesis makes of it."""

from __future__ import annotations

from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, And, Op, Parameter, Xor
from tandem.schedule.area import estimate_area
from tandem.schedule.cover import covers_of
from tandem.schedule.delays import Target
from tandem.schedule.scheduler import schedule_kernel

CLOCK_PS = 10_000


def parameters(count: int) -> list[Op]:
    return [Parameter((), 32, name=f"p{i}") for i in range(count)]


def choice_of_bits(builder: Builder, a: Op, b: Op, c: Op) -> Op:
    """Bits of `b` where `a` is set, else of `c`: three operations of three inputs a bit."""
    yes = builder.logic(And, [a, b])
    no = builder.logic(And, [builder.invert(a), c])
    return builder.logic(Xor, [yes, no])


def test_three_operations_are_one_table(target: Target) -> None:
    block = Block("b")
    a, b, c, d, e = block.parameters = parameters(5)
    builder = Builder(Kernel("k", blocks=[block]), block)
    chosen = choice_of_bits(builder, a, b, c)
    four = builder.logic(Xor, [chosen, d])
    five = builder.logic(Xor, [four, e])
    covers = covers_of(block, target)
    assert set(covers[chosen].reads) == {a, b, c}
    assert set(covers[four].reads) == {a, b, c, d}
    assert set(covers[five].reads) == {four, e}
    assert covers[four].delay_ps == target.delay_ps(four)


def test_a_table_counts_once(target: Target) -> None:
    block = Block("b")
    kernel = Kernel("k", blocks=[block])
    block.parameters = parameters(3)
    block.end.value = block.parameters[0]
    nothing = estimate_area(schedule_kernel(kernel, target, CLOCK_PS))["lut4"]
    block.end.value = choice_of_bits(Builder(kernel, block), *block.parameters)
    assert estimate_area(schedule_kernel(kernel, target, CLOCK_PS))["lut4"] - nothing == 32


def test_a_sum_keeps_its_operands(target: Target) -> None:
    block = Block("b")
    a, b, c = block.parameters = parameters(3)
    builder = Builder(Kernel("k", blocks=[block]), block)
    total = builder.build(Add, [builder.logic(And, [a, b]), c], 32)
    assert total not in covers_of(block, target)
