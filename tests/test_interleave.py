# SPDX-License-Identifier: Apache-2.0
"""Outer iterations that take turns: nearly an inner iteration a cycle, and only where none reaches
what another one stores."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from agreement import Build, build_text, check
from seeds import sampled
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from tandem.schedule.expected import expected_cycles

pytestmark = pytest.mark.usefixtures("models_as_written")

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
    return build_text(text, target, CLOCK_PS, folder)


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


@pytest.mark.parametrize(("rows", "step"), sampled([(16, 9), (32, 9), (16, 8)]))
def test_an_entry_waits_for_what_the_one_before_it_stores_elsewhere(
    rows: int, step: int, target: Target, tmp_path: Path
) -> None:
    text = AROUND.replace("ROWS", str(rows)).replace("STEP", str(step))
    built = made(text, target, tmp_path)
    assert turns(built) > 1
    numbers = np.random.default_rng(1)
    check(built, {"a": numbers.random(64).tobytes(), "x": numbers.random(512).tobytes()})


NESTS = {
    "not_a_multiple": """
        for (int i = 0; i < 31; i++) {
            double sum = 0;
            for (int k = 0; k < 48; k++)
                sum += a[i][k] * b[k][3];
            c[i][n & 7] = sum;
        }""",
    "as_many_as_the_call_says": """
        for (int i = 0; i < n; i++) {
            double sum = c[i][2];
            for (int k = 0; k < 45; k++)
                sum += a[i][k] * b[k][i];
            c[i][2] = sum;
        }""",
    "turns_of_the_call": """
        for (int i = 0; i < 30; i++)
            for (int k = 0; k < n; k++)
                c[0][i] += a[i][k] * b[k][i];""",
    "triangle": """
        for (int i = 0; i < 32; i++)
            for (int j = 0; j <= i; j++) {
                c[i][j] *= 0.5;
                for (int k = 0; k < 45; k++)
                    c[i][j] += a[i][k] * a[j][k];
            }""",
    "triangle_and_its_mirror": """
        for (int i = 0; i < 31; i++)
            for (int j = i + 1; j < 32; j++) {
                double sum = 0;
                for (int k = 0; k < 45; k++)
                    sum += a[k][i] * a[k][j];
                c[i][j] = sum;
                c[j][i] = sum;
            }""",
    "from_the_diagonal": """
        for (int i = 0; i < 32; i++)
            for (int j = i; j < 32; j++) {
                c[i][j] = 0;
                for (int k = 0; k < 45; k++)
                    c[i][j] += a[k][i] * a[k][j];
                c[i][j] /= 31;
                c[j][i] = c[i][j];
            }""",
    "rows_above": """
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 30; j++) {
                for (int k = i + 1; k < 32; k++)
                    c[i][j] += a[k][i] * c[k][j];
                c[i][j] *= 3;
            }""",
    "rows_below": """
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 29; j++) {
                double sum = 0;
                for (int k = 0; k < i; k++) {
                    c[k][j] += b[i][j] * a[i][k];
                    sum += b[k][j] * a[i][k];
                }
                c[i][j] = c[i][j] + 7 * sum;
            }""",
    "elimination": """
        for (int i = 0; i < 32; i++)
            for (int j = i; j < 32; j++)
                for (int k = 0; k < i; k++)
                    c[i][j] -= c[i][k] * c[k][j];""",
    "two_sums": """
        for (int i = 0; i < 30; i++) {
            c[0][i] = 0;
            c[1][i] = 0;
            for (int j = 0; j < 30; j++) {
                c[0][i] += a[i][j] * b[1][j];
                c[1][i] += b[i][j] * b[1][j];
            }
            c[1][i] += c[0][i] * 2;
        }""",
}
WAITING = {
    "columns_before": """
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < i; j++)
                for (int k = 0; k < j; k++)
                    c[i][j] -= c[i][k] * c[k][j];""",
    "a_row_that_comes_again": """
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 45; k++)
                c[0][i & 15] += a[i][k] * b[k][i];""",
    "a_column_beyond_its_row": """
        for (int i = 0; i < 50; i++)
            for (int k = 0; k < 45; k++)
                c[0][i] += a[k][i & 7] * c[k + 1][0];""",
    "turns_that_differ": """
        for (int i = 0; i < 32; i++)
            for (int k = 0; k < i; k++)
                c[0][i] += a[i][k] * b[k][i];""",
    "skipped_by_what_is_read": """
        for (int i = 0; i < 32; i++)
            if (a[i][0] > 0.5)
                for (int k = 0; k < 45; k++)
                    c[0][i] += a[i][k] * b[k][i];""",
}


def nest(body: str, target: Target, folder: Path) -> Build:
    return made(
        "#include <stdint.h>\nvoid top(const double a[48][48], const double b[48][48],"
        f" double c[48][48], uint8_t n)\n{{{body}\n}}\n",
        target,
        folder,
    )


def agrees(built: Build, body: str) -> None:
    """With as many rows as there are, with some, and with none, where the call says how many."""
    numbers = np.random.default_rng(1)
    for n in (0, 1, 5, 17, 32) if re.search(r"\bn\b", body) else (32,):
        data = {name: numbers.random(48 * 48).tobytes() for name in "abc"}
        check(built, {**data, "n": n})


@pytest.mark.parametrize("name", sampled([*NESTS]))
def test_nests_of_all_kinds_do_not_wait(name: str, target: Target, tmp_path: Path) -> None:
    """Their iterations take turns, or their loops change places."""
    built = nest(NESTS[name], target, tmp_path)
    blocks = built.schedule.blocks.values()
    adding = [s.ii for s in blocks if s.block.name.endswith("_add")]
    assert turns(built) > 1 or adding
    assert max(adding, default=1) == 1
    agrees(built, NESTS[name])


@pytest.mark.parametrize("name", WAITING)
def test_nests_of_all_kinds_that_wait(name: str, target: Target, tmp_path: Path) -> None:
    built = nest(WAITING[name], target, tmp_path)
    assert turns(built) == 1
    agrees(built, WAITING[name])


ROW_SUM = "double sum = 0; for ({type} k = 0; k < n; k++) sum += a[i][k] * b[k][3]; c[i][2] = sum;"
COUNTS = {
    "int": ("int", "for (int i = 0; i < n; i++) { BODY }"),
    "unsigned": ("unsigned", "for (unsigned i = 0; i < n; i++) { BODY }"),
    "long": ("long", "for (long i = 0; i < n; i++) { BODY }"),
    "size_t": ("unsigned long", "for (unsigned long i = 0; i < n; i++) { BODY }"),
    "short": ("short", "for (int i = 0; i < n; i++) { BODY }"),
    "another width": ("int", "for (long i = 0; i < n; i++) { BODY }"),
    "until equal": ("int", "if (n > 0) for (int i = 0; i != n; i++) { BODY }"),
    "to the last": ("int", "for (int i = 0; i <= n - 1; i++) { BODY }"),
    "down": ("int", "for (int i = n - 1; i >= 0; i--) { BODY }"),
    "while": ("int", "int i = 0; while (i < n) { BODY i++; }"),
    "do": ("int", "int i = 0; if (n > 0) do { BODY } while (++i < n);"),
    "pointers": (
        "int",
        "const double (*row)[48] = a; double *to = c[0]; for (int i = 0; i < n; i++, row++) {"
        " double sum = 0; for (int k = 0; k < n; k++) sum += (*row)[k] * b[k][3]; *to++ = sum; }",
    ),
}


@pytest.mark.parametrize("spelling", COUNTS)
def test_any_number_of_rows(spelling: str, target: Target, tmp_path: Path) -> None:
    """However a loop is spelled that runs as often as the call says: sums take turns, or change
    places with the loop around them, and none waits."""
    kind, loop = COUNTS[spelling]
    body = loop.replace("BODY", ROW_SUM.format(type=kind))
    built = made(
        f"void top(const double a[48][48], const double b[48][48], double c[48][48], {kind} n)"
        f"\n{{ {body} }}\n",
        target,
        tmp_path,
    )
    assert {s.ii for s in built.schedule.blocks.values()} == {0, 1}
    agrees(built, body)


TWO_FILTERS = """
        for (int i = 0; i < 48; i++) {
            double y1 = 0, y2 = 0;
            for (int j = 0; j < 48; j++) {
                c[i][j] = a[i][j] * 0.5 + y1 * 0.25 + y2 * 0.125;
                y2 = y1;
                y1 = c[i][j];
            }
        }
        for (int i = 0; i < 48; i++) {
            double y1 = 0, y2 = 0;
            for (int j = 47; j >= 0; j--) {
                c[i][j] = c[i][j] * 0.5 + y1 * 0.25 + y2 * 0.125;
                y2 = y1;
                y1 = c[i][j];
            }
        }"""


def test_loops_that_share_operators_are_tried_together(target: Target, tmp_path: Path) -> None:
    built = nest(TWO_FILTERS, target, tmp_path)
    assert sum(block.interleaved > 1 for block in built.finished.blocks) == 2
    agrees(built, TWO_FILTERS)


def test_short_loops_that_wait_for_nothing_are_entered_once(target: Target) -> None:
    """Nine rounds of a block, and what is before and behind them."""
    source = Path(__file__).parent / "spellings" / "aes128_ctr" / "rows.c"
    schedule = compile_kernel(Program.of(source), "aes128_ctr", target, CLOCK_PS).schedule
    assert max(block.interleaved for block in schedule.blocks) > 1
    assert expected_cycles(schedule) < 10 * 16
