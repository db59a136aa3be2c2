# SPDX-License-Identifier: Apache-2.0
"""Random functions that call themselves and each other: C, IR and RTL agree in values and cycles.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_recursion import DEEPEST, generate
from seeds import seeds
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.languages.imported import import_c
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(6))
def test_random_recursion(seed: int, target: Target, tmp_path: Path) -> None:
    text = generate(seed)
    print(text)  # shown when the test fails
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    random = Random(seed)
    for n in (-1, 0, 1, 3, DEEPEST):
        given = {"n": n & (1 << 32) - 1, "x": random.getrandbits(32), "result": 0}
        check(built, given | {"total": bytes(4)})


def test_a_seed_always_gives_the_same_functions() -> None:
    assert generate(7) == generate(7)


POINTERS = """
#pragma tandem recursion(8)
static int walk(int n, int x)
{
    int table[2][2] = {{x, 1}, {n, 5}};
    int *row = table[x & 1], *place = &row[n & 1];
    if (n <= 0)
        return *place;
    int below = walk(n - 1, *place + 1);
    if (below & 1)
        *place += below;
    return 3 * *place + row[1] + below;
}
int top(int n, int x) { return walk(n, x); }
"""


def walk(n: int, x: int) -> int:
    """The same."""
    table = [[x, 1], [n, 5]]
    row, place = table[x & 1], n & 1
    if n <= 0:
        return row[place]
    below = walk(n - 1, row[place] + 1)
    row[place] += below if below & 1 else 0
    return 3 * row[place] + row[1] + below


def test_pointers_from_pointers_into_a_frame_hold_behind_a_call(tmp_path: Path) -> None:
    file = tmp_path / "top.c"
    file.write_text(POINTERS)
    kernel = import_c(Program.of(file), "top").kernel
    for n, x in product(range(8), range(4)):
        assert interpret(kernel, {"n": n, "x": x, "result": 0}) == walk(n, x), (n, x)
