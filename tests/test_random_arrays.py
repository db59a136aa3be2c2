# SPDX-License-Identifier: Apache-2.0
"""Random functions that fill and copy arrays as a whole: C, IR and RTL agree in values and cycles.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_arrays import generate, values
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(6))
def test_random_arrays(seed: int, target: Target, tmp_path: Path) -> None:
    text = generate(seed)
    print(text)  # shown when the test fails
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for number in range(2):
        check(built, values(Random(seed + number)))
