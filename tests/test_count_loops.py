# SPDX-License-Identifier: Apache-2.0
"""The counter in digits: narrow digits here, so that every carry is reached in few iterations."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.languages.imported import import_c
from tandem.passes.pipelines import Facts, Options, run_pipeline

SOURCE = """
unsigned top(unsigned n, unsigned x)
{
    unsigned turns = 0;
    for (unsigned i = 0; i < n; i++)
        turns += x ^ (turns << 1);
    return turns;
}
"""


def reference(n: int, x: int) -> int:
    turns = 0
    for _ in range(n):
        turns = turns + (x ^ (turns << 1)) & 0xFFFFFFFF
    return turns


@pytest.fixture(params=[3, 4, 7, 24, 32], ids=lambda bits: f"{bits}-bits")
def kernel(request: pytest.FixtureRequest, tmp_path: Path) -> Kernel:
    source = tmp_path / "top.c"
    source.write_text(SOURCE)
    kernel = import_c(Program.of(source), "top").kernel
    run_pipeline(kernel, Options(facts=Facts(counter_bits=request.param)))
    return kernel


def test_every_count_up_to_two_carries(kernel: Kernel) -> None:
    assert any(block.trip_count is not None for block in kernel.blocks)
    for n in [*range(0, 140), 511, 512, 513, 514, 1023, 1024, 1025]:
        assert interpret(kernel, {"n": n, "x": 5}) == reference(n, 5), n
