# SPDX-License-Identifier: Apache-2.0
"""Outer iterations that take turns: nearly an inner iteration a cycle, and only where none reaches
what another one stores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from agreement import Build, build, check
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
SIZE = 32
MOST_OVERHEAD = 1.03
PRODUCT = """
void top(const double a[32][32], const double b[32][32], double c[32][32])
{
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
            double sum = 0;
            for (int k = 0; k < 32; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
"""
ROWS = """
void top(const double a[1024], const double b[1024], double c[1024])
{{
    for (int i = 0; i < 32; i++) {{
        double sum = a[i];
        for (int k = 0; k < 32; k++)
            {}
        c[32 * i] = sum;
    }}
}}
"""
APART = {
    "kept_in_memory": ROWS.format("c[32 * i + k] = sum += a[k] * b[32 * i + k];"),
    "from_its_own_row": ROWS.format("sum += c[32 * i + k] * b[k];"),
}
TWO_SIZES = """
#pragma tandem inline
static void sums(const double *a, const double *b, double *c, int rows, int columns)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = 0; k < columns; k++)
            sum += a[k] * b[i * columns + k];
        c[i] = sum;
    }
}
#pragma tandem extent(c, 1024)
void top(const double a[1024], const double b[1024], double *c)
{
    sums(a, b, c, 32, 32);
    sums(a, b + 200, c + 32, 6, 80);
    sums(a, b + 7, c + 64, 7, 64);
}
"""
AROUND = """
#pragma tandem extent(a, 512)
#pragma tandem extent(x, 4096)
void top(const double *a, double *x)
{
    for (int g = 0; g < 40; g++)
        for (int i = 0; i < ROWS; i++) {
            double sum = x[i + STEP * g];
            for (int k = 0; k < 70; k++)
                sum += a[k & 63];
            x[i + STEP * g] = sum;
        }
}
"""
TOGETHER = {
    "from_the_row_before": ROWS.format("sum += c[(32 * i + k) >> 1] * b[k];"),
    "into_the_next_one": ROWS.format("c[i + k] = sum += a[k] * b[k];"),
    "as_long_as_its_number": ROWS.replace("k < 32", "k <= i").format(
        "sum += a[k] * b[32 * i + k];"
    ),
    "as_long_as_it_is_small": ROWS.replace("k < 32", "k < 32 && sum < 1").format("sum += a[k];"),
    "of_all_rows": ROWS.replace("double sum = a[i];", "")
    .replace("{{\n    for", "{{\n    double sum = 0;\n    for", 1)
    .format("sum += a[k] * b[32 * i + k];"),
}
"""Nests whose outer iterations are not to change places."""


def made(text: str, target: Target, folder: Path) -> Build:
    source = folder / "top.c"
    source.write_text(text)
    return build(source, "top", target, CLOCK_PS, folder)


def cycles(built: Build) -> int:
    """Of a call whose results agree everywhere."""
    numbers = np.random.default_rng(1)
    data = {n: numbers.standard_normal(SIZE * SIZE).tobytes() for n in "abc"}
    return check(built, data).cycles


def turns(built: Build) -> int:
    return max(block.interleaved for block in built.finished.blocks)


def test_a_product_of_matrices_takes_a_term_a_cycle(target: Target, tmp_path: Path) -> None:
    built = made(PRODUCT, target, tmp_path)
    assert turns(built) > 1
    assert cycles(built) <= MOST_OVERHEAD * SIZE**3


def test_one_loop_in_several_places(target: Target, tmp_path: Path) -> None:
    built = made(TWO_SIZES, target, tmp_path)
    assert turns(built) > 1
    cycles(built)


@pytest.mark.parametrize("name", APART)
def test_rows_that_have_nothing_to_do_with_each_other(
    name: str, target: Target, tmp_path: Path
) -> None:
    built = made(APART[name], target, tmp_path)
    assert turns(built) > 1
    assert cycles(built) <= 2.1 * SIZE**2


@pytest.mark.parametrize("name", TOGETHER)
def test_rows_that_wait_for_each_other(name: str, target: Target, tmp_path: Path) -> None:
    built = made(TOGETHER[name], target, tmp_path)
    assert turns(built) == 1
    cycles(built)


@pytest.mark.parametrize(("rows", "step"), [(16, 9), (32, 9), (16, 8)])
def test_an_entry_waits_for_what_the_one_before_it_stores_elsewhere(
    rows: int, step: int, target: Target, tmp_path: Path
) -> None:
    text = AROUND.replace("ROWS", str(rows)).replace("STEP", str(step))
    built = made(text, target, tmp_path)
    assert turns(built) > 1
    numbers = np.random.default_rng(1)
    check(built, {"a": numbers.random(64).tobytes(), "x": numbers.random(512).tobytes()})
