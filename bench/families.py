# SPDX-License-Identifier: Apache-2.0
"""Kernels placed on every family of targets/, and how far what is told before synthesis is off:
those of the library, and of bench/estimates.

    python bench/families.py

prints the newest figures of every kernel that was placed, from bench/results/bench.json.

Of the library's kernels, too, every other one by name is held out: a family's factors are found on
the others. Only the middle and the worst are told of these.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import estimates
from estimates import FOUND_ON, HELD_OUT, MOST, MOST_IN_THE_MIDDLE
from figures import REPOSITORY, Figure, at_most, saved
from tandem.compiler.compile import Compiled, compile_kernel, find_target
from tandem.compiler.device import beyond_device
from tandem.installation import known
from tandem.languages.discovery import find_program
from tandem.library.manifests import library_kernels
from tandem.package import write_package
from tandem.rtl.text import module_name
from tandem.schedule.area import estimate_area
from tandem.schedule.memory_area import memory_blocks
from tandem.synthesis.device import device_of
from tandem.synthesis.flow import map_cells
from tandem.synthesis.place import place_kernel
from tandem.synthesis.result import Placement, Resources

LUT4, FLIP_FLOPS, MULTIPLIERS, BLOCKS, PERIOD = WHAT = (
    *("LUT4", "flip-flops", "multipliers", "block RAMs", "period"),
)
BOUND = (LUT4, PERIOD)
"""What has to be told well."""
TOLD = "told"
MEANS = "families:means"
MOST_MAPPED_LUT4 = 9_000
"""Kernels that are told to be larger are only placed: mapping one takes minutes."""


@dataclass(frozen=True)
class Row:
    """What is told of a kernel, and what is found of it."""

    kernel: str
    told: dict[str, float]
    found: dict[str, float]

    def error(self, what: str) -> float:
        """Relative, with its sign."""
        return self.told[what] / self.found[what] - 1


def halves() -> dict[str, str]:
    """Of which half each kernel is."""
    own = sorted(library_kernels())
    library = {name: (FOUND_ON, HELD_OUT)[place % 2] for place, name in enumerate(own)}
    return {**library, **estimates.halves()}


def measurements() -> dict[str, Callable[[Path], list[Figure]]]:
    """One a family and kernel, since placing takes long."""
    rows = {
        f"families:{target}:{name}": partial(kernel, target, name)
        for target in known("targets")
        for name in halves()
    }
    cells = {f"cells:{target}": partial(mapped, target) for target in known("targets")}
    return {**rows, MEANS: means, **cells}


def mapped(target: str, work: Path) -> list[Figure]:
    """Look-up tables and flip-flops on a family, of synthesis without placement; whether the
    device holds a kernel is not asked."""
    rows: dict[str, list[estimates.Row]] = {FOUND_ON: [], HELD_OUT: []}
    for name, half in halves().items():
        made = compiled(target, name)
        said = told(made)
        if said[LUT4] > MOST_MAPPED_LUT4:
            continue
        verilog = write_package(made, work / f"{target}-{name}.tandem") / "kernel.sv"
        folder = work / f"{target}-{name}"
        cells = map_cells(verilog, module_name(name), find_target(target), folder).design
        rows[half].append(estimates.Row(name, LUT4, said[LUT4], lut4_of(target, cells)))
        rows[half].append(estimates.Row(name, FLIP_FLOPS, said[FLIP_FLOPS], cells.ff))
        print(f"{target:10}{half:10}{name}", flush=True)
    return [figure for half, found in rows.items() for figure in estimates.of_half(half, found)]


def kernel(target: str, name: str, work: Path) -> list[Figure]:
    """One kernel, placed for the clock that it is made for; nothing where the device does not hold
    it."""
    made = compiled(target, name)
    if why := [note.message for note in beyond_device(made.schedule, find_target(target))]:
        print(f"families   {'; '.join(why)}", flush=True)
        return []
    verilog = write_package(made, work / f"{target}-{name}.tandem") / "kernel.sv"
    clock_ns = made.schedule.clock_ps / 1000
    placed = place_kernel(verilog, module_name(name), find_target(target), clock_ns).placement
    row = Row(name, told(made), found(target, placed))
    return [
        figure
        for what in WHAT
        for figure in (
            at_most(f"{name}: {what}", row.found[what], ""),
            at_most(f"{name}: {what}, {TOLD}", row.told[what], ""),
        )
    ]


def compiled(target: str, name: str) -> Compiled:
    """A kernel for the clock that the target's `[measurement]` names."""
    file = REPOSITORY / "targets" / f"{target}.toml"
    clock_ns = tomllib.loads(file.read_text())["measurement"]["kernel_clock_ns"]
    own = library_kernels().get(name)
    program = find_program(own.source if own else estimates.FOLDER / f"{name}.c")
    return compile_kernel(
        program, name, find_target(target), round(1000 * clock_ns), slower_clock=True
    )


def told(made: Compiled) -> dict[str, float]:
    area = estimate_area(made.schedule)
    return {
        LUT4: area["lut4"],
        FLIP_FLOPS: area["ff"],
        MULTIPLIERS: area["dsp"],
        BLOCKS: memory_blocks(made.schedule),
        PERIOD: made.schedule.reachable_clock_ps / 1000,
    }


def lut4_of(target: str, cells: Resources) -> int:
    """Look-up tables, those in carry cells too."""
    return cells.lut4 + device_of(find_target(target)).luts_per_carry * cells.carry


def found(target: str, placed: Placement) -> dict[str, float]:
    cells = placed.design
    return {
        LUT4: lut4_of(target, cells),
        FLIP_FLOPS: cells.ff,
        MULTIPLIERS: cells.dsp,
        BLOCKS: cells.bram,
        PERIOD: placed.period_ps / 1000,
    }


def means(work: Path) -> list[Figure]:
    """The middle and the worst of each half's kernels that were placed on a family."""
    return [
        figure
        for target in known("targets")
        for half in (FOUND_ON, HELD_OUT)
        for figure in _means(f"{target}, {half}", rows(target, half))
    ]


def _means(name: str, found: list[Row]) -> Iterator[Figure]:
    for what in WHAT:
        errors = [abs(row.error(what)) for row in found if row.found[what]]
        if errors:
            middle, most = (MOST_IN_THE_MIDDLE, MOST) if what in BOUND else (None, None)
            text = f"{name}: {what}"
            yield at_most(f"{text}, median error of {len(errors)}", median(errors), "", middle)
            yield at_most(f"{text}, worst error", max(errors), "", most)


def rows(target: str, half: str) -> list[Row]:
    """The newest figures of a half's kernels that were placed on a family."""
    measured = saved()
    found: list[Row] = []
    for name in (name for name, of in halves().items() if of == half):
        figures = measured.get(f"families:{target}:{name}")
        if figures:
            values = {f.name.removeprefix(f"{name}: "): f.value for f in figures}
            told = {what: values[f"{what}, {TOLD}"] for what in WHAT}
            found.append(Row(name, told, {what: values[what] for what in WHAT}))
    return found


def show_table() -> None:
    """A line a kernel of the half that may be looked at, and the means."""
    for target in known("targets"):
        for row in rows(target, FOUND_ON):
            pairs = (f"{row.told[what]:8g} /{row.found[what]:8g}" for what in WHAT)
            print(f"{target:10}{row.kernel:20}" + "".join(pairs))
    for figure in means(Path()):
        print(f"{figure.name:60}{figure.value:8.1%}")


if __name__ == "__main__":
    show_table()
