# SPDX-License-Identifier: Apache-2.0
"""The library's kernels by their manifests: cycles, area, and slices beside published cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import tandem
from figures import Figure, at_most
from tandem.interface import slices
from tandem.languages.discovery import Given
from tandem.library.asked import asked
from tandem.library.manifests import LibraryKernel, library_kernels

PLATFORM = "src-6e"
UNITS = 20
AREAS = {"lut4": "LUT4, estimated", "ff": "flip-flops, estimated", "dsp": "multipliers"}


def measurements() -> dict[str, Callable[[Path], list[Figure]]]:
    """One for each kernel, by name."""
    return {f"kernels:{name}": partial(figures, name) for name in library_kernels()}


def figures(name: str, work: Path) -> list[Figure]:
    """Of one of them, at the clock of its manifest."""
    kernel = library_kernels()[name]
    built = tandem.compile(kernel.source, name, clock_ns=kernel.clock_ns, output=work)
    area = built["resources"]
    return [
        cycles(kernel, built),
        *(at_most(f"{name}: {what}", area[key], "") for key, what in AREAS.items()),
        *beside(kernel, built),
    ]


def cycles(kernel: LibraryKernel, built: dict[str, Any]) -> Figure:
    """Of a call in RTL, for which the known answers are right; or of a unit of a call of many: the
    ii of the last loop."""
    if kernel.ii is not None:
        found = [loop["ii"] for loop in built["loops"] if loop["ii"]][-1]
        return at_most(f"{kernel.name}: cycles a {kernel.unit}", found, "", kernel.ii)
    with asked(kernel.name, None, given=Given(), units=UNITS) as job:
        checked = tandem.verify(
            job.application,
            job.offload,
            job.arguments,
            platform=PLATFORM,
            clock_ns=kernel.clock_ns,
            given=job.given,
        )
    a_call = checked["cycles"] / checked["checked_calls"]
    return at_most(f"{kernel.name}: cycles a {kernel.unit}", a_call, "", kernel.cycles)


def beside(kernel: LibraryKernel, built: dict[str, Any]) -> Iterator[Figure]:
    """Slices by the rule of docs/slices.md, where somebody has published some."""
    for core in kernel.published:
        if core.slices is not None and core.family is not None:
            area = slices(built, core.family)["slices"]["estimate"]
            yield at_most(f"{kernel.name}: slices of {core.family}", area, "", core.slices)
