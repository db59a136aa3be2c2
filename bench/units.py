# SPDX-License-Identifier: Apache-2.0
"""Cycles that hardware takes for a block or a pixel, on whole programs from standards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from figures import REPOSITORY, Figure, at_most
from peers import checked_cycles, lut4, placement
from tandem.host.prepare import Job, prepared

PROGRAMS = REPOSITORY / "tests" / "programs" / "standards"
PLATFORM = "src-6e"


@dataclass(frozen=True)
class Unit:
    """`count`: how many units all calls of the program take together; `most`: cycles of one."""

    program: str
    function: str
    name: str
    count: int
    most: float
    most_lut4: int | None = None


UNITS = [
    Unit("sha256", "sha256_blocks", "block", 19, 80, 6_000),
    Unit("aes128_ctr", "aes128_ctr", "block", 8, 12),
    Unit("sobel", "sobel", "pixel", 62 * 46, 1),
]


def units(work: Path) -> list[Figure]:
    """With the clock that is best for the kernel, since nobody asks for one."""
    figures: list[Figure] = []
    for unit in UNITS:
        job = Job(PROGRAMS / f"{unit.program}.c", unit.function, PLATFORM, keep=work / unit.program)
        with prepared(job) as build:
            cycles = checked_cycles(build) / unit.count
            placed = placement(build) if unit.most_lut4 else None
        what = f"{unit.program}: cycles a {unit.name}"
        figures.append(at_most(what, cycles, "", unit.most))
        if placed is not None:
            figures.append(
                at_most(f"{unit.program}: LUT4", lut4(placed.design), "", unit.most_lut4)
            )
    return figures
