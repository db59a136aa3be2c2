# SPDX-License-Identifier: Apache-2.0
"""Functions that are kept apart find in an array of their caller's what the call before has left.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from random_apart import generate
from seeds import seeds
from tandem.schedule.delays import Target


@pytest.mark.parametrize("seed", seeds(12))
def test_random_functions_apart(seed: int, target: Target, tmp_path: Path) -> None:
    text, out, given = generate(seed)
    print(text)  # shown when the test fails
    file = tmp_path / "top.c"
    file.write_text(text)
    built = build(file, "top", target, 10_000, tmp_path)
    random = Random(seed)
    for _ in range(3):
        check(built, {"out": bytes(out), "x": random.randbytes(given)})
