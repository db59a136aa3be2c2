# SPDX-License-Identifier: Apache-2.0
"""What LLVM's floating-point instructions become, folded for numbers of every kind and compared
with the host's own."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tandem.frontend import floats
from tandem.frontend.floats import FUNCTIONS, build_arithmetic, build_conversion
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.floats import Format
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, constant
from tandem.llvm.opcodes import Opcode
from test_floats import FORMATS, number, pattern, special

ORDERS = {"equal": 1, "greater": 2, "less": 4, "unordered": 8}
KINDS = ("infinite", "normal", "subnormal", "zero")
PREDICATES = range(16)


def builder() -> Builder:
    return Builder(Kernel("k", blocks=[block := Block("b")]), block)


def bits(value: float, form: Format) -> Op:
    kind = np.float32 if form.bits == 32 else np.float64
    return constant(pattern(kind(value), form), form.bits)


def order(a: np.floating, b: np.floating) -> str:
    if np.isnan(a) or np.isnan(b):
        return "unordered"
    return "equal" if a == b else "less" if a < b else "greater"


@pytest.mark.parametrize("kind", FORMATS)
def test_comparisons(kind: str) -> None:
    form, make = FORMATS[kind], builder()
    for a, b in product(special(form), repeat=2):
        relation = ORDERS[order(number(a, form), number(b, form))]
        operands = constant(a, form.bits), constant(b, form.bits)
        found = [floats.compare(make, predicate, *operands).value for predicate in PREDICATES]
        assert found == [int(predicate & relation > 0) for predicate in PREDICATES], (a, b)


def class_of(value: int, form: Format) -> int:
    """The number of LLVM's bit for it."""
    fraction = value & (1 << form.fraction_bits) - 1
    exponent = (value & ~form.sign) >> form.fraction_bits
    most = (1 << form.exponent_bits) - 1
    if exponent == most and fraction:
        return fraction >> form.fraction_bits - 1
    name = "infinite" if exponent == most else "normal" if exponent else "subnormal"
    place = KINDS.index(name if exponent or fraction else "zero")
    return 2 + place if value & form.sign else 9 - place


@pytest.mark.parametrize("kind", FORMATS)
def test_classes(kind: str) -> None:
    form, make = FORMATS[kind], builder()
    signalling = form.infinity + 1
    for value in [*special(form), signalling, signalling | form.sign]:
        own = class_of(value, form)
        for bit in range(10):
            asked = floats.is_of_class(make, constant(value, form.bits), 1 << bit)
            assert asked.value == (bit == own), (hex(value), bit)
    assert floats.is_of_class(make, constant(1, form.bits), 0).value == 0


@pytest.mark.parametrize(
    ("name", "host"), [("fmin", np.fmin), ("maxnum", np.fmax), ("copysign", np.copysign)]
)
@pytest.mark.parametrize("kind", FORMATS)
def test_functions_of_two(kind: str, name: str, host: np.ufunc) -> None:
    form, make = FORMATS[kind], builder()
    for a, b in product(special(form), repeat=2):
        count, build = FUNCTIONS[name]
        made = build(make, [constant(a, form.bits), constant(b, form.bits)], form.bits)
        wanted = host(number(a, form), number(b, form))
        found = number(made.value, form)
        assert count == 2
        if name == "copysign":
            assert (made.value ^ b) & form.sign == 0 and (made.value ^ a) & ~form.sign == 0
        else:
            assert found == wanted or (np.isnan(found) and np.isnan(wanted)), (a, b)


@pytest.mark.parametrize("kind", FORMATS)
def test_signs(kind: str) -> None:
    form, make = FORMATS[kind], builder()
    for value in special(form):
        op = constant(value, form.bits)
        assert build_arithmetic(make, Opcode.FNEG, [op]).value == value ^ form.sign
        assert FUNCTIONS["fabs"][1](make, [op], form.bits).value == value & ~form.sign


@pytest.mark.parametrize("kind", FORMATS)
def test_sums_products_and_rounding(kind: str) -> None:
    form, make = FORMATS[kind], builder()
    seven, half = bits(7, form), bits(2.5, form)
    opcodes = {Opcode.FADD: 9.5, Opcode.FSUB: 4.5, Opcode.FMUL: 17.5, Opcode.FDIV: 2.8}
    for opcode, wanted in opcodes.items():
        assert build_arithmetic(make, opcode, [seven, half]).value == bits(wanted, form).value
    fused = FUNCTIONS["fmuladd"][1](make, [seven, half, bits(-1, form)], form.bits)
    assert fused.value == bits(16.5, form).value
    rounded = {name: FUNCTIONS[name][1](make, [half], 64).value for name in ("lrint", "llround")}
    assert rounded == {"lrint": 2, "llround": 3}


@pytest.mark.parametrize("kind", FORMATS)
def test_conversions_of_few_bits(kind: str) -> None:
    """By way of integers that have cores; of more bits than any, there is no conversion."""
    form, make = FORMATS[kind], builder()
    pattern_of_200 = constant(200, 8)
    assert build_conversion(make, Opcode.UI_TO_FP, pattern_of_200, form.bits) is not None
    for opcode, wanted in ((Opcode.UI_TO_FP, 200), (Opcode.SI_TO_FP, -56)):
        made = build_conversion(make, opcode, pattern_of_200, form.bits)
        assert made is not None and made.value == bits(wanted, form).value
    for opcode, value, width, wanted in (
        (Opcode.FP_TO_SI, -3.75, 8, 0xFD),
        (Opcode.FP_TO_UI, 200.5, 8, 200),
        (Opcode.FP_TO_UI, 2.0**32, 33, 1 << 32),
    ):
        made = build_conversion(make, opcode, bits(value, form), width)
        assert made is not None and (made.width, made.value) == (width, wanted)
    assert build_conversion(make, Opcode.FP_TO_SI, bits(1, form), 128) is None
    assert build_conversion(make, Opcode.SI_TO_FP, constant(1, 65), form.bits) is None
