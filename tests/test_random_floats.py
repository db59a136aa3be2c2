# SPDX-License-Identifier: Apache-2.0
"""Random functions over floating-point numbers: C, IR and RTL agree in values and cycles.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_floats import LONGEST, generate
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(4))
def test_random_floats(seed: int, target: Target, tmp_path: Path) -> None:
    program = generate(seed)
    print(program.text)  # shown when the test fails
    built = build_text(program.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for count in (0, 1, 5, LONGEST):
        check(built, program.values(Random(seed + count), count))
