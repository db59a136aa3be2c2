# SPDX-License-Identifier: Apache-2.0
"""Place and route, and what its JSON report says of the timing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from . import tools
from .device import Device
from .errors import SynthesisError, synthesis_error
from .result import CriticalPath

REPORT_FILE = "report.json"
LOG_FILE = "nextpnr.log"
PINS_FILE = "pins.txt"
USED = re.compile(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%$", re.MULTILINE)
"""A kind of cell, how many the packed design has, and how many the device."""
_Placed = TypeVar("_Placed")
TRIES = 3
"""Placements of one netlist differ by a tenth of the period; see `bench/run.py place`."""


def best_seed(
    place: Callable[[int], tuple[float, _Placed]],
    wanted_mhz: float,
    seed: int = 1,
    tries: int = TRIES,
) -> tuple[int, _Placed]:
    """The first of some seeds, from `seed` on, that reaches a clock rate, else the best of them,
    and what it gives. `place` tells of a seed what it reaches, in MHz, and what it gives."""
    best, (reached_mhz, given) = seed, place(seed)
    for other in range(seed + 1, seed + tries):
        if reached_mhz >= wanted_mhz:
            break
        mhz, placed = place(other)
        if mhz > reached_mhz:
            best, reached_mhz, given = other, mhz, placed
    return best, given


@dataclass(frozen=True)
class Routed:
    """What place and route reports; `comb_cells` counts used LUTs, the harness included."""

    fmax_mhz: float
    comb_cells: int
    critical: CriticalPath


def place_and_route(work: Path, netlist: str, device: Device, clock_ns: float, seed: int) -> Routed:
    """Place and route `work/netlist` with the clock period `clock_ns` as the goal.

    Missing the goal is no error: the caller compares. Raises SynthesisError as `run_nextpnr`.
    """
    pinned = _pinned(device, work)
    run_nextpnr(device, [*_arguments(netlist, clock_ns, seed), *pinned], work)
    report = json.loads((work / REPORT_FILE).read_text())
    placed = report["utilization"].get(device.placed["LUT4"], {})
    return Routed(fmax_mhz(report), placed.get("used", 0), _critical_path(report))


def _pinned(device: Device, work: Path) -> list[str]:
    """Where the pins of the harness are, for a placer that has to be told."""
    if device.placer.constraints is None:
        return []
    (work / PINS_FILE).write_text(device.placer.constraints(device.pins))
    return [device.placer.constraints_option, PINS_FILE]


def run_nextpnr(device: Device, arguments: Sequence[str], work: Path) -> None:
    """Runs the device's nextpnr in the folder `work`, where a missed clock is no failure. Raises
    SynthesisError when it is missing or fails; where a design does not fit, one that tells of what
    there is too little."""
    part = [*device.placer.part(device.part, device.package), *device.nextpnr_options]
    words = [*part, *arguments, "--timing-allow-fail"]
    try:
        tools.run(device.placer.find(), words, work, LOG_FILE)
    except SynthesisError as error:
        log = work / LOG_FILE
        over = _beyond(device, log.read_text(errors="replace")) if log.is_file() else ""
        if not over:
            raise
        raise synthesis_error(
            "device-full",
            f"the design takes {over}; the device ({device}) does not hold it",
            help="have less of it in hardware, or smaller: fewer kernels or copies, smaller "
            f"memories; the whole output is in {log}",
        ) from error


def _beyond(device: Device, log: str) -> str:
    """Of what a design takes more than there is, as nextpnr tells it after packing."""
    titles = {name: title for title, name in device.placed.items()}
    found = [(name, int(used), int(has)) for name, used, has in USED.findall(log)]
    return " and ".join(
        f"{used:,} {titles.get(name, name)} of {has:,}" for name, used, has in found if used > has
    )


def _arguments(netlist: str, clock_ns: float, seed: int) -> list[str]:
    return [
        *("--json", netlist),
        *("--report", REPORT_FILE),
        *("--freq", f"{1000 / clock_ns:.3f}"),
        *("--seed", str(seed)),
    ]


def fmax_mhz(report: dict[str, Any]) -> float:
    """What all clocks reach. The report is written after routing: this is no placer's estimate."""
    rates = [clock["achieved"] for clock in report["fmax"].values()]
    if not rates:
        raise synthesis_error(
            "no-clocked-path", "nextpnr found no path from register to register to time"
        )
    return min(rates)


def _critical_path(report: dict[str, Any]) -> CriticalPath:
    paths = [_path(p["path"]) for p in report["critical_paths"] if _is_clocked(p)]
    return max(paths, key=lambda path: path.logic_ps + path.routing_ps)


def _is_clocked(path: dict[str, Any]) -> bool:
    return path["from"] == path["to"] and "async" not in path["from"]


def _path(steps: list[dict[str, Any]]) -> CriticalPath:
    routing = [s for s in steps if s["type"] == "routing"]
    logic = [s for s in steps if s["type"] != "routing"]
    return CriticalPath(_sum_ps(logic), _sum_ps(routing), tuple(s["net"] for s in routing))


def _sum_ps(steps: list[dict[str, Any]]) -> int:
    return round(1000 * sum(s["delay"] for s in steps))
