# SPDX-License-Identifier: Apache-2.0
"""Random functions that call themselves and each other: C, IR and RTL agree in values and cycles.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from random_recursion import DEEPEST, generate
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(6))
def test_random_recursion(seed: int, target: Target, tmp_path: Path) -> None:
    text = generate(seed)
    print(text)  # shown when the test fails
    source = tmp_path / "top.c"
    source.write_text(text)
    built = build(source, "top", target, CLOCK_PS, tmp_path, slower_clock=True)
    random = Random(seed)
    for n in (-1, 0, 1, 3, DEEPEST):
        given = {"n": n & (1 << 32) - 1, "x": random.getrandbits(32), "result": 0}
        check(built, given | {"total": bytes(4)})


def test_a_seed_always_gives_the_same_functions() -> None:
    assert generate(7) == generate(7)
