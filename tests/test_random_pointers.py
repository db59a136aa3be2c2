# SPDX-License-Identifier: Apache-2.0
"""Random pointers in memory: C, IR and RTL agree in values and cycles. TANDEM_FUZZ=N tries N
seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_pointers import DATA_BYTES, generate
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
FOLDED, NULLED = 113, 102004
"""Of programs with a choice that CIRCT once folded wrongly, and with a pointer that stays null once
it is, of which LLVM makes a number."""


@pytest.mark.parametrize("seed", [*seeds(4), FOLDED, NULLED])
def test_random_pointers(seed: int, target: Target, tmp_path: Path) -> None:
    text = generate(seed)
    print(text)  # shown when the test fails
    built = build_text(text, target, CLOCK_PS, tmp_path)
    random = Random(seed)
    for _ in range(4):
        check(built, {"data": random.randbytes(DATA_BYTES)})
