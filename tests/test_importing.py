# SPDX-License-Identifier: Apache-2.0
"""LLVM's text means in a kernel what LLVM says."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import llvmlite.binding as llvmlite
import pytest
from tandem.diagnostics import Place
from tandem.frontend.importer import import_kernel
from tandem.frontend.vectors import without_vectors
from tandem.ir.interpreter import interpret
from tandem.ir.ops import signed

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "sgt": lambda a, b: signed(a, 3) > signed(b, 3),
    "sge": lambda a, b: signed(a, 3) >= signed(b, 3),
    "slt": lambda a, b: signed(a, 3) < signed(b, 3),
    "sle": lambda a, b: signed(a, 3) <= signed(b, 3),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_comparison_of_integers_is_taken(name: str) -> None:
    text = f"define i1 @f(i3 %x, i3 %y) {{\n  %c = icmp {name} i3 %x, %y\n  ret i1 %c\n}}\n"
    kernel = import_kernel(text, "f", Place("f.c", 1))
    for x, y in product(range(8), range(8)):
        assert interpret(kernel, {"x": x, "y": y}) == COMPARISONS[name](x, y), (x, y)


def test_which_parameters_are_signed() -> None:
    parameters = "i8 signext %a, i16 zeroext %b, ptr %p, i16 signext %c, i1 zeroext %d, float %e"
    text = f"define signext i8 @f({parameters}) {{\n  ret i8 %a\n}}\n"
    kernel = import_kernel(text, "f", Place("f.c", 1))
    types = {argument.name: argument.c_type for argument in kernel.arguments}
    assert types.pop("result") == "int8_t"
    assert types == {
        **{"a": "int8_t", "b": "uint16_t", "p": "void *"},
        **{"c": "int16_t", "d": "_Bool", "e": "float"},
    }
    assert [argument.name for argument in kernel.arguments if argument.signed] == ["a", "c"]


@pytest.mark.parametrize(
    "line",
    [
        "%u = call { <2 x i8>, <2 x i1> } @llvm.uadd.with.overflow.v2i8(<2 x i8> %v, <2 x i8> %v)",
        "%u = getelementptr i8, <2 x ptr> poison, <2 x i8> %v",
        '%u = call <2 x i8> asm "", "=r"()',
    ],
)
def test_unknown_vectors_stay(line: str) -> None:
    """What is done with vectors otherwise is told by what reads the module."""
    head = "%pair = type { i8, i32 }\ndeclare <2 x i8> @other(%pair)\n"
    body = f"define i32 @f(i32 %x, <2 x i8> %v) {{\n  {line}\n  ret i32 %x\n}}\n"
    assert "<2 x i8> %v" in str(without_vectors(llvmlite.parse_assembly(head + body)))
