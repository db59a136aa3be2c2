# SPDX-License-Identifier: Apache-2.0
"""How far the area and the clock period that are told before synthesis are off, on kernels that are
in no other table: bench/estimates.

    python bench/estimates.py [KERNEL ...]

prints what is estimated of kernels beside what they are mapped to; of those that estimates were
found on, unless it names others.

halves.csv says which kernels estimates may be mended on, every other one by name. Of the rest,
which are held out, only the middle and the worst are told, so that nothing is fitted to them.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from figures import REPOSITORY, Figure, at_most, saved
from floats import placed
from peers import lut4
from tandem.compiler.compile import Compiled, compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.package import write_package
from tandem.rtl.text import module_name
from tandem.schedule.area import estimate_area
from tandem.synthesis.flow import map_cells

FOLDER = REPOSITORY / "bench" / "estimates"
CLOCK_NS = 10.0
FOUND_ON, HELD_OUT = "found on", "held out"
MOST_IN_THE_MIDDLE, MOST = 0.1, 0.3
LUT4, FLIP_FLOPS, PERIOD = "LUT4", "flip-flops", "period"
MEANS = "periods:means"


@dataclass(frozen=True)
class Row:
    """One thing of a kernel, as it is told and as it is found."""

    kernel: str
    what: str
    told: float
    found: float

    @property
    def error(self) -> float:
        """Relative, with its sign."""
        return self.told / self.found - 1


def halves() -> dict[str, str]:
    """Of which half each kernel is."""
    with (FOLDER / "halves.csv").open() as file:
        return {row["kernel"]: row["half"] for row in csv.DictReader(file)}


def names(half: str) -> list[str]:
    return [name for name, of in halves().items() if of == half]


def compiled(name: str) -> Compiled:
    target = find_target("ecp5")
    program = Program.of(FOLDER / f"{name}.c")
    return compile_kernel(program, name, target, round(1000 * CLOCK_NS), slower_clock=True)


def mapped(name: str, work: Path) -> tuple[Row, Row]:
    """A kernel's look-up tables and flip-flops, of synthesis without placement."""
    kernel = compiled(name)
    verilog = write_package(kernel, work / f"{name}.tandem") / "kernel.sv"
    cells = map_cells(verilog, module_name(name), find_target("ecp5"), work / name).design
    area = estimate_area(kernel.schedule)
    return (
        Row(name, LUT4, area["lut4"], lut4(cells)),
        Row(name, FLIP_FLOPS, area["ff"], cells.ff),
    )


def estimates(work: Path) -> list[Figure]:
    """Every kernel, mapped."""
    return [
        figure
        for half in (FOUND_ON, HELD_OUT)
        for figure in of_half(half, [row for name in names(half) for row in mapped(name, work)])
    ]


def of_half(half: str, rows: list[Row]) -> Iterator[Figure]:
    """The middle and the worst of a half; each of the one that was looked at."""
    for what in dict.fromkeys(row.what for row in rows):
        errors = [abs(row.error) for row in rows if row.what == what]
        most = (None, None) if what == FLIP_FLOPS else (MOST_IN_THE_MIDDLE, MOST)
        yield at_most(f"{half}: {what}, median error of {len(errors)}", median(errors), "", most[0])
        yield at_most(f"{half}: {what}, worst error", max(errors), "", most[1])
    if half == FOUND_ON:
        for row in rows:
            yield at_most(f"{row.kernel}: error of {row.what}", abs(row.error), "")


# -- the clock ----------------------------------------------------------------------------------


def measurements() -> dict[str, Callable[[Path], list[Figure]]]:
    """All that is only mapped, and one measurement a kernel of its clock, since placing takes
    long."""
    rows = {f"periods:{name}": partial(period, name) for name in halves()}
    return {"estimates": estimates, **rows, MEANS: means}


def period(name: str, work: Path) -> list[Figure]:
    """One kernel, placed and routed as `peers` does it."""
    kernel = compiled(name)
    found = placed(kernel, name, work).period_ps
    row = Row(name, PERIOD, kernel.schedule.reachable_clock_ps, found)
    return [
        at_most(f"{name}: period", found / 1000, "ns"),
        at_most(f"{name}: error of period", abs(row.error), ""),
    ]


def means(work: Path) -> list[Figure]:
    """The middle and the worst of each half's kernels that were placed."""
    figures: list[Figure] = []
    for half in (FOUND_ON, HELD_OUT):
        errors = [
            figure.value
            for name in names(half)
            for figure in saved().get(f"periods:{name}", [])
            if "error" in figure.name
        ]
        if errors:
            text = f"{half}: {PERIOD}"
            figures += [
                at_most(
                    f"{text}, median error of {len(errors)}", median(errors), "", MOST_IN_THE_MIDDLE
                ),
                at_most(f"{text}, worst error", max(errors), "", MOST),
            ]
    return figures


def show_table(kernels: list[str]) -> None:
    """Two lines a kernel."""
    with tempfile.TemporaryDirectory(prefix="tandem-estimates-") as work:
        for name in kernels:
            for row in mapped(name, Path(work)):
                print(
                    f"{name:18}{row.what:12}{row.told:8,.0f}{row.found:8,.0f}{row.error:8.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    show_table(sys.argv[1:] or names(FOUND_ON))
