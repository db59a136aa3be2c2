# SPDX-License-Identifier: Apache-2.0
"""An application as a chip of its own: a folder with all that tools for boards need."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.chip.run import read_chip
from tandem.diagnostics import Place, diagnostic_json, user_error
from tandem.files import complete_or_absent, in_the_way, temporary_folder
from tandem.host.prepare import Job
from tandem.languages.discovery import find_program
from tandem.loading import load_compiler
from tandem.platforms.engine import find_platform, is_chip
from tandem.progress import stage
from tandem.synthesis import tools

RESULT = "chip.json"
FORMAT = "tandem-chip-build"


if TYPE_CHECKING:
    from tandem.chip.bitstream import Board


@dataclass(frozen=True)
class Asked:
    """What tools are asked of a chip: a bitstream for a board, with the placer's first seed, and
    the slices of kernels on an older family."""

    board: str | None = None
    seed: int = 1
    slices: str | None = None


def make_project(job: Job, output: Path, asked: Asked) -> dict[str, Any]:
    """Fills `output/NAME.chip`. Returns what is known of it, which the folder has as `chip.json`
    too.

    Raises UserError, Infeasible, SynthesisError."""
    file = find_platform(job.platform)
    if not is_chip(file):
        raise user_error(
            "platform",
            f"`{job.platform}` is no system on one chip, of which a board could have a bitstream",
            Place(str(file)),
            "give --platform picorv32-chip, or a file with [chip]",
        )
    place = output / f"{job.main.stem}.chip"
    _require_place(place)
    chip = read_chip(file, job.changes)
    load_compiler()
    from tandem.chip.bitstream import find_board, require_board
    from tandem.chip.build import shell_bases
    from tandem.chip.soc import require_verilog
    from tandem.synthesis.slices import check_family

    require_verilog(chip)
    shell_bases(chip, len(job.functions))
    board = None if asked.board is None else find_board(asked.board)
    if board is not None:
        require_board(chip, board, len(job.functions))
    if asked.slices is not None:
        check_family(asked.slices)
    with complete_or_absent(place) as folder:
        made = _made(job, chip, board, folder, asked)
        result = {**made, "folder": str(place), "board": asked.board}
        (folder / RESULT).write_text(json.dumps(result, indent=1))
    return result


def _made(
    job: Job, chip: dict[str, Any], board: Board | None, folder: Path, asked: Asked
) -> dict[str, Any]:
    from tandem.chip.bitstream import make_bitstream
    from tandem.chip.build import compile_parts
    from tandem.chip.design import kernels_slices, write_design
    from tandem.chip.host_drivers import write_drivers
    from tandem.chip.registers import write_registers
    from tandem.compiler.device import device_area
    from tandem.compiler.goals import find_goal

    goal = find_goal(job.optimise, job.room, job.budget_s)
    with temporary_folder() as packages:
        with stage("reading the C"):
            program = find_program(job.main, job.given)
        parts = compile_parts(program, job.functions, chip, goal, packages, ())
        design = write_design(chip, parts, folder)
    kernels = [offload.compiled.kernel for offload in parts.offloads]
    with stage("registers and drivers"):
        write_registers(chip, kernels, job.main.stem, folder)
        drivers, missing = write_drivers(chip, parts.ready.program, kernels, folder)
    found: dict[str, Any] = {
        "format": FORMAT,
        "format_version": 1,
        "platform": chip["name"],
        "kernels": [kernel.name for kernel in kernels],
        "areas": [device_area(offload.compiled.schedule) for offload in parts.offloads],
        "files": list(design.files),
        "drivers": drivers,
        "notes": [diagnostic_json(note) for note in missing],
        "placed": None,
        "slices": None if asked.slices is None else kernels_slices(design, asked.slices),
    }
    if board is not None:
        with tools.work_folder("tandem-chip-") as work:
            found["placed"] = make_bitstream(chip, board, design, work, asked.seed)
    return found


def _require_place(place: Path) -> None:
    """Whether a folder may take that name. Raises UserError."""
    if place.is_symlink() or (place.exists() and not (place / RESULT).is_file()):
        raise in_the_way(place, "a folder that no earlier build has made")
