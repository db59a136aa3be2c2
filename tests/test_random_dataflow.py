# SPDX-License-Identifier: Apache-2.0
"""Random loops of calls that run beside each other: C, IR and RTL agree in values and cycles.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_dataflow import MOST_FRAMES, generate
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(8))
def test_random_loop(seed: int, target: Target, tmp_path: Path) -> None:
    loop = generate(seed)
    print(loop.text)  # shown when the test fails
    built = build_text(loop.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for frames in (0, 1, 2, 3, MOST_FRAMES):
        check(built, loop.values(Random(seed), frames))


def test_a_seed_always_gives_the_same_loop() -> None:
    assert generate(7).text == generate(7).text
