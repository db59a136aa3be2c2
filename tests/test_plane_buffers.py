# SPDX-License-Identifier: Apache-2.0
"""Planes that a stencil in space reads again are read once, and nothing else than before."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import pytest
from agreement import agree_on_random, all_in_shape, build_text, check
from tandem.ir.kernel import Kernel
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
SEEDS = range(14)
SEVEN = """
void top(const int in[6][8][40], int out[6][8][40])
{
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++)
                out[z][y][x] = in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x]
                               + in[z][y + 1][x] + in[z][y][x - 1] + in[z][y][x + 1]
                               - 6 * in[z][y][x];
}"""
MOST_CYCLES = 2.3
"""Of a point: planes and rows are short, and each begins with what is not ahead. In rows alone
there are three."""


def test_seven_points(target: Target, tmp_path: Path) -> None:
    built = build_text(SEVEN, target, CLOCK_PS, tmp_path)
    random = Random(3)
    data = struct.pack("<1920i", *(random.randrange(-999, 999) for _ in range(1920)))
    assert check(built, {"in": data, "out": bytes(7680)}).cycles <= MOST_CYCLES * 4 * 6 * 38
    assert any("_plane" in name for name in built.finished.memories)


def nest(random: Random) -> str:
    """Points made of some around them; or something like it."""
    rows, columns = random.choice(((7, 40), (9, 37), (8, 64), (6, 50), (2, 70)))
    planes = random.choice((4, 5, 6))

    def place() -> str:
        z, y, x = random.randint(-1, 1), random.randint(-1, 1), random.choice((0, 0, 0, 1))
        array = random.choice(("p", "p", "p", "p", "p", "q"))
        return f"{array}[((z + {z}) * {rows} + y + {y}) * {columns} + x + {x}]"

    def loop(counter: str, first: int, last: int) -> str:
        if random.random() < 0.3:
            return f"for (int {counter} = {last}; {counter} >= {first}; {counter}--)"
        return f"for (int {counter} = {first}; {counter} <= {last}; {counter}++)"

    terms = " ^ ".join(f"{random.randint(1, 9)} * {place()}" for _ in range(random.randint(2, 6)))
    guard = random.choice(("", "", "", "", "if (q[x] & 1) "))
    row = random.choice(("", "", "", "if (y == 2) continue;"))
    return f"""
void top(int p[3072], int q[3072])
{{
    {loop("z", 1, planes - 2)}
        {loop("y", 1, max(1, rows - 2))} {{
            {row}
            {loop("x", 1, columns - 2)}
                {guard}q[(z * {rows} + y) * {columns} + x] = {terms};
        }}
}}"""


@pytest.fixture(scope="module")
def nests(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Kernel, Kernel]]:
    """Random nests as imported, and with planes kept wherever they can be."""
    texts = (nest(Random(f"planes {n}")) for n in SEEDS)
    return all_in_shape(texts, tmp_path_factory, "planes", "keeping_planes")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests(seed: int, nests: list[tuple[Kernel, Kernel]]) -> None:
    agree_on_random(nests[seed], seed, {"p": 12288, "q": 12288})


def test_some_random_nests_have_planes(nests: list[tuple[Kernel, Kernel]]) -> None:
    found = sum(any("_plane" in name for name in kernel.memories) for _, kernel in nests)
    assert 3 <= found < len(SEEDS)
