# SPDX-License-Identifier: Apache-2.0
"""Zero-tests of shifted numbers mean the same under a mask, whatever the widths are."""

from __future__ import annotations

from random import Random

import pytest
from tandem import policy
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Return
from tandem.ir.builder import Builder
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, ArgumentOp, Shift, constant
from tandem.ir.verifier import verify
from tandem.passes import mask_tests

WIDEST_BITS, WIDEST_AMOUNT_BITS = 70, 8
CALLS = 12


def _kernel(shift: str, test: str, width: int, amount_width: int) -> Kernel:
    block = Block("b")
    kernel = Kernel("k", blocks=[block])
    builder = Builder(kernel, block)
    value, amount = ArgumentOp((), width, name="x"), ArgumentOp((), amount_width, name="n")
    shifted = builder.raw(
        OPERATIONS[shift], [value, builder.resize(amount, max(width, amount_width))], width
    )
    wanted = builder.raw(OPERATIONS[test], [shifted, constant(0, width)], 1)
    block.end = Return(value=builder.resize(wanted, 8))
    kernel.arguments = [
        Argument("x", ArgumentKind.SCALAR, "in", "uint64_t", width, op=value),
        Argument("n", ArgumentKind.SCALAR, "in", "uint8_t", amount_width, op=amount),
        Argument("result", ArgumentKind.SCALAR, "out", "uint8_t", 8),
    ]
    return kernel


@pytest.mark.parametrize("seed", range(100))
def test_a_mask_asks_for_what_a_shift_leaves(seed: int) -> None:
    random = Random(seed)
    width = random.randrange(policy.MASKED_BITS, WIDEST_BITS)
    amount_width = random.randrange(1, WIDEST_AMOUNT_BITS + 1)
    shape = random.choice(["shl", "lshr"]), random.choice(["eq", "ne"]), width, amount_width
    before, after = _kernel(*shape), _kernel(*shape)
    assert mask_tests.run(after)
    verify(after)
    assert not any(isinstance(op, Shift) for _, op in after.ops())
    for _ in range(CALLS):
        numbers = random.choice([random.getrandbits(width), 1 << random.randrange(width), 0])
        call = {"x": numbers, "n": random.getrandbits(amount_width)}
        assert interpret(after, call) == interpret(before, call), call
