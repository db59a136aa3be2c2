# SPDX-License-Identifier: Apache-2.0
"""Loops that shift: the same values before and after they become one shift, whatever ends them."""

from __future__ import annotations

from itertools import product

import pytest
from tandem.ir.interpreter import interpret
from tandem.ir.parser import parse
from tandem.ir.verifier import verify
from tandem.passes import loop_idioms

KERNEL = """tandem-ir 1
kernel @f
  argument @m : scalar in i8 "uint8_t"
  argument @e : scalar in i8 "uint8_t"
  argument @result : scalar out i32 "uint32_t"
^b0:
  jump ^b1(@m, @e, @e)
^b1(%0:i8, %1:i8, %2:i8):
  {shift}
  %5 = add %1, {step}:i8 : i8
  %6 = extract %5 {{low=0}} : i4
  {test}
  %9 = {bound} : i1
  %10 = and %8, %9 : i1
  branch %10, ^b1(%4, %5, %2), ^b2(%4)
^b2(%11:i8):
  %12 = concat %11, %5, %0, %2 : i32
  return %12
"""
SHIFTS = {
    "left": "%3 = extract %0 {low=0} : i7\n  %4 = concat %3, 0:i1 : i8",
    "right": "%3 = extract %0 {low=1} : i7\n  %4 = concat 0:i1, %3 : i8",
}
TESTS = {
    "highest": "%7 = extract %4 {low=7} : i1\n  %8 = xor %7, 1:i1 : i1",
    "lowest": "%7 = extract %0 {low=0} : i1\n  %8 = xor %7, 1:i1 : i1",
    "while set": "%7 = extract %0 {low=3} : i3\n  %8 = ne %7, 0:i3 : i1",
    "below": "%8 = ult %0, 32:i8 : i1",
    "not below": "%8 = ult 15:i8, %4 : i1",
}
BOUNDS = {"counter": "ne %5, 7:i8", "long": "ult 1:i8, %5"}


PAIRS = [pair for pair in product(SHIFTS, TESTS) if pair != ("right", "highest")]
"""What is shifted to the right never reaches the highest bit."""


@pytest.mark.parametrize(("shift", "test"), PAIRS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_values_stay(shift: str, test: str, bound: str) -> None:
    text = KERNEL.format(shift=SHIFTS[shift], test=TESTS[test], bound=BOUNDS[bound], step=255)
    before, after = parse(text), parse(text)
    assert loop_idioms.run(after)
    verify(after, "loop-idioms")
    for m, e in product(range(0, 256, 3), (0, 1, 2, 3, 7, 8, 9, 20, 255)):
        values = {"m": m, "e": e}
        assert interpret(before, values) == interpret(after, values), values


def test_what_only_an_accident_would_end_stays_a_loop() -> None:
    text = KERNEL.format(
        shift=SHIFTS["left"], test=TESTS["highest"], bound="ult %6, 9:i4", step=255
    )
    kernel = parse(text)
    assert not loop_idioms.run(kernel)
    assert any(block.is_loop for block in kernel.blocks)
