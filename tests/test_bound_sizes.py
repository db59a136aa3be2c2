# SPDX-License-Identifier: Apache-2.0
"""Numbers of a call that are no greater than rows of arrays are long: in every spelling, and not
where the C does not say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import build_text
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

CLOCK_PS = 10_000

TOLD = {
    "rows and columns": (
        """void top(int n, double a[12][40])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = a[i][j] * 2;
}""",
        (1, 40),
    ),
    "a pointer to rows, size_t": (
        """#include <stddef.h>
void top(size_t n, double (*a)[40])
{
    for (size_t i = 0; i != n; ++i)
        for (size_t j = 0; j != n; ++j)
            a[j][i] = a[j][i] * 2;
}""",
        (1, 40),
    ),
    "counting down": (
        """void top(int n, double a[12][40])
{
    for (int i = 11; i >= 0; i--)
        for (int j = n - 1; j >= 0; j--)
            a[i][j] = a[i][j] * 2;
}""",
        (1, 40),
    ),
    "up to the last": (
        """void top(int last, double a[12][40])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j <= last; j++)
            a[i][j] = a[i][j] * 2;
}""",
        (0, 39),
    ),
    "a triangle": (
        """void top(int n, double a[40][40])
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
}""",
        (2, 40),
    ),
    "inside of a border": (
        """void top(int n, double a[40][40], double b[40][40])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = a[i][j - 1] + a[i][j + 1] + a[i - 1][j];
}""",
        (3, 40),
    ),
    "a column further": (
        """void top(int n, double a[12][40])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++)
            a[i][j + 1] = 2 * j;
}""",
        (1, 39),
    ),
    "space": (
        """void top(int n, int a[6][8][40])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] += i;
}""",
        (1, 8),
    ),
    "small ones go another way": (
        """void top(int n, double a[12][40], double *b)
{
    if (n > 16)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = a[i][j] * 2;
    else
        b[n] = 3;
}""",
        (0, 40),
    ),
    "a helper and a macro": (
        """#define AT(a, i, j) (a)[i][j]
static void row(double a[12][40], int i, int n)
{
    int j = 0;
    do
        AT(a, i, j) *= 2;
    while (++j < n);
}
void top(double a[12][40], int n)
{
    for (int i = 0; i < 12; i++)
        row(a, i, n);
}""",
        (1, 40),
    ),
}
NOT_TOLD = {
    "one line through all rows": """void top(int n, double a[12][40])
{
    double *all = &a[0][0];
    for (int i = 0; i < n; i++)
        all[i] *= 2;
}""",
    "rows": """void top(int n, double a[][40])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 40; j++)
            a[i][j] *= 2;
}""",
    "only few": """void top(int n, double a[][40], double *b)
{
    if (n < 8)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] *= 2;
    else
        for (int i = 0; i < n; i++)
            b[i] = i;
}""",
    "only some columns": """void top(int n, double a[][40], double *b)
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++) {
            if (j < 10)
                a[i][j] *= 2;
            b[j] = i;
        }
}""",
    "what data says": """void top(int n, double a[][40], const int *b)
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++)
            if (b[j])
                a[i][j] *= 2;
}""",
    "until something is found": """int top(int n, double a[][40])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++)
            if (a[i][j] == 0)
                return i;
    return 0;
}""",
    "round and round": """void top(int n, double a[][40])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++)
            a[i][j % 40] *= 2;
}""",
    "a flat array": """void top(int n, double *a)
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < n; j++)
            a[40 * i + j] *= 2;
}""",
}


def served(text: str, target: Target, folder: Path) -> list[tuple[int, int]]:
    """What is told of the kernel's numbers."""
    (folder / "top.c").write_text(text)
    kernel = compile_kernel(Program.of(folder / "top.c"), "top", target, CLOCK_PS, True).kernel
    return [(a.least, a.most) for a in kernel.arguments if a.most is not None]


@pytest.mark.parametrize("name", TOLD)
def test_no_column_is_beyond_its_row(name: str, target: Target, tmp_path: Path) -> None:
    text, sizes = TOLD[name]
    assert served(text, target, tmp_path) == [sizes]


def test_who_drives_it_is_told(target: Target, tmp_path: Path) -> None:
    """In the header of the hardware, and in that of its models."""
    built = build_text(TOLD["inside of a border"][0], target, CLOCK_PS, tmp_path)
    assert "n: scalar in, from 3 to 40, stable" in (built.package / "kernel.sv").read_text()
    assert "n, scalar in, 4 bytes, from 3 to 40" in (built.package / "driver.h").read_text()


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_c_does_not_say(name: str, target: Target, tmp_path: Path) -> None:
    assert served(NOT_TOLD[name], target, tmp_path) == []
