# SPDX-License-Identifier: Apache-2.0
"""A nest whose iterations each wait for the one before runs along its diagonals."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import pytest
from agreement import agree_on_random, all_in_shape, build_text, check, in_shape
from tandem.ir.kernel import Kernel
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
SEEDS = range(16)
SIZE = 24
MOST_CYCLES = 18
"""Of an innermost iteration: 9 reads through one port. Without diagonals there are 85."""

SUM = """(a[i-1][j-1] + a[i-1][j] + a[i-1][j+1] + a[i][j-1] + a[i][j] + a[i][j+1]
         + a[i+1][j-1] + a[i+1][j] + a[i+1][j+1]) / 9.0"""
SPELLINGS = {
    "subscripts": f"""
void top(double a[24][24]) {{
    for (int i = 1; i < 23; i++)
        for (int j = 1; j < 23; j++)
            a[i][j] = {SUM};
}}""",
    "from_zero": """
void top(double b[24][24]) {
    for (unsigned i = 0; i < 22; ++i)
        for (unsigned j = 0; j < 22; ++j) {
            double (*a)[24] = (double (*)[24])(b[i] + j);
            a[1][1] = (a[0][0] + a[0][1] + a[0][2] + a[1][0] + a[1][1] + a[1][2]
                       + a[2][0] + a[2][1] + a[2][2]) / 9.0;
        }
}""",
    "flat": """
void top(double *a) {
    for (int i = 1; i < 23; i++)
        for (int j = 1; j < 23; j++) {
            double *p = a + i * 24 + j;
            p[0] = (p[-25] + p[-24] + p[-23] + p[-1] + p[0] + p[1] + p[23] + p[24] + p[25]) / 9.0;
        }
}""",
    "row_pointers": """
void top(double a[24][24]) {
    for (int i = 1; i <= 22; i++) {
        double *up = a[i - 1], *here = a[i], *down = a[i + 1];
        for (int j = 1; j <= 22; j++)
            here[j] = (up[j-1] + up[j] + up[j+1] + here[j-1] + here[j] + here[j+1]
                       + down[j-1] + down[j] + down[j+1]) / 9.0;
    }
}""",
    "moving": """
void top(double *a) {
    double *p = a + 25;
    for (int i = 0; i < 22; i++, p += 2)
        for (int j = 0; j < 22; j++, p++)
            *p = (p[-25] + p[-24] + p[-23] + p[-1] + p[0] + p[1] + p[23] + p[24] + p[25]) / 9.0;
}""",
    "do_while": f"""
void top(double a[24][24]) {{
    int i = 1;
    do {{
        int j = 1;
        do {{
            a[i][j] = {SUM};
        }} while (++j < 23);
    }} while (++i < 23);
}}""",
    "helper": f"""
static double mean(double a[24][24], int i, int j) {{ return {SUM}; }}
void top(double a[24][24]) {{
    for (long i = 1; i < 23; i++)
        for (long j = 1; j < 23; j++)
            a[i][j] = mean(a, i, j);
}}""",
    "struct": f"""
struct grid {{ double a[24][24]; }};
void top(struct grid *grid) {{
    double (*a)[24] = grid->a;
    for (short i = 1; i < 23; i++)
        for (short j = 1; j < 23; j++)
            a[i][j] = {SUM};
}}""",
    "local": """
void top(double a[24][24]) {
    for (int i = 1; i < 23; i++)
        for (int j = 1; j < 23; j++) {
            double sum = a[i-1][j-1];
            sum += a[i-1][j];
            sum += a[i-1][j+1];
            for (int k = -1; k < 2; k++)
                sum += a[i][j+k];
            for (int k = -1; k < 2; k++)
                sum += a[i+1][j+k];
            a[i][j] = sum / 9.0;
        }
}""",
    "macro": """
#define AT(i, j) a[(i) * 24 + (j)]
#define ROW(i, j) AT(i, j - 1) + AT(i, j) + AT(i, j + 1)
void top(double *a) {
    for (unsigned char i = 22; i; i--)
        for (unsigned char j = 22; j; j--)
            AT(i, j) = (ROW(i - 1, j) + ROW(i, j) + ROW(i + 1, j)) / 9.0;
}""",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_has_diagonals(spelling: str, tmp_path: Path) -> None:
    _, changed = in_shape(SPELLINGS[spelling], tmp_path, "diagonal", "skewed")
    assert has_diagonals(changed)


def test_a_nest_is_faster_along_diagonals(target: Target, tmp_path: Path) -> None:
    built = build_text(SPELLINGS["subscripts"], target, CLOCK_PS, tmp_path)
    random = Random(2)
    data = struct.pack("<576d", *(random.uniform(-9, 9) for _ in range(576)))
    assert check(built, {"a": data}).cycles <= MOST_CYCLES * 22 * 22


def has_diagonals(kernel: Kernel) -> bool:
    return any("diagonal" in block.name for block in kernel.blocks)


def nest(random: Random) -> str:
    """Elements that are made of others, before and after them; or something like it."""
    width = random.choice((SIZE, SIZE, SIZE + 1, SIZE - 1))
    begin, end = random.choice((("1", "12"), ("2", "11"), ("2", "n"), ("1", "9"), ("i", "i + 8")))
    rows = random.choice((("2", "10"), ("2", "n"), ("3", "9"), ("9", "2")))
    up, compare = ("i++", "<") if rows[0] < rows[1] or rows[1] == "n" else ("i--", ">")

    def place(most: int) -> str:
        di, dj = random.randint(-most, most), random.randint(-1, 2)
        scale = random.choice((1,) * 15 + (2,))
        column = random.choice(("j",) * 15 + ("20 - j", "i"))
        return f"p[(i + {di}) * {width} + {scale} * {column} + {dj}]"

    terms = " + ".join(f"{random.randint(1, 9)} * {place(1)}" for _ in range(random.randint(1, 4)))
    guard = random.choice(("", "", "", f"if ({place(1)} & 1) "))
    more = random.choice(("", "", f"{place(0)} ^= i + j;", "q[j] = 3 * q[j] + i;"))
    return f"""
void top(int p[1024], int q[32], unsigned char n)
{{
    n %= 12;
    for (int i = {rows[0]}; i {compare} {rows[1]}; {up}) {{
        for (int j = {begin}; j < {end}; j++) {{
            {guard}p[i * {width} + j] = {terms};
            {more}
        }}
    }}
}}"""


@pytest.fixture(scope="module")
def nests(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Kernel, Kernel]]:
    """Random nests as imported, and skewed wherever they can be."""
    texts = (nest(Random(f"skew {n}")) for n in SEEDS)
    return all_in_shape(texts, tmp_path_factory, "diagonal", "skewed")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests(seed: int, nests: list[tuple[Kernel, Kernel]]) -> None:
    agree_on_random(nests[seed], seed, {"p": 4096, "q": 128}, {"n": 256}, turns=4)


def test_some_random_nests_have_diagonals(nests: list[tuple[Kernel, Kernel]]) -> None:
    assert 2 <= sum(has_diagonals(kernel) for _, kernel in nests) <= len(SEEDS) - 4
