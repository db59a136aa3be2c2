# SPDX-License-Identifier: Apache-2.0
"""Pipelines inside of loops are left before they are empty: in time, and never too early."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
MOST_CYCLES = 1.5
"""Of an innermost iteration. Where the loop around waits for an empty pipeline it is more."""

EARLY = {
    "rows of a product": (
        """
void top(double c[8][40], const double a[8][9], const double b[9][40])
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 9; k++)
            for (int j = 0; j < 40; j++)
                c[i][j] += a[i][k] * b[k][j];
}""",
        2880,
    ),
    "flat rows": (
        """
void top(double c[320], const double a[72], const double b[360])
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 9; k++) {
            double *row = c + i * 40;
            for (int j = 0; j < 40; j++)
                row[j] = row[j] + a[i * 9 + k] * b[k * 40 + j];
        }
}""",
        2880,
    ),
    "counting down": (
        """
void top(double c[8][40], const double a[8][9], const double b[9][40])
{
    for (int i = 7; i >= 0; i--)
        for (int k = 8; k >= 0; k--)
            for (int j = 39; j >= 0; j--)
                c[i][j] += a[i][k] * b[k][j];
}""",
        2880,
    ),
    "moving pointers": (
        """
void top(double c[8][40], const double a[8][9], const double b[9][40])
{
    for (int i = 0; i < 8; i++) {
        const double *factor = a[i], *in = b[0];
        for (int k = 0; k < 9; k++, factor++) {
            double *out = c[i];
            int j = 0;
            do
                *out++ += *factor * *in++;
            while (++j < 40);
        }
    }
}""",
        2880,
    ),
    "a triangle": (
        """
void top(double c[24][40], const double a[24][40])
{
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 5; k++)
            for (int j = 0; j < 40 - i; j++)
                c[i][j] += a[k][j] * a[i][k];
}""",
        3420,
    ),
    "rows that are written once": (
        """
void top(double out[30][20], const double in[30][20], int n)
{
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 20; j++)
            if (in[i][j] > i * n)
                out[i][j] = in[i][j] * in[i][j] * n;
}""",
        600,
    ),
    "a factor from beside what is written": (
        """
void top(double a[12][60])
{
    for (int k = 0; k < 11; k++)
        for (int i = k + 1; i < 12; i++)
            for (int j = k + 1; j < 60; j++)
                a[i][j] -= a[i][k] * a[k][j];
}""",
        3674,
    ),
}
NOT_TOO_EARLY = {
    "the row before, a column further": """
void top(int c[20][8], int n)
{
    for (int i = 1; i < 20; i++)
        for (int j = 0; j < 7; j++)
            c[i][j] = c[i - 1][j + 1] * n + j;
}""",
    "the end of the row before": """
void top(int c[20][8], int n)
{
    for (int i = 1; i < 20; i++)
        for (int j = 0; j < 8; j++)
            c[i][j] = c[i - 1][7 - j] * n * n + j;
}""",
    "rows of one": """
void top(int c[4], const int a[40], int n)
{
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < n; j++)
            c[j] = c[j] * a[i] + j;
}""",
    "what the inner loop has stored is read behind it": """
void top(int c[16], int sums[20], const int a[20][16])
{
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 16; j++)
            c[15 - j] = a[i][j] * a[i][j] * i;
        sums[i] = c[i & 15] + c[0];
    }
}""",
    "what the inner loop reads is written behind it": """
void top(int c[16], int out[20][16], int n)
{
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 16; j++)
            out[i][j] = c[j] * n * (i + 3);
        c[i & 15] = i;
        c[15] = n + i;
    }
}""",
    "values that are read late": """
void top(int out[20][16], const int a[20], unsigned d)
{
    for (int i = 0; i < 20; i++) {
        int first = a[i] * 3, second = (unsigned)a[i] / (d | 1);
        for (int j = 0; j < 16; j++)
            out[i][j] = (j * j * j * first * first + second) ^ (first * second + j);
    }
}""",
    "a factor that the row before has left": """
void top(int c[21][16])
{
    for (int i = 0; i < 20; i++) {
        int factor = c[i][0];
        for (int j = 0; j < 16; j++)
            c[i + 1][15 - j] += c[i][j] * factor * (j + 3);
    }
}""",
    "a factor of each column in its turn": """
void top(int c[16][16])
{
    for (int i = 0; i < 15; i++) {
        int factor = c[i][i + 1];
        for (int j = i + 1; j < 16; j++)
            c[j][15] += c[i][j] * factor * factor;
    }
}""",
    "written before the row is read": """
void top(int c[21][16], int out[20][16], int n)
{
    for (int i = 0; i < 20; i++) {
        c[i][15] = i * n;
        for (int j = 0; j < 16; j++)
            out[i][j] = c[i + 1][15 - j] * n * (i + 3) + c[i][j];
    }
}""",
    "one loop or the other": """
void top(int out[20][16], const int a[20], int n)
{
    for (int i = 0; i < 20; i++) {
        if (a[i] & 1)
            for (int j = 0; j < n; j++)
                out[i][j] = j * j * a[i];
        else
            for (int j = 0; j < 16; j++)
                out[19 - i][j] += j * a[i];
    }
}""",
    "two loops beside each other": """
