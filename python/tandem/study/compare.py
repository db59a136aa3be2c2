# SPDX-License-Identifier: Apache-2.0
"""Two results side by side: what got better, what worse, and by how much.

Simulated times, cycles and areas are the same each time: any difference is one. What is measured on
this machine differs from run to run: only what differs by more than a threshold is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error
from tandem.manifest import is_package, read_manifest

MEASURED_PERCENT = 10.0
"""Measured times that differ by less are alike; on a shared machine runs do."""
LESS, MORE, NEITHER = "less", "more", ""
"""What of a figure is better."""
AREA = ("lut4", "ff", "dsp", "rom_bits", "ram_bits")
BUILD, RUN, VERIFY, PACKAGE = (
    *("tandem-build-result", "tandem-run-result", "tandem-verify-result", "tandem-package"),
)
LARGEST_BYTES = 1 << 28


@dataclass(frozen=True)
class Figure:
    """A number of a result. `place`: the kernel's name, or a loop's line behind it; `better`: less
    or more of it; `is_measured`: whether it differs from run to run; `told`: what limits it."""

    place: str
    name: str
    unit: str
    value: float | None
    better: str = LESS
    is_measured: bool = False
    told: str = ""


Figures = dict[tuple[str, str], Figure]
"""By place and name."""


def read_result(path: Path) -> list[dict[str, Any]]:
    """What a file or a folder has: the JSON that a command printed, a package, or all packages of
    a folder.

    Raises UserError for anything else."""
    if path.is_dir():
        found = [path] if is_package(path) else sorted(filter(is_package, path.iterdir()))
        if not found:
            text = "there is no package in this folder"
            raise user_error("compare", text, Place(str(path)), "give what -o of `build` named")
        return [read_manifest(one) for one in found]
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise _no_result(path, "a file this large is no result")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise _no_result(path, f"cannot read it: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _no_result(path, f"this is no JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") not in READERS:
        raise _no_result(path, "it is not the result of `build`, `run` or `verify`")
    return [data]


def _no_result(path: Path, message: str):
    cure = "give what one of these prints with --json, or a folder that `build -o` made"
    return user_error("compare", message, Place(str(path)), cure)


def figures_of(results: Sequence[dict[str, Any]], path: Path) -> Figures:
    """The figures of results that were read from a place. Raises UserError where one lacks what its
    format has."""
    found: Figures = {}
    try:
        for result in results:
            for row in READERS[result["format"]](result):
                found.setdefault((row.place, row.name), row)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        text = f"a part of the result is missing or damaged: {error}"
        raise _no_result(path, text) from error
    return found


def _of_build(result: Mapping[str, Any]) -> Iterator[Figure]:
    kernel = result["kernel"]
    yield from _schedule(kernel, result, result["clock_ns"])
    reachable = result["fmax_mhz"]
    yield Figure(kernel, "reachable clock", "ns", 1000 / reachable if reachable else None)
    area = result["resources"]
    yield from (Figure(kernel, name, "", area[name]) for name in AREA if name in area)


def _of_package(manifest: Mapping[str, Any]) -> Iterator[Figure]:
    yield from _schedule(manifest["kernel"], manifest, manifest["clock_ps"] / 1000)


def _schedule(kernel: str, result: Mapping[str, Any], clock_ns: float) -> Iterator[Figure]:
    yield Figure(kernel, "clock", "ns", clock_ns, NEITHER)
    yield Figure(kernel, "ii", "cycles", result["ii"])
    yield Figure(kernel, "latency", "cycles", result["latency_cycles"])
    for place, loop in _loops(kernel, result["loops"]):
        yield Figure(place, "ii", "cycles", loop["ii"], told=loop["limit"])
        yield Figure(place, "length", "cycles", loop["length_cycles"])


def _loops(
    kernel: str, loops: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each loop by its number in the kernel: lines move as the C is edited."""
    for number, loop in enumerate(loops, 1):
        part = f", {loop['part']}" if loop["part"] else ""
        yield f"{kernel}, loop {number}{part}", loop


