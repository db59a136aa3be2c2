# SPDX-License-Identifier: Apache-2.0
"""A run's spans packed for a page: columns of numbers, seven bits a byte, deflated."""

from __future__ import annotations

import base64
import zlib
from array import array
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from tandem.report.perfetto import part_of

MOST_EVENTS = 10_000_000
"""A page holds so many; what more there are it tells."""


def pack_timeline(spans: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The spans of a run, in any order, as `timeline` of a page (docs/schemas/page.json)."""
    columns = {name: array("q") for name in ("component", "kind", *_COUNTS)}
    components: dict[tuple[str, str], int] = {}
    """By name, and the part of the system that it is of."""
    kinds: dict[str, int] = {}
    dropped = 0
    for span in spans:
        if len(columns["kind"]) >= MOST_EVENTS:
            dropped += 1
            continue
        component = components.setdefault((span["component"], part_of(span)), len(components))
        columns["component"].append(component)
        columns["kind"].append(kinds.setdefault(span["category"], len(kinds)))
        columns["start_ps"].append(span["start_ps"])
        columns["duration_ps"].append(span["end_ps"] - span["start_ps"])
        columns["call"].append(span.get("call", -1) + 1)
        columns["bytes"].append(span.get("bytes", 0))
    return _packed(columns, list(components), list(kinds), dropped)


_COUNTS = ("start_ps", "duration_ps", "call", "bytes")


def _packed(
    columns: dict[str, array[int]],
    components: list[tuple[str, str]],
    kinds: list[str],
    dropped: int,
) -> dict[str, Any]:
    found = {name: np.frombuffer(column, dtype=np.int64) for name, column in columns.items()}
    order = np.argsort(found["start_ps"], kind="stable")
    found = {name: column[order] for name, column in found.items()}
    track, tracks = _lanes(found, components)
    start = found["start_ps"]
    packed = {
        "track": track,
        "kind": found["kind"],
        "start_ps": np.diff(start, prepend=0) if len(start) else start,
        **{name: found[name] for name in ("duration_ps", "call", "bytes")},
    }
    return {
        "tracks": tracks,
        "kinds": kinds,
        "count": len(start),
        "dropped": dropped,
        "columns": {name: _pack(column) for name, column in packed.items()},
    }


def _lanes(
    found: dict[str, np.ndarray], components: list[tuple[str, str]]
) -> tuple[np.ndarray, list[dict[str, str]]]:
    """Of each span its track: a component of which spans overlap has several."""
    lanes: list[list[tuple[int, int]]] = [[] for _ in components]
    numbers: dict[tuple[int, int], int] = {}
    track = np.empty(len(found["start_ps"]), dtype=np.int64)
    ends = found["start_ps"] + found["duration_ps"]
    rows = zip(found["component"].tolist(), found["start_ps"].tolist(), ends.tolist(), strict=True)
    for i, (component, start, end) in enumerate(rows):
        free = lanes[component]
        lane = heappop(free)[1] if free and free[0][0] <= start else len(free)
        heappush(free, (end, lane))
        track[i] = numbers.setdefault((component, lane), len(numbers))
    order = sorted(numbers, key=lambda key: (key[0], key[1]))
    place = {numbers[key]: i for i, key in enumerate(order)}
    renumber = np.array([place[n] for n in range(len(numbers))], dtype=np.int64)
    names = [_name(*components[component], lane) for component, lane in order]
    return (renumber[track] if len(track) else track), names


def _name(component: str, part: str, lane: int) -> dict[str, str]:
    return {"name": f"{component} ({lane + 1})" if lane else component, "group": part}


def _pack(column: np.ndarray) -> str:
    """Numbers, none of them negative, seven bits a byte, the lowest first."""
    left = column.astype(np.uint64)
    sizes = np.ones(len(left), dtype=np.int64)
    rest = left >> np.uint64(7)
    while rest.any():
        sizes += rest > 0
        rest >>= np.uint64(7)
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    place = np.cumsum(sizes) - sizes
    for byte in range(int(sizes.max(initial=0))):
        here = sizes > byte
        more = (sizes[here] > byte + 1).astype(np.uint8) << 7
        out[place[here] + byte] = (left[here] & np.uint64(127)).astype(np.uint8) | more
        left >>= np.uint64(7)
    return base64.b64encode(zlib.compress(out.tobytes(), 6)).decode()
