# SPDX-License-Identifier: Apache-2.0
"""A run's spans in the trace-event form that Perfetto and chrome://tracing open."""

from __future__ import annotations

from typing import Any

PS_PER_US = 1e6


def perfetto_json(report: dict[str, Any]) -> dict[str, Any]:
    """Trace events, one track a component; times in microseconds of simulated time."""
    components = list(dict.fromkeys(s["component"] for s in report["spans"]))
    names = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": i + 1, "args": {"name": c}}
        for i, c in enumerate(components)
    ]
    events = [
        {
            "ph": "X",
            "name": s["category"],
            "cat": s["component"],
            "pid": 1,
            "tid": components.index(s["component"]) + 1,
            "ts": s["start_ps"] / PS_PER_US,
            "dur": (s["end_ps"] - s["start_ps"]) / PS_PER_US,
            "args": {"bytes": s["bytes"], "call": s["call"]},
        }
        for s in report["spans"]
    ]
    about = {
        "format": "tandem-trace",
        "format_version": 1,
        "spans_dropped": report["spans_dropped"],
    }
    return {"displayTimeUnit": "ns", "otherData": about, "traceEvents": names + events}
