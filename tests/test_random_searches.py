# SPDX-License-Identifier: Apache-2.0
"""Random bisections, and what looks like one: C, IR and RTL agree in values and
cycles. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_searches import generate
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(8))
def test_random_searches(seed: int, target: Target, tmp_path: Path) -> None:
    program = generate(seed)
    print(program.text)  # shown when the test fails
    built = build_text(program.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for number in range(3):
        check(built, program.values(Random(seed + number)))
