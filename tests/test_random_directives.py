# SPDX-License-Identifier: Apache-2.0
"""Random directives before the loops, arrays and functions of random C: what is made of it agrees
with the C, or a directive that cannot be had is told. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from random_c import SIZES, generate
from random_directives import with_directives
from seeds import seeds
from tandem.diagnostics import Infeasible, UserError
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
CANNOT_BE_HAD = {"pragma", "ii", "inner-loop", "too-large", "call-in-pipeline"}
"""Codes of what is told of directives."""


@pytest.mark.parametrize("seed", seeds(8))
def test_random_directives(seed: int, target: Target, tmp_path: Path) -> None:
    program = generate(seed)
    program.text = with_directives(program.text, Random(seed))
    print(program.text)  # shown when the test fails
    source = tmp_path / "top.c"
    source.write_text(program.text)
    try:
        built = build(source, "top", target, CLOCK_PS, tmp_path, slower_clock=True)
    except (UserError, Infeasible) as error:
        assert {d.code for d in error.diagnostics} <= CANNOT_BE_HAD
        pytest.skip(f"refused: {', '.join(d.code for d in error.diagnostics)}")
    for n in SIZES:
        check(built, program.values(Random(seed), n))
