# SPDX-License-Identifier: Apache-2.0
"""What is told of a kernel and of a run is true."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.describe.loops import loops_json
from tandem.frontend.program import Program
from tandem.report.baselines import (
    break_even,
    break_even_text,
    cold_s,
    software_spread,
    spread_text,
)
from tandem.report.breakdown import CATEGORIES
from tandem.report.loops import show_loops, show_loops_of_run
from tandem.report.page import pipeline
from tandem.report.run_figures import data_of
from tandem.schedule.delays import Target
from trial import good, refused, source, tandem

KERNELS = Path(__file__).parent / "kernels"
NO_PIPELINE = ("two_passes", "blur", "straight")
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
    assert row["limit"] == (
        "3 accesses an iteration: `table` has one port to load through; "
        "put part of `table` into an array of its own: an iteration every 2 cycles (not tried here)"
    )


def test_loops_without_a_pipeline_are_rows_too(tmp_path: Path, target: Target) -> None:
    rows = loops_json(compiled(tmp_path, "matrix_multiply", target).schedule)
    assert [row["depth"] for row in rows] == [1, 2]
    assert rows[0]["ii"] is None and rows[0]["limit"] == "no pipeline: it contains a loop"
    assert rows[1]["line"] > rows[0]["line"] > 0
    assert all("takes 0 cycles" not in row["limit"] for row in rows)


def a_run(**changes: Any) -> dict[str, Any]:
    """1000 bytes in 1 ms: a tenth is configuration, nothing else is fixed."""
    fixed = dict.fromkeys(CATEGORIES, 0.0) | {"configure": 1e-4}
    run = {"mode": "emulate", "data_bytes": 1000, "calls": 1}
    return {**run, "total_s": 1e-3, "fixed_s": fixed, **changes}


def a_tally(**changes: Any) -> dict[str, Any]:
    names = ("long_calls", "long_ps", "short_calls", "short_ps", "short_cycles")
    return {"software": {**dict.fromkeys(names, 0), "samples": [], **changes}}


def samples(*rows: tuple[int, float]) -> list[dict[str, float]]:
    """Of so many cycles, each of so many nanoseconds, and half of it more where it was most."""
    return [{"cycles": c, "least_ps": 1000 * ns, "greatest_ps": 1500 * ns} for c, ns in rows]


def test_short_calls_take_what_their_samples_say() -> None:
    rows = samples((10, 30), (20, 50), (100, 210))
    tally = a_tally(short_calls=100, short_cycles=5000, short_ps=90_000_000, samples=rows)
    spread = software_spread({"kernels": [tally, a_tally(long_calls=1, long_ps=3_000_000)]})
    assert spread == pytest.approx((14e-6, 19.5e-6))
    assert cold_s({"kernels": [tally]}) == pytest.approx(90e-6)
    assert spread_text({"least_s": 2.0, "greatest_s": 3.0}) == "+50%"
    assert not spread_text({"least_s": 2.0, "greatest_s": 2.0})


@pytest.mark.parametrize(
    ("rows", "wanted_ns"),
    [
        (samples((0, 40), (0, 60)), 46.2),  # native mode knows no cycles: near the shorter one
        (samples((10, 80), (20, 40)), 48.0),  # no line falls
        (samples((50, 40), (100, 90)), 8.44),  # nor does one begin below 0
        (samples((1000, 40), (101_000, 90)), 39.505),  # however little a cycle adds
        ([], 70.0),
    ],
)
def test_a_call_takes_no_less_the_more_it_does(rows: list[Any], wanted_ns: float) -> None:
    tally = a_tally(short_calls=1, short_cycles=10, short_ps=70_000, samples=rows)
    least, _ = software_spread({"kernels": [tally]})
    assert least == pytest.approx(wanted_ns * 1e-9, rel=0.01)


def test_never_only_if_it_is_never_over_the_whole_spread() -> None:
    texts = {}
    for name, spread in (("slow", (2e-3, 4e-3)), ("fast", (1e-4, 5e-4)), ("mixed", (8e-4, 1e-2))):
        texts[name] = break_even_text(break_even(a_run(), {name: spread})[name])
    assert texts["slow"].startswith("32 bytes to 91 bytes; ")
    assert texts["fast"].startswith("never (software")
    assert texts["mixed"].startswith("never to 11 bytes (")


def test_a_run_of_few_bytes_says_that_configuration_dominates(tmp_path: Path) -> None:
    source(tmp_path)
    done = tandem("run", "app.c", "--offload", "scale", "--platform", "src-6e", cwd=tmp_path)
    good(done)
    assert "Configuring the device dominates" in done.stdout
    table = done.stdout[done.stdout.index("configure") : done.stdout.index("loop ")]
    assert "%" not in table


def arrays(*rows: tuple[int, str, bool, bool]) -> dict[str, Any]:
    """A kernel with arrays: their bytes, direction, whether they are read, and grow."""
    names = ("bytes", "direction", "reads", "grows")
    return {
        "arguments": {
            "rows": [{"kind": "memory", **dict(zip(names, r, strict=True))} for r in rows]
        }
    }


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([(4096, "in", True, True), (4, "out", False, False)], (4096, "input")),
        ([(64, "in", True, False), (900, "out", False, True)], (900, "results")),
        ([(4096, "in", True, False), (4, "out", False, False)], (4096, "input")),
        ([(4096, "in", True, False)], (4096, "input")),  # the result is a number
        # A block and its keys:
        ([(256, "in", True, False), (16, "out", False, False)], (16, "results")),
        ([(800, "inout", True, False)], (800, "results")),
        ([], (0, "results")),
    ],
)
def test_the_bytes_that_calls_are_for(rows: list[Any], wanted: tuple[int, str]) -> None:
    assert data_of(arrays(*rows)) == wanted


def test_a_sum_takes_cycles_a_byte_of_what_goes_in(tmp_path: Path) -> None:
    text = """int total(const int in[1024]) {
        int sum = 0;
        for (int i = 0; i < 1024; i++) sum += in[i];
        return sum; }
    static int data[1024];
    int main(void) { return total(data); }
    """
    source(tmp_path, text)
    done = tandem("run", "app.c", "--offload", "total", cwd=tmp_path)
    good(done)
    assert re.search(r"total: 1,0\d\d cycles a call, 0.25\d cycles a byte of input,", done.stdout)
    assert "rate of input" in done.stdout and ", in bytes of input: " in done.stdout
    done = tandem("run", "app.c", "--offload", "total", "--json", cwd=tmp_path)
    run = json.loads(done.stdout)
    assert (run["data_bytes"], run["data_kind"]) == (4096, "input")


@pytest.mark.parametrize("mode", ["native", "emulate"])
def test_a_baseline_of_ones_own(tmp_path: Path, mode: str) -> None:
    source(tmp_path)
    words = ["run", "app.c", "--offload", "scale", "--mode", mode, "--json"]
    done = tandem(*words, "--baseline", "sleep 0.05", cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    assert 0.05 <= result["baselines_s"]["your sleep"] < 1
    spread = result["baseline_spreads"]["your sleep"]
    assert spread["least_s"] <= spread["greatest_s"]


def test_a_baseline_that_fails_costs_no_result(tmp_path: Path) -> None:
    source(tmp_path)
    words = ["run", "app.c", "--offload", "scale", "--baseline"]
    done = tandem(*words, "sh -c 'exit 3'", cwd=tmp_path)
    refused(done, "error[baseline]", "status 3")
    assert "cycles a call" in done.stdout
    for command in ("no-such-program", "'", ""):
        done = tandem(*words, command, cwd=tmp_path)
        refused(done, "error[baseline]")
        assert not done.stdout


def page(show: Callable[[Any, Console], None], shown: Any) -> str:
    console = Console(record=True, width=100, file=StringIO())
    show(shown, console)
    return " ".join(console.export_text().split())


def test_a_loop_is_named_by_its_line_and_by_its_file_where_there_are_several() -> None:
    row = {"file": "a.c", "line": 3, "depth": 1, "ii": 1, "length_cycles": 1200, "limit": ""}
    turns = "4 iterations of its outer loop take turns"
    inner = {**row, "line": 5, "depth": 2, "ii": None, "limit": "no pipeline", "changes": [turns]}
    one = page(show_loops, [row, inner])
    assert "line 3 1 1,200 line 5 - 1,200" in one
    assert "loop at line 5: 4 iterations of its outer loop take turns" in one
    assert one.endswith("loop at line 5: no pipeline") and "loop at line 3" not in one
    several = page(show_loops, [row, {**inner, "file": "b.c", "elsewhere": True}])
    assert "a.c:3 1 1,200 b.c:5 - 1,200" in several and "loop at b.c:5: no pipeline" in several
    (only,) = [{**inner, "file": "b.h", "elsewhere": True}]
    assert "loop at b.h:5: no pipeline" in page(show_loops, [only])
    assert page(show_loops, []) == ""


def test_a_loops_part_of_the_cycles_is_shown() -> None:
    row = {"file": "a.c", "line": 3, "depth": 1, "ii": 2, "limit": "", "iterations": 300}
    loops = [{**row, "cycles": 600}]
    kernel = {"cycles": 800, "outside_cycles": 0, "waiting_cycles": 0, "loops": loops}
    told = page(show_loops_of_run, kernel)
    assert "line 3 2 300 600 75.0% outside of loops 0 0.0%" in told and "waiting" not in told
    told = page(show_loops_of_run, {**kernel, "waiting_cycles": 200})
    assert told.endswith("waiting for records 200 25.0%")
    assert page(show_loops_of_run, {**kernel, "cycles": 0}) == ""
