# SPDX-License-Identifier: Apache-2.0
"""Products by powers of two against the exact ones: both ends of the range, and random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Return
from tandem.ir.floats import FORMATS, Format
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, ArgumentOp, FloatOp, constant
from tandem.passes import scale_exponents
from tandem.policy import LEAST_POWER, MOST_POWER

POWERS = range(LEAST_POWER, MOST_POWER + 1)


def kernel_of(kind: str, width: int, factor: int | None, is_first: bool = False) -> Kernel:
    """x and a factor, in one of both orders; of None, x and itself."""
    x = ArgumentOp((), width, {"name": "x"}, name="x")
    other = x if factor is None else constant(factor, width)
    result = OPERATIONS[f"f{width}_{kind}"]([other, x] if is_first else [x, other], width)
    block = Block("entry", ops=[result], end=Return(value=result))
    arguments = [
        Argument("x", ArgumentKind.SCALAR, "in", "float", width, op=x),
        Argument("result", ArgumentKind.SCALAR, "out", "float", width),
    ]
    return Kernel("scaled", arguments=arguments, blocks=[block])


def patterns(form: Format, power: int, random: Random) -> Iterator[int]:
    """Exponents at both ends of the range with fractions at theirs, NaNs and infinities."""
    top = form.infinity >> form.fraction_bits
    least = 1 << form.fraction_bits
    exponents = [*range(abs(power) + 3), top // 2, *range(top - max(power, 0) - 2, top + 1)]
    fractions = [0, 1, 2, 3, least // 2 - 1, least // 2, least // 2 + 1, least - 2, least - 1]
    for exponent in exponents:
        some = [random.randrange(least) >> random.randrange(form.fraction_bits) for _ in range(2)]
        tails = [random.randrange(least) & -(1 << random.randrange(18)) for _ in range(2)]
        for fraction in [*fractions, *some, *tails]:
            yield exponent << form.fraction_bits | fraction | random.choice([0, form.sign])


def check(kernel: Kernel, power: int, random: Random) -> None:
    form = FORMATS[kernel.arguments[0].width]
    numbers = list(patterns(form, power, random))
    wanted = [interpret(kernel, {"x": x}) for x in numbers]
    assert scale_exponents.run(kernel)
    assert not any(isinstance(op, FloatOp) for _, op in kernel.ops())
    assert [interpret(kernel, {"x": x}) for x in numbers] == wanted


@pytest.mark.parametrize("width", FORMATS)
@pytest.mark.parametrize("power", POWERS)
def test_every_power(power: int, width: int) -> None:
    form, random = FORMATS[width], Random(f"{power}, {width}")
    factor = form.bias + power << form.fraction_bits
    inverse = form.bias - power << form.fraction_bits
    for kind, by in (("mul", factor), ("div", inverse)):
        sign = random.choice([0, form.sign])
        check(kernel_of(kind, width, by | sign), power, random)
    check(kernel_of("mul", width, factor, is_first=True), power, random)


@pytest.mark.parametrize("width", FORMATS)
def test_a_number_and_itself(width: int) -> None:
    check(kernel_of("add", width, None), 1, Random(width))


@pytest.mark.parametrize("width", FORMATS)
def test_what_stays(width: int) -> None:
    """Other factors, sums, a power of two that is divided, and what moves a fraction too far."""
    form = FORMATS[width]
    one = form.bias << form.fraction_bits
    least = form.bias + LEAST_POWER - 1 << form.fraction_bits
    most = form.bias + MOST_POWER + 1 << form.fraction_bits
    for factor in (0, form.sign, 1, one + 1, form.infinity, form.nan, least, most):
        assert not scale_exponents.run(kernel_of("mul", width, factor))
    assert not scale_exponents.run(kernel_of("div", width, one, is_first=True))
    assert not scale_exponents.run(kernel_of("add", width, one))
