# SPDX-License-Identifier: Apache-2.0
"""What advice tries, in which order, and what of it is told: with runs that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tandem.host.prepare import Facts, Job, Prepared, _arrays
from tandem.ir.memory import MemoryKind
from tandem.platforms.engine import find_platform
from tandem.study import advice as search
from tandem.study.advice import SERVED, Builds, advice, left_on_host
from tandem.study.build_changes import build_changes

FACTS = Facts(("f",), "", "-O3", ("app.c",), areas=({"lut4": 300, "dsp": 60},), device={"dsp": 156})
LOOP = {"file": "app.c", "line": 3, "depth": 1, "ii": 1, "cycles": 900, "iterations": 80}
TIMES = ("configure", "host", "call", "copy", "transfer_in", "compute", "transfer_out", "wait")


def report(compute: int, **others: Any) -> dict[str, Any]:
    """A run of ten calls that computes so long, and moves for as long as takes 100."""
    breakdown = {**dict.fromkeys(TIMES, 0), "compute": compute, "transfer_in": 100}
    kernel = {"name": "f", "cycles": 1000, "calls": 10, "loops": [LOOP]}
    kernel["chained_calls"] = {"calls": 0, "distance": None, "staying": 0}
    total = sum(breakdown.values())
    plain = {
        "total_ps": total,
        "no_config_ps": total,
        "clock_ps": 10_000,
        "breakdown_ps": breakdown,
        "busy_ps": breakdown,
        "configurations": {"loads": 1},
        "kernels": [kernel],
        "calls": 10,
        "host_calls": {"calls": 0},
        "wrong_results": None,
        "memory": {"cut_batches": 0},
    }
    return {**plain, **others}


class Machine:
    """Runs that take what a table says of the directive or the setting in them; `built` are the
    directives of each build that was asked for."""

    def __init__(self, **computes: dict[str, Any] | int) -> None:
        self.computes = computes
        self.built: list[str] = []

    def build(self, job: Job) -> Prepared:
        words = " ".join([*job.given.directives, *job.changes, job.optimise])
        self.built.append(words)
        return replace(PLAIN, executable=Path(words))

    def emulated(
        self, build: Prepared, arguments: Sequence[str], changes: Sequence[str]
    ) -> dict[str, Any]:
        words = " ".join([str(build.executable), *changes])
        rows = [row for key, row in self.computes.items() if key in words]
        if not rows:
            return report(1000)
        if isinstance(rows[-1], dict):
            return report(**rows[-1])
        return report(min(row for row in rows if isinstance(row, int)))


PLAIN = Prepared(Path("plain"), (), find_platform("src-6e"), (), Path("app.c"), FACTS)


def told(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, **job: Any
) -> tuple[dict[tuple[str, ...], float], list[str]]:
    """Options -> gain, and what was not tried."""
    monkeypatch.setattr(search, "emulated", machine.emulated)
    builds = Builds(PLAIN, Job(Path("app.c"), "f", **job), machine.build)
    rows, untried = advice(builds, (), report(1000))
    gains = {tuple(row["options"]): row["gain"] for row in rows}
    assert len(gains) == len(rows), "nothing is told twice"
    return gains, untried


def test_of_more_and_more_copies_the_best_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(**{"unroll(2)": 600, "unroll(4)": 400, "unroll(8)": 400})
    rows, untried = told(monkeypatch, machine)
    assert rows["--directive", "app.c:3: unroll(4)"] == 2.2 and not untried
    assert not any("unroll(2)" in words for options in rows for words in options)
    # Where eight gained nothing over four, sixteen are not built.
    assert not any("unroll(16)" in words for words in machine.built)


def test_what_gains_apart_may_not_gain_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, _ = told(monkeypatch, Machine(**{"unroll(2)": 600, "area": 700}))
    one, other = ("--directive", "app.c:3: unroll(2)"), ("--optimise", "area")
    assert rows == {one: pytest.approx(1100 / 700), other: pytest.approx(1100 / 800)}
    rows, _ = told(monkeypatch, Machine(**{"unroll(2)": 600, "area": 700, "unroll(2) area": 500}))
    assert rows[*other, *one] == pytest.approx(1100 / 600)


def test_what_cannot_be_had_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other calls than before, batches that were cut, and copies that the device does not hold."""
    machine = Machine(
        **{
            "unroll(2)": {"compute": 10, "calls": 9},
            "batch.calls=10": {"compute": 10, "memory": {"cut_batches": 1}},
            "kernel.units=2": 600,
            "kernel.units=4": 300,
        }
    )
    rows, _ = told(monkeypatch, machine)
    assert list(rows) == [("--set", "kernel.units=2")]


