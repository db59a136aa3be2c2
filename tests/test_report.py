# SPDX-License-Identifier: Apache-2.0
"""What is told of a kernel and of a run is true."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler import Compiled, compile_kernel
from tandem.frontend.program import Program
from tandem.report.page import pipeline
from tandem.schedule.delays import Target

KERNELS = Path(__file__).parent / "kernels"
NO_PIPELINE = ("two_passes", "insertion_sort", "straight")
STRAIGHT = "unsigned straight(unsigned a, unsigned b) { return a * b + 1; }\n"


def compiled(folder: Path, name: str, target: Target) -> Compiled:
    path = KERNELS / f"{name}.c"
    if name == "straight":
        path = folder / "straight.c"
        path.write_text(STRAIGHT)
    return compile_kernel(Program.of(path), name, target, 10_000, slower_clock=True)


def test_one_pipeline_has_an_ii(tmp_path: Path, target: Target) -> None:
    schedule = compiled(tmp_path, "vector_add", target).schedule
    assert schedule.ii == 1 and schedule.latency_cycles
    row = {"ii": schedule.ii, "latency_cycles": schedule.latency_cycles}
    assert pipeline(row) == f"ii=1, latency {schedule.latency_cycles} cycles"


@pytest.mark.parametrize("name", NO_PIPELINE)
def test_other_kernels_have_none(tmp_path: Path, target: Target, name: str) -> None:
    schedule = compiled(tmp_path, name, target).schedule
    assert schedule.ii is None and schedule.latency_cycles is None
    assert "ii=" not in pipeline({"ii": None, "latency_cycles": None})