void top(int out[20][16], int t[16], const int a[20][16])
{
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 16; j++)
            t[j] += a[i][j] * a[i][j];
        for (int j = 0; j < 16; j++)
            out[i][j] = t[15 - j] * i;
    }
}""",
    "a port that both use": """
int top(int out[20][16], const int a[40][16], int n)
{
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += a[i + 20][n & 15] ^ a[i + 19][i & 15];
        for (int j = 0; j < 16; j++)
            out[i][j] = a[i][j] * a[i + 20][j] + a[i + 1][15 - j] + sum;
    }
    return sum;
}""",
    "iterations that wait for each other": """
int top(int out[20][16], const int a[20][16], unsigned n)
{
    unsigned state = n;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 16; j++) {
            state = state * 1664525u + a[i][j];
            out[i][j] = (int)(state >> 8) * i;
        }
    return (int)state;
}""",
    "rows that become shorter than the pipeline": """
void top(int c[24][24], const int a[24][24], const int b[24][24])
{
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 5; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += a[j][k] * a[j][k + 1] * b[i][k] + b[j][k] * a[i][k];
}""",
    "rows of any length, from both ends": """
int top(int c[24][24], const int a[24][24], int n)
{
    int last = 0;
    for (int k = 0; k < 9; k++)
        for (int j = 0; j < n; j++) {
            last = c[j][n] * a[k][j] * a[j][k] + k;
            c[j][n] = last;
        }
    return last;
}""",
    "masked places in an array that is read at one": """
int top(int p[64], int q[64], int r[64], int n)
{
    int s = n;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 9; j++) {
            q[((i + 1) * 3 + j) & 63] ^= q[(n + j) & 63] * (s + q[(13 - i) & 63]) + j;
            r[(i + j) & 63] ^= p[j & 63] * (s + r[(n + j) & 63]) + j;
        }
    return s;
}""",
    "the end comes right behind": """
void top(int out[3][4], int n)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out[i][j] = j * j * n * n * (i + n);
}""",
}


def values_of(built: Build, seed: str) -> dict[str, int | bytes]:
    random = Random(seed)
    return {
        row["name"]: random.randint(1, 4)
        if row["kind"] == "scalar"
        else random.randbytes(8 * 40 * 24)
        for row in built.rows
        if row["direction"] != "out" or row["kind"] != "scalar"
    }


@pytest.mark.parametrize("name", EARLY)
def test_a_round_takes_hardly_longer_than_its_iterations(
    name: str, target: Target, tmp_path: Path
) -> None:
    code, iterations = EARLY[name]
    built = build_text(code, target, CLOCK_PS, tmp_path)
    cycles = check(built, values_of(built, name)).cycles
    assert cycles <= MOST_CYCLES * iterations


@pytest.mark.parametrize("name", NOT_TOO_EARLY)
def test_never_too_early(name: str, target: Target, tmp_path: Path) -> None:
    for clock_ps in (5_000, CLOCK_PS):
        folder = tmp_path / str(clock_ps)
        folder.mkdir()
        built = build_text(NOT_TOO_EARLY[name], target, clock_ps, folder, slower_clock=True)
        for seed in range(3):
            check(built, values_of(built, f"{name} {seed}"))


def nest(random: Random) -> str:
    """Two or three loops of few or many iterations, and accesses to the same arrays before, in and
    behind the innermost one."""
    trips = [random.choice(("3", "5", "9", "n", "i + 1", "14")) for _ in range(2)]
    place = ("j", "11 - j", "i + j", "j + 1", "(i + 1) * 3 + j", "i", "13 - i", "j * 2", "n + j")

    def access() -> str:
        return f"{random.choice('pqr')}[{random.choice(place)} & 63]"

    before = random.choice(("", f"p[i & 63] += {access()};".replace("j", "i"), "s = s * 3 + i;"))
    behind = random.choice(("", f"q[i & 63] = {access()} + s;".replace("j", "i"), "s ^= p[i];"))
    inside = "\n            ".join(
        f"{access()} {random.choice(('=', '+=', '^='))} {access()} * (s + {access()}) + j;"
        for _ in range(random.choice((1, 1, 2)))
    )
    return f"""
int top(int p[64], int q[64], int r[64], int n)
{{
    int s = n;
    for (int i = 0; i < {random.choice((4, 10))}; i++) {{
        {before}
        for (int j = 0; j < {trips[0]}; j++) {{
            {inside}
        }}
        {behind}
    }}
    return s;
}}"""


@pytest.mark.parametrize("seed", range(12))
def test_random_nests(seed: int, target: Target, tmp_path: Path) -> None:
    text = nest(Random(f"leaving {seed}"))
    built = build_text(text, target, CLOCK_PS, tmp_path)
    for turn in range(2):
        check(built, values_of(built, f"{seed} {turn}"))


SCALED = """
void top(double c[8][20], const double a[8][9], const double b[9][20], double scale)
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 9; k++)
            for (int j = 0; j < 20; j++)
                c[i][j] += scale * a[i][k] * b[k][j];
}"""


def test_short_values_are_copied_as_often_as_it_takes(target: Target, tmp_path: Path) -> None:
    """Indices of the row before wait for two products: they fill few registers."""
    built = build_text(SCALED, target, CLOCK_PS, tmp_path)
    pipelines = [s for s in built.schedule.blocks.values() if s.ii]
    assert [s.leave for s in pipelines] == [s.decide + 1 for s in pipelines]
