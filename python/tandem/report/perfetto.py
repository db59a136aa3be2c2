# SPDX-License-Identifier: Apache-2.0
"""A run's spans in the trace-event form that Perfetto and chrome://tracing open, span by span: a
run may have more of them than memory holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error

PS_PER_US = 1e6
ARGUMENTS = ("bytes", "call", "cycle", "cycles", "address", "word")
"""What is told of a span besides, as far as it has it."""
HEAD = b'{"displayTimeUnit": "ns", "otherData": {"format": "tandem-trace"'
"""How the file begins."""


def perfetto_json(spans: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The file in parts. One track a component; times in microseconds of simulated time."""
    about = {"format": "tandem-trace", "format_version": 1}
    head = json.dumps({"displayTimeUnit": "ns", "otherData": about})
    yield f'{head[:-1]}, "traceEvents": [\n'.encode()
    tracks: dict[str, int] = {}
    separator = ""
    for span in spans:
        events = []
        if span["component"] not in tracks:
            tracks[span["component"]] = len(tracks) + 1
            events.append(_name(span["component"], tracks))
        events.append(_event(span, tracks))
        for event in events:
            yield f"{separator}{json.dumps(event)}".encode()
            separator = ",\n"
    yield b"\n]}\n"


def read_spans(report: dict[str, Any], place: Path) -> Iterator[dict[str, Any]]:
    """The spans of a run that was asked to write them all; `place` is where the trace goes.

    Raises UserError where some are missing: the disk was full."""
    wanted, count = len(report["spans"]) + report["spans_dropped"], 0
    path = report["spans_file"] and Path(report["spans_file"])
    if path and path.exists():
        with path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    count += 1
                    yield json.loads(line)
    if count < wanted:
        raise user_error(
            "trace",
            f"only {count:,} of {wanted:,} spans could be kept",
            Place(str(place)),
            "free some space in the folder for temporary files, or choose another with $TMPDIR",
        )


def _name(component: str, tracks: dict[str, int]) -> dict[str, Any]:
    track = {"pid": 1, "tid": tracks[component]}
    return {"ph": "M", "name": "thread_name", **track, "args": {"name": component}}


def _event(span: dict[str, Any], tracks: dict[str, int]) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": span["category"],
        "cat": span["component"],
        "pid": 1,
        "tid": tracks[span["component"]],
        "ts": span["start_ps"] / PS_PER_US,
        "dur": (span["end_ps"] - span["start_ps"]) / PS_PER_US,
        "args": {key: span[key] for key in ARGUMENTS if key in span},
    }
