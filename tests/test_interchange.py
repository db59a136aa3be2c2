# SPDX-License-Identifier: Apache-2.0
"""Sums that wait for themselves change places with the loop around them, and only where nothing is
read too soon by that."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import pytest
from agreement import Build, agree_on_random, all_in_shape, build_text, check
from tandem.ir.kernel import Kernel
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
SEEDS = range(12)
SIZE = 24
HEAD = "void top(const double l[40][24], double x[24], const double b[24], double c[24][24])"

TRIANGLES = {
    "subscripts": """
    for (int i = 0; i < 24; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] / l[i][i];
    }""",
    "a variable": """
    for (int i = 0; i < 24; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= l[i][j] * x[j];
        x[i] = sum / l[i][i];
    }""",
    "unsigned": """
    for (unsigned i = 0; i < 24; ++i) {
        double sum = b[i];
        for (unsigned j = 0; j != i; ++j)
            sum = sum - l[i][j] * x[j];
        x[i] = sum / l[i][i];
    }""",
    "flat": """
    const double *flat = &l[0][0];
    for (long i = 0; i < 24; i++) {
        double sum = b[i];
        for (long j = 0; j < i; j++)
            sum -= flat[i * 24 + j] * x[j];
        x[i] = sum / flat[i * 25];
    }""",
    "row pointers": """
    for (int i = 0; i < 24; i++) {
        const double *row = l[i];
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }""",
    "moving pointers": """
    const double *row = l[0];
    for (int i = 0; i < 24; i++, row += 24) {
        const double *in = row, *known = x;
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= *in++ * *known++;
        x[i] = sum / *in;
    }""",
    "while": """
    int i = 0;
    while (i < 24) {
        double sum = b[i];
        int j = 0;
        while (j < i) {
            sum -= l[i][j] * x[j];
            j++;
        }
        x[i] = sum / l[i][i];
        i++;
    }""",
    "counting down": """
    for (int n = 24; n > 0; n--) {
        int i = 24 - n;
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= l[i][j] * x[j];
        x[i] = sum / l[i][i];
    }""",
    "break": """
    for (int i = 0; i < 24; i++) {
        double sum = b[i];
        for (int j = 0;; j++) {
            if (j >= i)
                break;
            sum -= l[i][j] * x[j];
        }
        x[i] = sum / l[i][i];
    }""",
    "two steps": """
    for (int i = 0; i < 24; i++) {
        x[i] = b[i];
        double sum = 0;
        for (int j = 0; j < i; j++)
            sum += x[j] * l[i][j];
        x[i] -= sum;
    }""",
    "factors of a matrix": """
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                c[i][j] -= c[i][k] * c[k][j];
            c[i][j] /= c[j][j];
        }""",
}
SQUARES = {
    "products of one array": """
    for (int i = 0; i < 24; i++)
        for (int j = i; j < 24; j++) {
            double sum = 0;
            for (int k = 0; k < 40; k++)
                sum += l[k][i] * l[k][j];
            c[i][j] = sum;
            c[j][i] = sum;
        }""",
    "as many terms as the loop around says": """
    for (int i = 0; i < 24; i++)
        for (int j = i; j < 24; j++)
            for (int k = 0; k < i; k++)
                c[i][j] -= c[i][k] * c[k][j];""",
}
IN_ORDER = {
    "the newest comes first": """
    for (int i = 23; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < 24; j++)
            sum -= l[i][j] * x[j];
        x[i] = sum / l[i][i];
    }""",
    "one that is not finished": """
    for (int i = 0; i < 23; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= l[i][j] * x[j + 1];
        x[i] = sum;
    }""",
    "what another one changes": """
    for (int i = 0; i < 24; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= l[i][j] * x[j];
        x[i] = sum;
        x[0] = sum * sum;
    }""",
    "a sum that goes on": """
    double sum = 0;
    for (int i = 0; i < 24; i++) {
        for (int j = 0; j < i; j++)
            sum -= l[i][j] * x[j];
        x[i] = sum;
    }""",
}


def values(built: Build, seed: str) -> dict[str, int | bytes]:
    random = Random(seed)

    def doubles(count: int) -> bytes:
        return struct.pack(f"{count}d", *(random.uniform(0.5, 2) for _ in range(count)))

    counts = {"l": 40 * SIZE, "c": SIZE * SIZE, "x": SIZE, "b": SIZE}
    arrays = [row["name"] for row in built.rows if row["name"] in counts]
    return {name: doubles(counts[name]) for name in arrays}


def made(body: str, target: Target, folder: Path) -> Build:
    built = build_text(f"{HEAD}\n{{{body}\n}}\n", target, CLOCK_PS, folder)
    check(built, values(built, "1"))
    return built


def adding(built: Build) -> list[int]:
    """The `ii` of each loop that adds terms to many sums in turn."""
    return [s.ii for s in built.schedule.blocks.values() if s.block.name.endswith("_add")]


@pytest.mark.parametrize("name", TRIANGLES | SQUARES)
def test_a_term_a_cycle(name: str, target: Target, tmp_path: Path) -> None:
    built = made((TRIANGLES | SQUARES)[name], target, tmp_path)
    assert adding(built) == [1]


@pytest.mark.parametrize("name", [name for name in TRIANGLES if "< 24" in TRIANGLES[name]])
def test_as_many_as_a_byte_says(name: str, target: Target, tmp_path: Path) -> None:
    """The sums have places for as many as a number of so few bits can be."""
    head = HEAD.replace(")", ", unsigned char n)")
    body = TRIANGLES[name].replace("< 24", "< n")
    built = build_text(f"{head}\n{{{body}\n}}\n", target, CLOCK_PS, tmp_path)
    assert adding(built) == [1]
    for n in (0, 1, 2, 17, SIZE):
        check(built, {**values(built, "1"), "n": n})


@pytest.mark.parametrize("name", IN_ORDER)
def test_what_stays(name: str, target: Target, tmp_path: Path) -> None:
    built = made(IN_ORDER[name], target, tmp_path)
    assert not built.finished.interchangeable


# -- random nests ---------------------------------------------------------------------------------


def nest(random: Random) -> str:
    """A sum in a loop in a loop, over arrays of which one is written; some sums could change places
    with the loop, and some would read what is not there yet."""
    trips = random.choice(("i", "i", "i", "9", "(n & 15)", "i + 1", "12 - i", "m", "m"))
    start = random.choice(("0", "0", "1", "m"))
    places = ("k", "i", "k + 1", "i * 12 + k", "k * 12 + i", "m * 12 + k", "11 - k", "i - k")
    stores = ("i", "i", "i * 12 + i", "i + 1", "m * 12 + i", "11 - i", "i * 12", "3")
    count = random.choice((1, 1, 2))
    terms = "\n                ".join(
        f"s{t} = s{t} * 3 + {random.choice('pq')}[({random.choice(places)}) & 255]"
        f" * {random.choice('pqr')}[({random.choice(places)}) & 255] + {random.choice('ikm')};"
        for t in range(count)
    )
    sums = ", ".join(
        f"s{t} = {random.choice(('p', 'q', 'r'))}[({random.choice(stores)}) & 255]"
        for t in range(count)
    )
    before = random.choice(("", "", f"p[({random.choice(stores)}) & 255] ^= i;", "r[i] = m;"))
    used = "\n            ".join(
        f"{random.choice('pr')}[({random.choice(stores)}) & 255] = s{t} ^ r[i];"
        for t in range(count)
    )
    return f"""
void top(int p[256], int q[256], int r[256], int n)
{{
    for (int m = 0; m < 5; m++)
        for (int i = {start}; i < 12; i++) {{
            {before}
            int {sums};
            for (int k = 0; k < {trips}; k++) {{
                {terms}
            }}
            {used}
        }}
}}"""


@pytest.fixture(scope="module")
def nests(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Kernel, Kernel]]:
    """Random nests as imported, and changed wherever they can be."""
    texts = (nest(Random(f"interchange {n}")) for n in SEEDS)
    return all_in_shape(texts, tmp_path_factory, "interchangeable", "interchanged")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests(seed: int, nests: list[tuple[Kernel, Kernel]]) -> None:
    agree_on_random(nests[seed], seed, {"p": 1024, "q": 1024, "r": 1024}, {"n": 1 << 32})


def test_some_random_nests_can_be(nests: list[tuple[Kernel, Kernel]]) -> None:
    assert 2 <= sum(any("_add" in b.name for b in kernel.blocks) for _, kernel in nests) <= 10
