# SPDX-License-Identifier: Apache-2.0
"""Traces have every span of a run, or are not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.diagnostics import UserError
from tandem.report.perfetto import perfetto_json, read_spans
from trial import KERNEL, good, refused, source, tandem

CALLS = 5_000
KEPT = 10_000

LOOP = """
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    static unsigned char a[64], b[64];
    for (int i = 0; i < CALLS; i++)
        scale(a, b, 64);
    ENDING
    return 0;
}
"""


def run(folder: Path, ending: str = "", mode: str = "emulate") -> Any:
    text = LOOP.replace("CALLS", str(CALLS)).replace("ENDING", ending)
    source(folder, KERNEL + text)
    words = ["--offload", "scale", "--mode", mode, "--trace", "t.json"]
    return tandem("run", "app.c", *words, cwd=folder)


def test_every_span_of_a_long_run(tmp_path: Path) -> None:
    good(run(tmp_path))
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    spans = [e for e in events if e["ph"] == "X"]
    assert len(spans) > KEPT
    assert [e["args"]["call"] for e in spans if e["name"] == "compute"] == list(range(CALLS))
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    assert all(tracks[e["tid"]] == e["cat"] for e in spans)
    ends: dict[str, float] = {}
    for e in spans:
        assert e["ts"] >= ends.get(e["cat"], 0) - 1e-6
        ends[e["cat"]] = e["ts"] + e["dur"]


def test_forked_processes_are_not_in_it(tmp_path: Path) -> None:
    good(run(tmp_path, "if (fork() == 0) { scale(a, b, 64); exit(0); }"))
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert sum(e["name"] == "compute" for e in events) == CALLS


@pytest.mark.parametrize("ending", ["abort();", "return 3;"])
def test_no_trace_of_a_run_that_fails(tmp_path: Path, ending: str) -> None:
    done = run(tmp_path, ending)
    assert done.returncode != 0
    assert [p.name for p in tmp_path.iterdir()] == ["app.c"]


def test_a_native_run_has_none(tmp_path: Path) -> None:
    good(run(tmp_path, mode="native"))
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"] == []


def test_missing_spans_are_told(tmp_path: Path) -> None:
    span = {"component": "link", "category": "call", "start_ps": 1, "end_ps": 2}
    line = json.dumps({**span, "bytes": 0, "fixed_ps": 0, "call": 0})
    (tmp_path / "spans").write_text(f"{line}\n{line}\n{line[:9]}")
    report = {"spans": [], "spans_dropped": 3, "spans_file": str(tmp_path / "spans")}
    with pytest.raises(UserError, match="only 2 of 3 spans"):
        list(perfetto_json(read_spans(report, tmp_path / "t.json")))


def test_a_full_disk_leaves_no_trace(tmp_path: Path) -> None:
    source(tmp_path)
    words = ["run", "app.c", "--offload", "scale", "--trace", "/dev/full"]
    refused(tandem(*words, cwd=tmp_path), "error[cannot-write]", "/dev/full")
