# SPDX-License-Identifier: Apache-2.0
"""Tandem's hardware beside that of another compiler, from the same C: bench/kernels and peers.csv.

    python bench/peers.py

prints the newest figures of every kernel as one table, from bench/results/bench.json.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from figures import REPOSITORY, Figure, at_most, saved
from speed import timed
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.host.prepare import Job, Prepared, prepared
from tandem.rtl.text import module_name
from tandem.schedule.area import estimate_area
from tandem.synthesis.device import device_of
from tandem.synthesis.place import place_kernel
from tandem.synthesis.result import Placement, Resources

KERNELS = REPOSITORY / "bench" / "kernels"
PLATFORM, CLOCK_NS = "src-6e", 10.0
TIME, AREA = "cycles x period / peer's", "LUT4 / peer's"
FLIP_FLOPS = "flip-flops / peer's"
ERRORS = ("error of LUT4", "error of flip-flops", "error of period")
"""How far the estimates made before synthesis are from what place and route gives."""
FIGURES = (
    "cycles",
    "cycles / peer's",
    "period",
    TIME,
    "LUT4",
    AREA,
    FLIP_FLOPS,
    "LUT memories",
    *ERRORS,
)
MOST = {TIME: 1.0, AREA: 1.5, FLIP_FLOPS: 1.5, "period": CLOCK_NS} | dict.fromkeys(ERRORS, 0.25)
MOST_ERROR_IN_THE_MIDDLE = 0.1
MOST_ON_AVERAGE = {TIME: 0.5, AREA: 1.0, FLIP_FLOPS: 1.0}
MEANS = "peers:means"

Row = dict[str, str]


def peers() -> dict[str, Row]:
    """The other compiler's figures, by kernel; of kernels that are here."""
    with (KERNELS / "peers.csv").open() as file:
        rows = {row["kernel"]: row for row in csv.DictReader(file)}
    return {name: row for name, row in rows.items() if source(name).is_file()}


def source(name: str) -> Path:
    return KERNELS / f"{name}.c"


def measurements() -> dict[str, Callable[[Path], list[Figure]]]:
    """One measurement a kernel, since placing all takes long; and the means over all."""
    rows = {f"peers:{name}": partial(kernel, name, row) for name, row in peers().items()}
    return {**rows, MEANS: means}


def kernel(name: str, peer: Row, work: Path) -> list[Figure]:
    """One kernel: its whole run in simulate mode, and its hardware placed and routed."""
    job = Job(
        source(name),
        offloaded(name),
        PLATFORM,
        clock_ps=round(1000 * CLOCK_NS),
        keep=work / name,
    )
    with prepared(job) as build:
        cycles = checked_cycles(build)
        placed = placement(build)
    ratio = cycles / int(peer["cycles"])
    period_ns = placed.period_ps / 1000
    cells = placed.design
    values = {
        "cycles": cycles,
        "cycles / peer's": ratio,
        "period": period_ns,
        TIME: ratio * period_ns / CLOCK_NS,
        "LUT4": lut4(placed.design),
        AREA: lut4(placed.design) / int(peer["lut4_with_carry"]),
        FLIP_FLOPS: cells.ff / int(peer["ff"]),
        "LUT memories": cells.lutram,
        **_errors(name, placed),
    }
    return [
        at_most(f"{name}: {what}", values[what], "ns" if what == "period" else "", MOST.get(what))
        for what in FIGURES
    ]


def _errors(name: str, placed: Placement) -> dict[str, float]:
    """Of what `tandem build` says without placing, relative to what placing has given."""
    compiled = compile_kernel(
        Program.of(source(name)),
        offloaded(name),
        find_target("ecp5"),
        round(1000 * CLOCK_NS),
        slower_clock=True,
    )
    area = estimate_area(compiled.schedule)
    said = (area["lut4"], area["ff"], compiled.schedule.reachable_clock_ps)
    found = (lut4(placed.design), placed.design.ff, placed.period_ps)
    pairs = zip(ERRORS, said, found, strict=True)
    return {what: abs(estimate / measured - 1) for what, estimate, measured in pairs}


def offloaded(name: str) -> str:
    """The function that a kernel's first lines name."""
    return told(source(name))["offload"]


def told(path: Path) -> dict[str, str]:
    """What a kernel's first lines say, `// WORD: VALUE` each."""
    return dict(re.findall(r"^// (\w+): (\S+)$", path.read_text(), re.M))


def checked_cycles(build: Prepared) -> int:
    """The hardware's cycles over the whole run, all of whose calls gave what C gives."""
    report = timed(build, "simulate", 0)[1]
    clean = not report["mismatches"] and report["checked_calls"] == report["calls"] > 0
    if not clean or report["host_calls"]["calls"]:
        raise RuntimeError(f"{build.application}: not every call was checked: {report}")
    return report["cycles"]


def placement(build: Prepared) -> Placement:
    """The kernel placed and routed for the clock of the comparison."""
    top = module_name(build.facts.kernels[0])
    verilog = build.packages[0] / "kernel.sv"
    return place_kernel(verilog, top, find_target("ecp5"), CLOCK_NS).placement


def lut4(cells: Resources) -> int:
    """Look-up tables as the peer's are counted: those in carry cells too."""
    return cells.lut4 + device_of(find_target("ecp5")).luts_per_carry * cells.carry


def means(work: Path) -> list[Figure]:
    """Geometric means, and median errors, over the newest figures of all kernels; none while some
    are missing."""
    found = values()
    if any(name not in found for name in peers()):
        return []
    beside_the_peer = [
        at_most(
            f"{what}, geometric mean of {len(found)}",
            geometric_mean(row[what] for row in found.values()),
            "",
            MOST_ON_AVERAGE.get(what),
        )
        for what in FIGURES
        if "peer's" in what
    ]
    errors = [
        at_most(
            f"{what}, median of {len(found)}",
            median(row[what] for row in found.values()),
            "",
            MOST_ERROR_IN_THE_MIDDLE,
        )
        for what in ERRORS
    ]
    return beside_the_peer + errors


def values() -> dict[str, dict[str, Any]]:
    """The newest figures of each kernel that was measured, by what they are."""
    found: dict[str, dict[str, Any]] = {}
    for name in peers():
        for figure in saved().get(f"peers:{name}", []):
            found.setdefault(name, {})[figure.name.removeprefix(f"{name}: ")] = figure.value
    return found


def show_table() -> None:
    """One line a kernel."""
    print(f"{'':16}" + "".join(f"{what:>{max(len(what) + 2, 9)}}" for what in FIGURES))
    for name, row in values().items():
        cells = (f"{row[what]:>{max(len(what) + 2, 9)},g}" for what in FIGURES)
        print(f"{name:16}" + "".join(cells))
    for figure in saved().get(MEANS, []):
        print(f"{figure.name}: {figure.value:g}")


if __name__ == "__main__":
    show_table()
