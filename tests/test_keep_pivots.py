# SPDX-License-Identifier: Apache-2.0
"""A row with which all rows of a matrix are computed is read once, and no later than it is
written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.frontend.imported import import_c
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.verifier import verify
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.shape import Shape
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
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


def kept(text: str, folder: Path) -> tuple[Kernel, Kernel]:
    """A kernel as imported, and with all pivot rows kept that can be."""
    source = folder / "top.c"
    source.write_text(text)
    imported, first, changed = (import_c(Program.of(source), "top").kernel for _ in range(3))
    run_pipeline(first, Options())
    shape = Shape(keeping_pivots=frozenset(first.pivots))
    run_pipeline(changed, Options(shape=shape))
    verify(changed)
    return imported, changed


def run(kernel: Kernel, seed: str) -> dict[str, bytearray | int]:
    random = Random(seed)
    data: dict[str, bytearray | int] = {"p": bytearray(random.randbytes(1024))}
    data["n"] = random.randrange(256)
    interpret(kernel, data)
    return data


@pytest.mark.parametrize("seed", range(12))
def test_random_nests(seed: int, tmp_path: Path) -> None:
    imported, changed = kept(nest(Random(f"pivots {seed}")), tmp_path)
    for turn in range(3):
        assert run(imported, f"{seed} {turn}") == run(changed, f"{seed} {turn}")


def test_some_random_nests_have_pivots(tmp_path: Path) -> None:
    kernels = [kept(nest(Random(f"pivots {n}")), tmp_path)[1] for n in range(12)]
    found = sum(any(name.startswith("p_row") for name in k.memories) for k in kernels)
    assert 2 <= found <= 9