def _of_run(result: Mapping[str, Any]) -> Iterator[Figure]:
    is_counted = bool(result["program_percent"])
    whole = "all"
    for name, key in (
        *(("total", "total_s"), ("without configuration", "no_config_s")),
        ("device only", "device_s"),
    ):
        measured = is_counted and key != "device_s"
        yield Figure(whole, name, "s", result[key], is_measured=measured)
    for category, seconds in result["breakdown_s"].items():
        name = category.replace("_", " ")
        yield Figure(whole, name, "s", seconds, is_measured=is_counted)
    yield Figure(whole, "bytes in", "bytes", result["bytes_in"])
    yield Figure(whole, "bytes out", "bytes", result["bytes_out"])
    yield Figure(whole, "calls", "", result["calls"], NEITHER)
    yield Figure(whole, "calls on the host", "", result["host_calls"]["calls"])
    yield Figure(whole, "mismatches", "", result["mismatches"])
    for name, seconds in result["baselines_s"].items():
        yield Figure(whole, f"{name}, measured", "s", seconds, NEITHER, is_measured=True)
    for kernel in result["kernels"]:
        name = kernel["name"]
        yield from _schedule(name, kernel, kernel["clock_ps"] / 1000)
        yield Figure(name, "cycles", "cycles", kernel["cycles"])
        for place, loop in _loops(name, kernel["loops"]):
            yield Figure(place, "cycles", "cycles", loop["cycles"], told=loop["limit"])
            yield Figure(place, "iterations", "", loop["iterations"])


def _of_verify(result: Mapping[str, Any]) -> Iterator[Figure]:
    kernels = ", ".join(_name(kernel) for kernel in result["kernels"])
    yield Figure(kernels, "cycles", "cycles", result["cycles"])
    yield Figure(kernels, "checked calls", "", result["checked_calls"], MORE)
    yield Figure(kernels, "calls on the host", "", result["host_calls"])
    yield Figure(kernels, "mismatches", "", result["mismatches"])


def _name(kernel: Any) -> str:
    return kernel["name"] if isinstance(kernel, dict) else str(kernel)


READERS = {BUILD: _of_build, RUN: _of_run, VERIFY: _of_verify, PACKAGE: _of_package}


def compare(
    before: Path, after: Path, measured_percent: float = MEASURED_PERCENT
) -> dict[str, Any]:
    """Both results side by side (docs/schemas/compare.json). Measured figures that differ by less
    than so many percent are noise.

    Raises UserError for what are no results, or nothing that both have."""
    sides = [read_result(path) for path in (before, after)]
    figures = [figures_of(side, path) for side, path in zip(sides, (before, after), strict=True)]
    common = figures[0].keys() & figures[1].keys()
    if not common:
        text = f"nothing in it can be compared with {before}"
        cure = "give two results of the same command, of the same functions"
        raise user_error("compare", text, Place(str(after)), cure)
    names = list(dict.fromkeys([*figures[0], *figures[1]]))
    rows = [_row(figures[0].get(n), figures[1].get(n), measured_percent) for n in names]
    verdicts = [row["verdict"] for row in rows]
    return {
        "format": "tandem-compare",
        "format_version": 1,
        "before": str(before),
        "after": str(after),
        "measured_percent": measured_percent,
        "better": verdicts.count("better"),
        "worse": verdicts.count("worse"),
        "rows": rows,
    }


def _row(before: Figure | None, after: Figure | None, measured_percent: float) -> dict[str, Any]:
    shown = after or before
    assert shown is not None
    values = [None if one is None else one.value for one in (before, after)]
    return {
        "place": shown.place,
        "name": shown.name,
        "unit": shown.unit,
        "before": values[0],
        "after": values[1],
        "ratio": values[1] / values[0] if values[0] and values[1] is not None else None,
        "is_measured": shown.is_measured,
        "verdict": _verdict(before, after, measured_percent),
        "limit": shown.told,
    }


def _verdict(before: Figure | None, after: Figure | None, measured_percent: float) -> str:
    """`added`, `removed`, `same`, `noise`, `better`, `worse`, or `other` where neither is."""
    if before is None or after is None:
        return "added" if before is None else "removed"
    if before.value == after.value:
        return "same"
    if before.value is None or after.value is None:
        return "other"
    if after.is_measured and _differ(before.value, after.value) <= measured_percent / 100:
        return "noise"
    if after.better == NEITHER:
        return "other"
    is_less = after.value < before.value
    return "better" if is_less == (after.better == LESS) else "worse"


def _differ(before: float, after: float) -> float:
    """By which part of the smaller one two times differ."""
    least = min(abs(before), abs(after))
    return abs(after - before) / least if least else float("inf")
