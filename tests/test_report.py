# SPDX-License-Identifier: Apache-2.0
"""What is told of a kernel and of a run is true."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler import Compiled, compile_kernel
from tandem.frontend.program import Program
from tandem.report.page import pipeline
from tandem.report.schedule import loops_json
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


PORT = """int sum(const int *table, const unsigned char *at, unsigned n) {
    int total = 0;
    for (unsigned i = 0; i < n; i++)
        total += table[at[i]] + table[at[i] + 1] + table[at[i] + 300];
    return total;
}
"""


def test_the_array_that_limits_a_loop_is_named(tmp_path: Path, target: Target) -> None:
    path = tmp_path / "sum.c"
    path.write_text(PORT)
    schedule = compile_kernel(Program.of(path), "sum", target, 10_000, slower_clock=True).schedule
    (row,) = loops_json(schedule)
    assert row["ii"] == 3 and row["depth"] == 1 and row["line"] == 3
    assert row["limit"] == "3 accesses an iteration: `table` has one port to load through"


def test_loops_without_a_pipeline_are_rows_too(tmp_path: Path, target: Target) -> None:
    rows = loops_json(compiled(tmp_path, "insertion_sort", target).schedule)
    assert [row["depth"] for row in rows] == [1, 2]
    assert rows[0]["ii"] is None and rows[0]["limit"] == "no pipeline: it contains a loop"
    assert rows[1]["line"] > rows[0]["line"] > 0
    assert all("takes 0 cycles" not in row["limit"] for row in rows)
