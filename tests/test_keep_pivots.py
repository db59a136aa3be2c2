# SPDX-License-Identifier: Apache-2.0
"""A row with which all rows of a matrix are computed is read once, and no later than it is
written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import agree_on_random, all_in_shape, build_text, check
from tandem.ir.kernel import Kernel
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
SEEDS = range(12)
PATHS = """
void top(int p[20][20])
{
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < 20; i++)
            for (int j = 0; j < 20; j++)
                if (p[i][k] + p[k][j] < p[i][j])
                    p[i][j] = p[i][k] + p[k][j];
}"""
MOST_CYCLES = 1.8
"""Of an innermost iteration: with the row in the array they are more than two."""


def test_shortest_paths(target: Target, tmp_path: Path) -> None:
    built = build_text(PATHS, target, CLOCK_PS, tmp_path)
    random = Random(1)
    places = [random.randrange(-9, 99) for _ in range(400)]  # rows that change themselves, too
    data = b"".join(place.to_bytes(4, "little", signed=True) for place in places)
    assert check(built, {"p": data}).cycles <= MOST_CYCLES * 20**3
    assert any(memory.endswith("_row") for memory in built.finished.memories)


def nest(random: Random) -> str:
    """Rows computed with another one, which some of them write; or something like it."""
    rows = ("k", "k", "i", "i", "i + 1", "k + 1", "0", "(k ^ 1)")
    columns = ("j", "j", "j", "9 - j", "j + 1", "k", "i")
    width = random.choice((10, 12, 16, 9))

    def place() -> str:
        return f"p[{random.choice(rows)} * {width} + {random.choice(columns)}]"

    first, last = random.choice((("0", "10"), ("k", "10"), ("k + 1", "10"), ("0", "n"), ("i", "9")))
    begin = random.choice(("0", "0", "k + 1", "k"))
    before = random.choice(("", "", f"p[i * {width} + k] += 3;"))
    return f"""
void top(int p[256], unsigned char n)
{{
    n %= 10;
    for (int k = 0; k < 9; k++)
        for (int i = {begin}; i < 9; i++) {{
            {before}
            for (int j = {first}; j < {last}; j++) {{
                {random.choice((f"p[i * {width} + j]", place()))} ^= {place()} * {place()} + j;
            }}
        }}
}}"""


@pytest.fixture(scope="module")
def nests(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Kernel, Kernel]]:
    """Random nests as imported, and changed wherever they can be."""
    texts = (nest(Random(f"pivots {n}")) for n in SEEDS)
    return all_in_shape(texts, tmp_path_factory, "pivots", "keeping_pivots")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests(seed: int, nests: list[tuple[Kernel, Kernel]]) -> None:
    agree_on_random(nests[seed], seed, {"p": 1024}, {"n": 256})


def test_some_random_nests_have_pivots(nests: list[tuple[Kernel, Kernel]]) -> None:
    found = sum(any(name.startswith("p_row") for name in k.memories) for _, k in nests)
    assert 2 <= found <= 9
