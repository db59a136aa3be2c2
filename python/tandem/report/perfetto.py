# SPDX-License-Identifier: Apache-2.0
"""A run's spans in the trace-event form that Perfetto and chrome://tracing open, span by span: a
run may have more of them than memory holds. docs/trace.md says what is in it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error
from tandem.report.sorting import Sorter

PS_PER_US = 10**6
ARGUMENTS = ("bytes", "call", "cycle", "cycles", "address", "word")
"""What is told of a span besides, as far as it has it."""
HEAD = b'{"displayTimeUnit": "ns", "otherData": {"format": "tandem-trace"'
"""How the file begins."""
PARTS = ("program", "host software", "interconnect", "device", "processor", "bus", "kernels")
"""The processes, in the order in which they are shown; the last three are a chip's."""
PART_OF = {
    "host": "program",
    "call": "host software",
    "copy": "host software",
    "wait": "host software",
    "transfer_in": "interconnect",
    "transfer_out": "interconnect",
    "configure": "device",
    "compute": "device",
    "loop": "device",
}
"""Whose the spans of a category are."""
COUNTERS = 1
"""The process of the counters."""
STAGES = ("call", "transfer_in", "compute", "transfer_out")
"""What a call's arrows lead through."""
OPEN_CALLS = 1 << 16
"""So many calls are followed at a time: of more, the one that was silent longest has ended."""


@dataclass
class _Lane:
    """A thread, and the end of its last span."""

    tid: int
    end_ps: int = 0


@dataclass
class _Call:
    """A call so far: when it began and ended, and the begin and the thread of each stage."""

    begin_ps: int
    end_ps: int
    stages: dict[str, tuple[int, int, int]] = field(default_factory=dict)


@dataclass
class _Trace:
    """The tracks of a file, and what is known of calls that have not ended."""

    lanes: dict[tuple[int, str], list[_Lane]] = field(default_factory=dict)
    pids: set[int] = field(default_factory=set)
    calls: OrderedDict[int, _Call] = field(default_factory=OrderedDict)
    counts: Sorter = field(default_factory=Sorter)
    threads: int = 0

    def events(self, span: dict[str, Any]) -> Iterator[str]:
        """A span and what has to be said before it."""
        part = part_of(span)
        pid = 2 + PARTS.index(part)
        if pid not in self.pids:
            self.pids.add(pid)
            yield from _process(pid, part)
        lane = yield from self._lane(pid, span)
        yield _slice(pid, lane.tid, span)
        if part in PARTS[:4]:
            yield from self._of_call(pid, lane.tid, span)

    def _lane(self, pid: int, span: dict[str, Any]) -> Iterator[Any]:
        """A thread of the component that is free: of spans that come in the order of their ends,
        the one whose last has ended last before this begins."""
        lanes = self.lanes.setdefault((pid, span["component"]), [])
        free = [lane for lane in lanes if lane.end_ps <= span["start_ps"]]
        lane = max(free, key=lambda one: one.end_ps, default=None)
        if lane is None:
            self.threads += 1
            lane = _Lane(self.threads)
            lanes.append(lane)
            number = f" {len(lanes)}" if len(lanes) > 1 else ""
            yield from _thread(pid, lane.tid, span["component"] + number)
        lane.end_ps = span["end_ps"]
        return lane

    def _of_call(self, pid: int, tid: int, span: dict[str, Any]) -> Iterator[str]:
        number, category = span["call"], span["category"]
        start_ps, end_ps = span["start_ps"], span["end_ps"]
        call = self.calls.pop(number, None) or _Call(start_ps, end_ps)
        self.calls[number] = call
        call.begin_ps = min(call.begin_ps, start_ps)
        call.end_ps = max(call.end_ps, end_ps)
        if category in STAGES and (category == STAGES[-1] or category not in call.stages):
            call.stages[category] = (start_ps, pid, tid)
        if category.startswith("transfer") and span["bytes"]:
            self.counts.add((start_ps, "bytes in flight", span["bytes"]))
            self.counts.add((end_ps, "bytes in flight", -span["bytes"]))
        if len(self.calls) > OPEN_CALLS:
            yield from self._ended(*self.calls.popitem(last=False))

    def end(self) -> Iterator[str]:
        """What is told once all spans are known: the last calls, and the counters."""
        while self.calls:
            yield from self._ended(*self.calls.popitem(last=False))
        if self.counts.count:
            yield from _process(COUNTERS, "run")
        yield from _counters(self.counts)

    def _ended(self, number: int, call: _Call) -> Iterator[str]:
        self.counts.add((call.begin_ps, "calls in flight", 1))
        self.counts.add((call.end_ps, "calls in flight", -1))
        yield from _arrows(number, [call.stages[one] for one in STAGES if one in call.stages])


