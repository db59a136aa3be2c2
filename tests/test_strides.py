# SPDX-License-Identifier: Apache-2.0
"""Rows and planes whose lengths come with the call: what one reads of another one does not wait."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_rows import open_rows
from seeds import seeds
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
LOADS = 2
"""Of an array in memory, which has one port to read from."""
ROWS = {
    "flat": """void top(int rows, int n, float *a)
{ for (int i = 1; i < rows; i++) for (int j = 0; j < n; j++)
      a[i * n + j] += 0.5f * a[(i - 1) * n + j]; }""",
    "size_t": """#include <stddef.h>
void top(size_t rows, size_t n, float *a)
{ for (size_t i = 1; i < rows; i++) for (size_t j = 0; j < n; j++)
      a[i * n + j] += 0.5f * a[(i - 1) * n + j]; }""",
    "an array of variable length": """void top(int rows, int n, float a[rows][n])
{ for (int i = 1; i < rows; i++) for (int j = 0; j < n; j++)
      a[i][j] += 0.5f * a[i - 1][j]; }""",
    "of so many rows as columns": """void top(int n, float a[n][n])
{ for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) a[i][j] += 0.5f * a[i - 1][j]; }""",
    "the next row": """void top(long rows, long n, float *a)
{ for (long i = 0; i < rows - 1; i++) for (long j = 0; j < n; j++)
      a[(i + 1) * n + j] += 0.5f * a[i * n + j]; }""",
    "counting down": """void top(int rows, int n, float *a)
{ for (int i = rows - 1; i > 0; i--) for (int j = n - 1; j >= 0; j--)
      a[i * n + j] += 0.5f * a[(i - 1) * n + j]; }""",
    "row pointers": """void top(int rows, int n, float *a)
{ for (int i = 1; i < rows; i++) { float *to = a + (long)i * n, *from = to - n;
      for (int j = 0; j < n; j++) to[j] += 0.5f * from[j]; } }""",
    "moving rows": """void top(int rows, int n, float *a)
{ for (int i = 1; i < rows; i++, a += n)
      for (int j = 0; j < n; j++) a[n + j] += 0.5f * a[j]; }""",
    "while": """void top(int rows, int n, float *a)
{ int i = 1; while (i < rows) { int j = 0; while (j < n) {
      a[i * n + j] = a[i * n + j] + 0.5f * a[i * n - n + j]; j++; } i++; } }""",
    "a row of pairs": """void top(int rows, int n, float *a)
{ for (int i = 1; i < rows; i++) for (int j = 0; j < n; j++)
      a[2 * (i * n + j)] += 0.5f * a[2 * ((i - 1) * n + j)]; }""",
    "planes": """void top(int rows, int m, int n, float a[rows][m][n])
{ for (int i = 1; i < rows; i++) for (int j = 0; j < m; j++) for (int k = 0; k < n; k++)
      a[i][j][k] += 0.5f * a[i - 1][j][k]; }""",
    "flat planes": """void top(long rows, long m, long n, float *a)
{ for (long i = 1; i < rows; i++) for (long j = 0; j < m; j++) for (long k = 0; k < n; k++)
      a[(i * m + j) * n + k] += 0.5f * a[((i - 1) * m + j) * n + k]; }""",
}


COLUMN = "for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) "
PIVOTS = {
    "flat": f"void top(int n, float *a) {{ {COLUMN} a[i * n + k] /= a[k * n + k]; }}",
    "from behind": f"void top(int n, float *a) {{ {COLUMN} a[k + n * i] /= a[k + n * k]; }}",
    "a square": "void top(int n, float a[n][n]) { " + COLUMN + "a[i][k] /= a[k][k]; }",
    "size_t": """#include <stddef.h>
void top(size_t n, float *a)
{ for (size_t k = 0; k < n; k++) for (size_t i = k + 1; i < n; i++)
      a[i * n + k] /= a[k * n + k]; }""",
    "an index": f"""void top(int n, float *a)
{{ {COLUMN} {{ int at = i * n + k, pivot = k * n + k; a[at] /= a[pivot]; }} }}""",
    "a function": f"""static int at(int row, int column, int n) {{ return row * n + column; }}
void top(int n, float *a) {{ {COLUMN} a[at(i, k, n)] /= a[at(k, k, n)]; }}""",
    "a macro": f"""#define A(row, column) a[(row) * n + (column)]
void top(int n, float *a) {{ {COLUMN} A(i, k) /= A(k, k); }}""",
    "row pointers": f"""void top(int n, float *a)
{{ {COLUMN} {{ float *row = a + i * n, *first = a + k * n; row[k] /= first[k]; }} }}""",
    "a row in front": """void top(int n, float *a)
{ for (int k = 0; k < n; k++) { int row = k * n; for (int i = k + 1; i < n; i++)
      a[i * n + k] = a[i * n + k] / a[row + k]; } }""",
    "while": """void top(int n, float *a)
{ int k = 0; while (k < n) { int i = k; while (++i < n) a[i * n + k] /= a[k * n + k]; k++; } }""",
    "long": """void top(int n, float *a)
{ for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++)
      a[(long)i * n + k] /= a[(long)k * n + k]; }""",
}


@pytest.mark.parametrize("how", ROWS)
def test_a_row_is_read_while_the_next_one_is_written(
    how: str, target: Target, tmp_path: Path
) -> None:
    built = build_text(ROWS[how], target, CLOCK_PS, tmp_path)
    pipelines = [s for block, s in built.schedule.blocks.items() if block.is_loop]
    assert pipelines and all(s.ii <= LOADS for s in pipelines)
    numbers = Random(how)
    sizes = {"rows": 5, "n": 3, "m": 4}
    given = {row["name"]: sizes[row["name"]] for row in built.rows if row["name"] in sizes}
    check(built, {**given, "a": b"".join(_number(numbers) for _ in range(120))})


@pytest.mark.parametrize("how", PIVOTS)
def test_no_other_row_is_that_of_the_pivot(how: str, target: Target, tmp_path: Path) -> None:
    built = build_text(PIVOTS[how], target, CLOCK_PS, tmp_path, slower_clock=True)
    pipelines = [s for block, s in built.schedule.blocks.items() if block.is_loop]
    assert pipelines and all(s.ii == 1 for s in pipelines)
    numbers = Random(how)
    for n in (1, 5):
        check(built, {"n": n, "a": b"".join(_number(numbers) for _ in range(25))})


def _number(random: Random) -> bytes:
    return Random(random.random()).randbytes(3) + bytes([random.choice((0x3F, 0x40, 0xBF))])


SIZES = ((2, 3), (3, 2), (4, 4), (1, 4), (5, 1), (1, 1))
BEFORE = 40
"""Elements in front of the first one that is told of: those of the row before it."""


@pytest.mark.parametrize("seed", seeds(12))
def test_random_rows(seed: int, target: Target, tmp_path: Path) -> None:
    random = Random(f"rows {seed}")
    text = open_rows(random, "float").replace("*x)\n{", f"*y)\n{{\n    float *x = y + {BEFORE};")
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for n, m in SIZES:
        check(built, {"n": n, "m": m, "y": b"".join(_number(random) for _ in range(400))})
