# SPDX-License-Identifier: Apache-2.0
"""Random C functions: C, IR and RTL agree in values and cycles. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from random_c import SIZES, generate
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
COUNT = int(os.environ.get("TANDEM_FUZZ", "12"))
FIRST = int(os.environ.get("TANDEM_FUZZ_FIRST", "0"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_program(seed: int, target: Target, tmp_path: Path) -> None:
    program, random = generate(seed), Random(seed)
    print(program.text)  # shown when the test fails
    source = tmp_path / "top.c"
    source.write_text(program.text)
    built = build(source, "top", target, CLOCK_PS, tmp_path, slower_clock=True)
    for n in SIZES:
        check(built, program.values(random, n))
        check(built, program.values(random, n), {s: random.randint(1, 4) for s in built.streams()})


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7).text == generate(7).text