def part_of(span: dict[str, Any]) -> str:
    """Of which part of the system a span is, one of PARTS."""
    return span.get("part") or PART_OF.get(span["category"], "device")


def perfetto_json(spans: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The file in parts. A process a part of the system, a thread a component; times in
    microseconds of simulated time, with all digits."""
    about = {"format": "tandem-trace", "format_version": 2}
    head = json.dumps({"displayTimeUnit": "ns", "otherData": about})
    yield f'{head[:-1]}, "traceEvents": [\n'.encode()
    trace, separator = _Trace(), ""
    for event in _all_events(trace, spans):
        yield f"{separator}{event}".encode()
        separator = ",\n"
    yield b"\n]}\n"


def _all_events(trace: _Trace, spans: Iterable[dict[str, Any]]) -> Iterator[str]:
    with trace.counts:
        for span in spans:
            yield from trace.events(span)
        yield from trace.end()


def _spans_in(path: Path) -> Iterator[dict[str, Any]]:
    """Those of a file, of which the last line may be cut."""
    with path.open("rb") as lines:
        yield from (json.loads(line) for line in lines if line.endswith(b"\n"))


def read_spans(report: dict[str, Any], place: Path) -> Iterator[dict[str, Any]]:
    """The spans of a run that was asked to write them all; `place` is where the trace goes.

    Raises UserError where some are missing: the disk was full."""
    wanted, count = len(report["spans"]) + report["spans_dropped"], 0
    path = report["spans_file"] and Path(report["spans_file"])
    for span in _spans_in(path) if path and path.exists() else ():
        count += span["category"] != "loop"
        yield span
    if count < wanted:
        raise user_error(
            "trace",
            f"only {count:,} of {wanted:,} spans could be kept",
            Place(str(place)),
            "free some space in the folder for temporary files, or choose another with $TMPDIR",
        )


def _us(ps: int) -> str:
    """Picoseconds as a number of microseconds, of which a float would lose the last digits."""
    return f"{ps // PS_PER_US}.{ps % PS_PER_US:06}"


def _named(kind: str, pid: int, arguments: dict[str, Any], tid: int | None = None) -> str:
    track = {"pid": pid} if tid is None else {"pid": pid, "tid": tid}
    return json.dumps({"ph": "M", "name": kind, **track, "args": arguments})


def _process(pid: int, name: str) -> Iterator[str]:
    yield _named("process_name", pid, {"name": name})
    yield _named("process_sort_index", pid, {"sort_index": pid})


def _thread(pid: int, tid: int, name: str) -> Iterator[str]:
    yield _named("thread_name", pid, {"name": name}, tid)
    yield _named("thread_sort_index", pid, {"sort_index": tid}, tid)


def _slice(pid: int, tid: int, span: dict[str, Any]) -> str:
    start_ps, end_ps = span["start_ps"], span["end_ps"]
    about = {"ph": "X", "name": span["category"], "cat": span["component"], "pid": pid, "tid": tid}
    told = {key: span[key] for key in ARGUMENTS if key in span}
    times = f'"ts": {_us(start_ps)}, "dur": {_us(end_ps - start_ps)}'
    return f'{json.dumps(about)[:-1]}, {times}, "args": {json.dumps(told)}}}'


def _arrows(call: int, stages: list[tuple[int, int, int]]) -> Iterator[str]:
    """From each stage of a call to the next that begins no earlier."""
    kept = [
        stage for i, stage in enumerate(stages) if all(stage[0] >= one[0] for one in stages[:i])
    ]
    if len(kept) < 2:
        return
    for number, (start_ps, pid, tid) in enumerate(kept):
        kind = "s" if number == 0 else "f" if number == len(kept) - 1 else "t"
        about = {"ph": kind, "name": "call", "cat": "call", "id": call, "pid": pid, "tid": tid}
        about |= {"bp": "e"} if kind == "f" else {}
        yield f'{json.dumps(about)[:-1]}, "ts": {_us(start_ps)}}}'


def _counters(counts: Iterable[tuple[int, str, int]]) -> Iterator[str]:
    """The values of counters, one a time at which any of theirs changes."""
    values: dict[str, int] = {}
    waiting: dict[str, int] = {}
    for time_ps, name, change in counts:
        if name in waiting and waiting[name] != time_ps:
            yield _counter(waiting[name], name, values[name])
        values[name] = values.get(name, 0) + change
        waiting[name] = time_ps
    for name, time_ps in waiting.items():
        yield _counter(time_ps, name, values[name])


def _counter(time_ps: int, name: str, value: int) -> str:
    about = {"ph": "C", "name": name, "pid": COUNTERS}
    return f'{json.dumps(about)[:-1]}, "ts": {_us(time_ps)}, "args": {{"value": {value}}}}}'
