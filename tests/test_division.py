# SPDX-License-Identifier: Apache-2.0
"""Division by known divisors: every dividend and divisor of few bits, the edges of many."""

from __future__ import annotations

from random import Random

import pytest
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Return
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import ArgumentOp, Divide, Division, Mul, Op, Select, constant, mask
from tandem.passes import expand_division, split_wide
from tandem.passes.expand_division import reciprocal
from tandem.passes.reassociate import Timing

WIDTHS = range(1, 7)
DIVISIONS = Division.__subclasses__()


def divided(kind: type[Op], width: int, divisor: int) -> Kernel:
    """x / divisor or its remainder."""
    x = ArgumentOp((), width, {"name": "x"}, name="x")
    result = kind([x, constant(divisor, width)], width)
    block = Block("entry", ops=[result], end=Return(value=result))
    arguments = [
        Argument("x", ArgumentKind.SCALAR, "in", "int", width, op=x),
        Argument("result", ArgumentKind.SCALAR, "out", "int", width),
    ]
    return Kernel("divided", arguments=arguments, blocks=[block])


def right(kind: type[Op], width: int, divisor: int, dividends: list[int]) -> bool:
    kernel = divided(kind, width, divisor)
    expand_division.run(kernel)
    assert not any(isinstance(op, Division) for _, op in kernel.ops())
    evaluate = kind.evaluate
    assert evaluate is not None
    wanted = [evaluate([x, divisor], [width, width], width) & mask(width) for x in dividends]
    return [interpret(kernel, {"x": x}) for x in dividends] == wanted


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", DIVISIONS, ids=lambda kind: kind.slug)
def test_every_dividend_and_divisor(kind: type[Op], width: int) -> None:
    for divisor in range(1 << width):
        assert right(kind, width, divisor, list(range(1 << width))), divisor


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("kind", DIVISIONS, ids=lambda kind: kind.slug)
def test_edges(kind: type[Op], width: int) -> None:
    random = Random(f"{kind.slug}{width}")
    top = 1 << width
    for divisor in [3, 7, 10, 641, 1000, top // 2 - 1, top // 2, top // 2 + 1, top - 7, top - 1]:
        near = [
            k * divisor + e for k in (1, 2, top // divisor, top // divisor // 2) for e in (-1, 0, 1)
        ]
        ends = [0, 1, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1]
        any_ = [random.randrange(top) for _ in range(50)]
        values = [x % top for x in [*near, *(-x for x in near), *ends, *any_]]
        assert right(kind, width, divisor, values), divisor


def test_a_power_of_two_needs_no_multiplier() -> None:
    for kind in DIVISIONS:
        for divisor in (1, 2, 64, 1 << 15):
            kernel = divided(kind, 16, divisor)
            expand_division.run(kernel)
            assert not any(isinstance(op, (Mul, Select)) for _, op in kernel.ops())


def test_a_chain_of_steps_is_what_a_divider_gives() -> None:
    for bits, width in ((1, 1), (5, 3), (3, 5)):
        a, b = ArgumentOp((), bits, name="a"), ArgumentOp((), width, name="b")
        both = Divide([a, b], bits + width)
        block = Block("entry", ops=[both], end=Return(value=both))
        arguments = [
            Argument("a", ArgumentKind.SCALAR, "in", "int", bits, op=a),
            Argument("b", ArgumentKind.SCALAR, "in", "int", width, op=b),
            Argument("result", ArgumentKind.SCALAR, "out", "int", bits + width),
        ]
        kernel = Kernel("divided", arguments=arguments, blocks=[block])
        numbers = [{"a": x, "b": y} for x in range(1 << bits) for y in range(1 << width)]
        before = [interpret(kernel, n) for n in numbers]
        split_wide.run(kernel, Timing(lambda op: 10 * (isinstance(op, Divide)), 1, 5))
        assert all(not isinstance(op, Divide) for _, op in kernel.ops())
        assert [interpret(kernel, n) for n in numbers] == before


def test_the_factor_of_a_reciprocal_is_one_bit_wider_than_the_dividend_at_most() -> None:
    for divisor in range(1, 300):
        factor, shift = reciprocal(divisor, mask(8))
        assert factor.bit_length() <= 9
        assert all(x * factor >> shift == x // divisor for x in range(1 << 8))