def test_what_there_was_no_time_for_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(**{"unroll(2)": 600, "memory.width": 900})
    rows, untried = told(monkeypatch, machine, budget_s=0)
    assert list(rows) == [("--set", "memory.width=16B")] and not machine.built
    assert "built for time" in untried and "`unroll(2)` for the loop at app.c:3" in untried


def changes(facts: Facts, loops: Sequence[dict[str, Any]], **others: Any) -> dict[str, float]:
    """Options -> share."""
    found = report(1000)
    found["kernels"][0]["loops"] = loops
    platform = {"devices": [{"clock_hz": 100_000_000, "clock_ps": 10_000}]}
    said = {"optimise": "balanced", "has_clock": True, **others}
    rows = build_changes(platform, facts, found, **said)
    return {" ".join(row.options): row.share for row in rows}


def test_loops_are_tried_by_their_part_of_the_cycles() -> None:
    outer = {**LOOP, "ii": None, "cycles": 100}
    inner = {**LOOP, "line": 4, "depth": 2, "ii": 3, "cycles": 700}
    facts = replace(FACTS, arrays=(("f", "sums"),))
    found = changes(facts, [outer, inner])
    assert found["--directive app.c:3: pipeline"] == pytest.approx(0.8)
    assert found["--directive app.c:4: unroll(2)"] == pytest.approx(0.7)
    assert found["--directive app.c:4: reassociate"] == pytest.approx(0.7)
    assert "--directive app.c:4: unroll(4) --directive f: partition(sums, 4)" in found
    assert not any("app.c:3: unroll" in options for options in found)


def test_a_kernel_is_weighed_by_how_often_its_loops_have_run() -> None:
    inner = {**LOOP, "line": 4, "depth": 2, "iterations": 30}
    border = {**inner, "iterations": 10}
    last = {**LOOP, "line": 9, "iterations": 0}
    found = changes(FACTS, [LOOP, inner, border, last])
    rows = "--directive app.c:3: trips(8) --directive app.c:4: trips(1)"
    assert f"{rows} --directive app.c:9: trips(1)" in found


def test_goals_and_clocks_are_others_than_those_of_the_build() -> None:
    assert {"--optimise time", "--optimise area"} <= changes(FACTS, []).keys()
    assert "--optimise time" not in changes(FACTS, [], optimise="time")
    assert not any("clock" in options for options in changes(FACTS, []))
    free = changes(FACTS, [], has_clock=False)
    assert {"--set device.clock=200MHz", "--clock-ns 12.5"} <= free.keys()
    slow = replace(FACTS, clock_note="f runs at 50 MHz")
    assert "--clock-ns 10" in changes(slow, [], has_clock=False)


def test_what_the_host_runs_is_tried_with_the_directives_that_serve_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each directive once, all in one build, whose calls are those that are told; without time for
    it its name is."""
    directives = ["_Z1fPhS_i: overlap(a, b)", "", "g: overlap(c, d)", "g: overlap(c, d)"]
    reasons = [{"reason": "", "example": "", "directive": words} for words in directives]
    before = report(1000, host_calls={"calls": 4, "reasons": reasons})
    machine = Machine(overlap={"compute": 1000, "host_calls": {"calls": 1, "reasons": []}})
    monkeypatch.setattr(search, "emulated", machine.emulated)
    job = Job(Path("app.c"), "f", budget_s=1)
    asked = ["f: overlap(a, b)", "g: overlap(c, d)"]
    options = [word for words in asked for word in ("--directive", words)]
    served = left_on_host(Builds(PLAIN, job, machine.build), [], before)
    assert served == ({"options": options, "host_calls": 1}, [])
    assert machine.built == [" ".join([*asked, "balanced"])]
    late = Builds(PLAIN, replace(job, budget_s=0), machine.build)
    assert left_on_host(late, [], before) == (None, [SERVED])
    assert left_on_host(Builds(PLAIN, job), [], before) == (None, [])


def test_the_arrays_to_be_partitioned_are_a_functions_own() -> None:
    """Those that are memories of the hardware, however often functions have one of the name."""
    body = "{\n  %sums = alloca [8 x i32], align 4\n  %gone = alloca [4 x i8], align 1\n"
    memories = {"sums": SimpleNamespace(name="sums", kind=MemoryKind.RAM)}
    memories["gone"] = SimpleNamespace(name="gone", kind=MemoryKind.ROM)
    schedule = SimpleNamespace(kernel=SimpleNamespace(memories=memories))
    modules = [f"define void @{name}() {body}  ret void\n}}\n" for name in ("f", "sums")]
    made: Any = SimpleNamespace(schedule=schedule, modules=modules)
    assert list(_arrays(made)) == [("f", "sums"), ("sums", "sums")]
