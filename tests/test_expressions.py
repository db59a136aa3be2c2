# SPDX-License-Identifier: Apache-2.0
"""Single expressions that LLVM recognises as something of its own: C, IR and RTL agree."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
EXPRESSIONS = {
    "saturated_difference": ("uint32_t", "uint16_t", "a > b ? a - b : 0"),
    "saturated_sum": ("uint8_t", "uint8_t", "a + b > 255 ? 255 : a + b"),
    "saturated_signed": (
        "int16_t",
        "int16_t",
        "a + b > 32767 ? 32767 : a + b < -32768 ? -32768 : a + b",
    ),
    "three_way": ("int", "int32_t", "(a > b) - (a < b)"),
    "three_way_unsigned": ("int", "uint16_t", "a == b ? 0 : a < b ? -1 : 1"),
    "overflow": ("uint32_t", "uint32_t", "a && (uint32_t)(a * b) / a != b ? 0xffffffffu : a * b"),
    "carry": ("uint64_t", "uint64_t", "a + b + (a + b < a)"),
    "minimum": ("int8_t", "int8_t", "a < b ? a : b"),
    "maximum": ("uint64_t", "uint64_t", "a < b ? b : a"),
    "magnitude": ("int32_t", "int16_t", "a < 0 ? -a : a"),
    "rotation": ("uint32_t", "uint32_t", "a << (b & 31) | a >> (-b & 31)"),
    "swapped": (
        "uint32_t",
        "uint32_t",
        "a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24",
    ),
    "single_bit": ("_Bool", "uint32_t", "a && !(a & (a - 1))"),
    "average": ("int16_t", "int16_t", "((int32_t)a + b) / 2"),
    "rounded": ("int32_t", "int32_t", "(a >> 3) / 10 * 7 - b % 13"),
    "quotient": ("uint16_t", "uint16_t", "b ? a / b : 0xffff"),
    "signed_quotient": ("int16_t", "int8_t", "b ? a / b + a % b : -1"),
    "high_half": ("int64_t", "int64_t", "(int64_t)((__int128)a * b >> 64)"),
    "wide_shift": (
        "uint64_t",
        "uint64_t",
        "(uint64_t)(((unsigned __int128)a << 64 | b) >> (a & 63))",
    ),
    "truth": ("_Bool", "_Bool", "a != b || !a"),
}


def _edges(kind: str) -> list[int]:
    bits = 1 if kind == "_Bool" else int(kind.strip("uint_"))
    if bits == 1:
        return [0, 1]
    half = 1 << bits - 1
    return [0, 1, 2, half - 1, half, half + 1, 2 * half - 1]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression(name: str, target: Target, tmp_path: Path) -> None:
    result, kind, text = EXPRESSIONS[name]
    source = tmp_path / f"{name}.c"
    source.write_text(
        f"#include <stdint.h>\n{result} {name}({kind} a, {kind} b)\n{{\n    return {text};\n}}\n"
    )
    built = build(source, name, target, CLOCK_PS, tmp_path, slower_clock=True)
    random = Random(name)
    top = max(_edges(kind))
    pairs = list(product(_edges(kind), repeat=2))
    pairs += [(random.randint(0, top), random.randint(0, top)) for _ in range(20)]
    for a, b in pairs:
        check(built, {"a": a, "b": b})
    assert built.rows[-1]["direction"] == "out"
