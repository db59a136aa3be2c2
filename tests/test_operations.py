# SPDX-License-Identifier: Apache-2.0
"""What each operation means, said once more: the interpreter and the folding builder have the same
table, so that neither would notice a wrong row of it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import trunc

import pytest
from tandem.frontend.instructions import build_intrinsic
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Return
from tandem.ir.builder import Builder
from tandem.ir.floats import FLOATS
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, And, ArgumentOp, Mul, constant, mask, signed

BITS = 4
ALL = range(1 << BITS)


def plus(x: int) -> int:
    """The number that a pattern is with its sign: bit by bit."""
    return sum((x >> i & 1) << i for i in range(BITS - 1)) - ((x >> BITS - 1 & 1) << BITS - 1)


def quotient(a: int, b: int, otherwise: int) -> int:
    return trunc(Fraction(a, b)) if b else otherwise


MEANINGS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a - -b,
    "sub": lambda a, b: a + ~b + 1,
    "mul": lambda a, b: sum(a << i for i in range(BITS) if b >> i & 1),
    "and": lambda a, b: sum(1 << i for i in range(BITS) if a >> i & b >> i & 1),
    "or": lambda a, b: sum(1 << i for i in range(BITS) if (a >> i & 1) + (b >> i & 1)),
    "xor": lambda a, b: sum(1 << i for i in range(BITS) if a >> i & 1 != b >> i & 1),
    "udiv": lambda a, b: quotient(a, b, mask(BITS)),
    "urem": lambda a, b: a - b * quotient(a, b, 0),
    "sdiv": lambda a, b: quotient(plus(a), plus(b), 1 if plus(a) < 0 else -1),
    "srem": lambda a, b: plus(a) - plus(b) * quotient(plus(a), plus(b), 0),
    "shl": lambda a, b: a * 2**b,
    "lshr": lambda a, b: a // 2**b,
    "ashr": lambda a, b: plus(a) // 2**b,
    "eq": lambda a, b: not a ^ b,
    "ne": lambda a, b: bool(a ^ b),
    "ult": lambda a, b: max(0, b - a) > 0,
    "ule": lambda a, b: max(0, a - b) == 0,
    "slt": lambda a, b: max(0, plus(b) - plus(a)) > 0,
    "sle": lambda a, b: max(0, plus(a) - plus(b)) == 0,
    "concat": lambda a, b: a * 2**BITS + b,
}


@pytest.mark.parametrize("name", MEANINGS)
def test_an_operation_means_what_it_says(name: str) -> None:
    row = OPERATIONS[name]
    width = {"bit": 1, "same": BITS}.get(row.rule, 2 * BITS if name == "concat" else BITS)
    assert row.evaluate is not None and row.arity in (2, None)
    for a, b in product(ALL, ALL):
        found = row.evaluate((a, b), (BITS, BITS), width) & mask(width)
        assert found == MEANINGS[name](a, b) & mask(width), (a, b)


def test_a_sign_is_the_highest_bit() -> None:
    assert [signed(x, BITS) for x in ALL] == [plus(x) for x in ALL]
    assert mask(BITS) == sum(2**i for i in range(BITS))


@pytest.mark.parametrize(("condition", "wanted"), [(1, 5), (0, 9)])
def test_a_select_takes_the_second_operand_for_1(condition: int, wanted: int) -> None:
    select = OPERATIONS["select"].evaluate
    assert select is not None
    assert select((condition, 5, 9), (1, BITS, BITS), BITS) == wanted


def test_quotient_and_remainder_of_one_division() -> None:
    """By zero as by subtracting bit after bit, with a divisor of fewer bits than the dividend."""
    divide = OPERATIONS["divide"].evaluate
    assert divide is not None
    for a, b in product(ALL, range(1, 4)):
        assert divide((a, b), (BITS, 2), 6) == (a % b) << BITS | a // b
    assert divide((0b1011, 0), (BITS, 2), 6) == 0b11 << BITS | (0b10 ^ mask(BITS))


def test_nothing_is_left_out() -> None:
    """What has a meaning in numbers, apart from floating-point ones, is tested here."""
    others = {"select", "divide"}
    told = {name for name, row in OPERATIONS.items() if row.evaluate is not None}
    assert told - FLOATS.keys() == MEANINGS.keys() | others


@pytest.mark.parametrize("places", [(0, 4), (0, 2, 5), (3, 7), (1, 2, 6)])
def test_bits_that_stand_alone_times_a_constant(places: tuple[int, ...]) -> None:
    """Folded or not, a product is the same number."""
    x = ArgumentOp((), 8, name="x")
    kept = sum(1 << place for place in places)
    for factor in range(1 << 8):
        block = Block("b0")
        kernel = Kernel("top", blocks=[block])
        builder = Builder(kernel, block)
        some = builder.logic(And, [x, constant(kept, 8)])
        made = builder.build(Mul, [some, constant(factor, 8)], 8)
        block.end = Return(value=made)
        kernel.arguments = [
            Argument("x", ArgumentKind.SCALAR, "in", "uint8_t", 8, op=x),
            Argument("result", ArgumentKind.SCALAR, "out", "uint8_t", 8),
        ]
        for number in (0, kept, kept & 0x0F, kept & 0xF0, 0xFF):
            assert interpret(kernel, {"x": number}) == (number & kept) * factor & mask(8)


LEAST, MOST = -(1 << BITS - 1), (1 << BITS - 1) - 1


def digits(x: int) -> str:
    return f"{x:0{BITS}b}"


def window(high: int, low: int, start: int) -> int:
    """A number's digits of both numbers behind each other, from one on."""
    return int((digits(high) + digits(low))[start : start + BITS], 2)


INTRINSICS: dict[str, Callable[..., int]] = {
    "uadd.sat": lambda a, b: min(a + b, mask(BITS)),
    "usub.sat": lambda a, b: max(a - b, 0),
    "sadd.sat": lambda a, b: max(LEAST, min(plus(a) + plus(b), MOST)),
    "ssub.sat": lambda a, b: max(LEAST, min(plus(a) - plus(b), MOST)),
    "umin": min,
    "umax": max,
    "smin": lambda a, b: min(a, b, key=plus),
    "smax": lambda a, b: max(a, b, key=plus),
    "ucmp": lambda a, b: (a > b) - (a < b),
    "scmp": lambda a, b: (plus(a) > plus(b)) - (plus(a) < plus(b)),
    "abs": lambda a, _: abs(plus(a)),
    "fshl": lambda a, b: window(a, b, b % BITS),
    "fshr": lambda a, b: window(a, b, BITS - b % BITS),
    "bitreverse": lambda a, _: int(digits(a)[::-1], 2),
    "ctpop": lambda a, _: digits(a).count("1"),
    "ctlz": lambda a, _: len(digits(a).partition("1")[0]),
    "cttz": lambda a, _: len(digits(a).rpartition("1")[2]) if a else BITS,
}
"""The amount of a funnel shift is the lower number."""


@pytest.mark.parametrize("name", INTRINSICS)
def test_an_intrinsic_means_what_llvm_says(name: str) -> None:
    block = Block("b0")
    builder = Builder(Kernel("f", blocks=[block]), block)
    for a, b in product(ALL, ALL):
        parts = [constant(a, BITS), constant(b, BITS), constant(b, BITS)]
        made = build_intrinsic(
            builder, f"llvm.{name}", parts if name[0] == "f" else parts[:2], BITS
        )
        assert made.value == INTRINSICS[name](a, b) & mask(BITS), (a, b)
