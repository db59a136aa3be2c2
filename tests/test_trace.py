# SPDX-License-Identifier: Apache-2.0
"""Traces have every span of a run, or are not there."""

from __future__ import annotations

import json
from itertools import pairwise
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
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert all(tracks[e["tid"]] == e["cat"] for e in spans)
    ends: dict[str, float] = {}
    for e in spans:
        assert e["ts"] >= ends.get(e["cat"], 0) - 1e-6
        ends[e["cat"]] = e["ts"] + e["dur"]


def test_what_is_in_a_trace_is_well_formed(tmp_path: Path) -> None:
    """Processes and threads have names and an order, slices of a thread do not overlap, counters
    end at 0, and arrows go from slice to slice in the order of time."""
    text = LOOP.replace("CALLS", "40").replace("ENDING", "")
    source(tmp_path, KERNEL + text)
    words = [
        "--set",
        "kernel.units=2",
        "--set",
        "batch.calls=4",
        "--set",
        "transfer.mode=streaming",
    ]
    done = tandem("run", "app.c", "--offload", "scale", *words, "--trace", "t.json", cwd=tmp_path)
    good(done)
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    named = {"process_name": set[Any](), "process_sort_index": set[Any]()}
    threads: dict[str, set[Any]] = {"thread_name": set(), "thread_sort_index": set()}
    for event in events:
        if event["ph"] == "M" and event["name"] in named:
            named[event["name"]].add(event["pid"])
        elif event["ph"] == "M":
            threads[event["name"]].add((event["pid"], event["tid"]))
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["pid"] for event in events} == named["process_name"]
    assert named["process_name"] == named["process_sort_index"]
    assert {(event["pid"], event["tid"]) for event in slices} == threads["thread_name"]
    assert threads["thread_name"] == threads["thread_sort_index"]
    processes = {e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert processes == {"run", "host software", "interconnect", "device"}
    by_thread: dict[Any, list[tuple[int, int]]] = {}
    for event in slices:
        begin, length = round(event["ts"] * 1e6), round(event["dur"] * 1e6)
        by_thread.setdefault((event["pid"], event["tid"]), []).append((begin, begin + length))
    for own in by_thread.values():
        own.sort()
        assert all(end <= begin for (_, end), (begin, _) in pairwise(own))
    counters: dict[str, list[tuple[float, int]]] = {}
    for event in events:
        if event["ph"] == "C":
            counters.setdefault(event["name"], []).append((event["ts"], event["args"]["value"]))
    assert set(counters) == {"bytes in flight", "calls in flight"}
    for rows in counters.values():
        assert rows == sorted(rows) and rows[-1][1] == 0
        assert min(value for _, value in rows) == 0 and max(value for _, value in rows) > 0
    arrows: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] in "stf":
            arrows.setdefault(event["id"], []).append(event)
    assert len(arrows) > 5
    for rows in arrows.values():
        kinds = "".join(event["ph"] for event in rows)
        assert kinds == "s" + "t" * (len(rows) - 2) + "f" and rows[-1]["bp"] == "e"
        times = [event["ts"] for event in rows]
        assert times == sorted(times)
        for event in rows:
            begin = round(event["ts"] * 1e6)
            assert begin in {start for start, _ in by_thread[event["pid"], event["tid"]]}


def test_counters_of_more_spans_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorted parts in files, and calls that are no longer followed."""
    monkeypatch.setattr("tandem.report.sorting.KEPT_ROWS", 7)
    monkeypatch.setattr("tandem.report.perfetto.OPEN_CALLS", 3)
    span = {"component": "link", "category": "transfer_in", "fixed_ps": 0}
    late = 10**17 + 1
    spans = [
        {**span, "start_ps": late + 10 * k, "end_ps": late + 10 * k + 15, "bytes": k, "call": k}
        for k in range(50)
    ]
    events = json.loads(b"".join(perfetto_json(spans)))["traceEvents"]
    text = b"".join(perfetto_json(spans)).decode()
    assert '"ts": 100000000000.000001' in text
    for name in ("bytes in flight", "calls in flight"):
        values = [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"] == name]
        assert values[-1] == 0 and max(values) == (48 + 49 if name[0] == "b" else 2)


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
