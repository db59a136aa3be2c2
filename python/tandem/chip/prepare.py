# SPDX-License-Identifier: Apache-2.0
"""Building an application for a chip, or finding it built already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.chip.energy import require_energy
from tandem.chip.run import read_chip
from tandem.frontend.program import Program
from tandem.host.prepare import Job, kept_build
from tandem.loading import load_compiler
from tandem.platforms.engine import find_platform

PROGRAM, SOFTWARE = "program.elf", "software.elf"
"""Names in the folder of a build: with functions as hardware, and with none."""


@dataclass(frozen=True)
class Prepared:
    """An application ready to run on a chip. `chip`: its numbers (docs/schemas/chip.json);
    `kernels`: as the engine's request has them; `told`: what else is known of the build."""

    folder: Path
    platform: Path
    chip: dict[str, Any]
    kernels: tuple[dict[str, Any], ...]
    told: dict[str, Any]

    @property
    def packages(self) -> list[Path]:
        """Those of the kernels, with whose models they are."""
        return [Path(kernel["model"]).parent for kernel in self.kernels]


@contextmanager
def prepared(job: Job) -> Iterator[Prepared]:
    """Builds the application for a chip. Raises UserError and Infeasible."""
    file = find_platform(job.platform)
    chip = read_chip(file, job.changes)
    if job.counts == "nets":
        require_energy(chip)

    def make(program: Program, folder: Path) -> dict[str, Any]:
        load_compiler()
        from tandem.chip.build import build_for_chip
        from tandem.compiler.goals import find_goal

        goal = find_goal(job.optimise, job.room, job.budget_s)
        return build_for_chip(program, job.functions, chip, goal, folder, job.counts, job.shows)

    with kept_build(job.main, job.given, _known(job, chip), PROGRAM, make) as (folder, told):
        yield Prepared(folder, file, chip, tuple(_kernels(folder, told)), told)


def _known(job: Job, chip: dict[str, Any]) -> dict[str, Any]:
    return {
        "main": str(job.main),
        "offload": job.functions,
        "chip": {name: chip[name] for name in ("target", "clock_ps", "core", "rams", "shell")},
        "optimise": job.optimise,
        "room": job.room.most,
        "budget_s": job.budget_s,
        "netlist": chip["energy"]["netlist"] if job.counts == "nets" else "",
        "counts": job.counts,
        "shows": job.shows,
    }


def _kernels(folder: Path, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for row in told["kernels"]:
        yield {**row, "model": str(folder / row["model"])}
