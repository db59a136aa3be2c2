# SPDX-License-Identifier: Apache-2.0
"""One algorithm gets one pipeline, however it is spelled: each folder of `spellings/` has the same
function in many."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
FOLDER = Path(__file__).parent / "spellings"
II = {"box": 1}
SPELLINGS = sorted(FOLDER.glob("*/*.c"))


@pytest.mark.parametrize("path", SPELLINGS, ids=[f"{p.parent.name}-{p.stem}" for p in SPELLINGS])
def test_one_ii(path: Path, target: Target) -> None:
    algorithm = path.parent.name
    made = compile_kernel(Program.of(path), algorithm, target, CLOCK_PS, slower_clock=True)
    inner = max(made.schedule.blocks.values(), key=lambda s: len(s.block.ops) * s.block.is_loop)
    assert inner.ii == II[algorithm]
