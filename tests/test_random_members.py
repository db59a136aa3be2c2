# SPDX-License-Identifier: Apache-2.0
"""Random structs whose members may be memories of their own: C, IR and RTL agree in values and
cycles. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_members import DATA_BYTES, MOST_BYTES, generate
from seeds import seeds
from tandem.frontend.program import Program
from tandem.ir.ops import Access
from tandem.languages.imported import import_c
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
STRUCTS = ("p", "o", "shared", "top_here")


@pytest.mark.parametrize("seed", sorted({*seeds(10), 30}))
def test_random_members(seed: int, target: Target, tmp_path: Path) -> None:
    text = generate(seed)
    print(text)  # shown when the test fails
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    random = Random(seed)
    for n in (0, 3, 12):
        structs = {name: random.randbytes(MOST_BYTES) for name in STRUCTS}
        check(built, {**structs, "data": random.randbytes(DATA_BYTES), "n": n})


def test_most_of_them_have_members_apart(tmp_path: Path) -> None:
    apart = 0
    for seed in range(20):
        source = tmp_path / f"top{seed}.c"
        source.write_text(generate(seed))
        kernel = import_c(Program.of(source), "top").kernel
        used = {op.memory.name for _, op in kernel.ops() if isinstance(op, Access)} - {
            "data",
            "buffer",
        }
        apart += len(used) > 1
    assert apart > 10
