# SPDX-License-Identifier: Apache-2.0
"""Products among the constants of an older LLVM, which become numbers before its IR is read."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest
from tandem.languages.older_llvm import without_products

TYPES = """target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i32, i64 }
%"of, two" = type { %pair, [2 x ptr] }
"""


def size(kind: str) -> str:
    return f"i64 ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"


@pytest.mark.parametrize(
    ("product", "number"),
    [
        ("mul (i64 3, i64 4)", 12),
        ("mul nsw (i64 3, i64 -4)", -12),
        ("mul nuw nsw (i64 3, i64 4)", 12),
        (f"mul (i64 5, {size('i32')})", 20),
        (f"mul ({size('double')}, {size('i16')})", 16),
        (f"mul ({size('%pair')}, i64 3)", 48),
        (f"mul ({size('[3 x { i16, ptr }]')}, i64 2)", 96),
        (f"mul ({size('<{ i8, [3 x i16], ptr }>')}, i64 1)", 15),
        (f"""mul ({size('%"of, two"')}, i64 2)""", 64),
        (f"mul (i64 mul ({size('i8')}, i64 6), i64 mul (i64 2, i64 3))", 36),
    ],
)
def test_a_product_is_a_number(product: str, number: int) -> None:
    """However deep, and of whatever sizes; what is made can be read."""
    text = f"{TYPES}@several = global [2 x i64] [i64 {product}, i64 {product}]"
    made = without_products(text)
    assert made == f"{TYPES}@several = global [2 x i64] [i64 {number}, i64 {number}]"
    llvm.parse_assembly(made)


@pytest.mark.parametrize(
    "text",
    [
        '@text = constant [18 x i8] c"mul (i64 3, i64 4)"',
        '@"mul (i64 3, i64 4)" = global i64 1',
        """; it's "one, mul (i64 3, i64 4)""",
        "@one = global i64 mul (i64 ptrtoint (ptr @other to i64), i64 2)",
    ],
)
def test_what_is_no_product_of_numbers_stays(text: str) -> None:
    """In texts, names and comments, and where a factor is not known."""
    assert without_products(text) == text
