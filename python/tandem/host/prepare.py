# SPDX-License-Identifier: Apache-2.0
"""Building an application with one function offloaded, or finding it built already."""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tandem.cache import contents, open_cache
from tandem.files import complete_file, complete_or_absent, in_the_way, temporary_folder
from tandem.frontend.discovery import Given, find_program
from tandem.frontend.program import Program
from tandem.host.engine import find_platform, read_platform
from tandem.host.recipe import files_read, recipe, tells_the_time
from tandem.loading import load_compiler
from tandem.manifest import FORMAT, require_package_place
from tandem.progress import stage

EXECUTABLE, RESULT = "application", "result.json"
"""Names in the folder of a build."""


@dataclass(frozen=True)
class Job:
    """What is to be built. `clock_ps`: the kernel's clock period, None for the platform's;
    `keep`: the folder that gets executable and package, None for none."""

    main: Path
    offload: str
    platform: str = "src-6e"
    given: Given = field(default_factory=Given)
    clock_ps: int | None = None
    keep: Path | None = None


@dataclass(frozen=True)
class Facts:
    """What is known of a build without looking at it again. `clock_note` says why the kernel's
    clock is slower than asked for, or is empty; `sources` are the program's C files."""

    kernel: str
    clock_ps: int
    clock_note: str
    baseline_flags: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Prepared:
    """An application ready to run. `platform`: the platform file."""

    executable: Path
    package: Path
    platform: Path
    application: Path
    facts: Facts

    @property
    def kernel(self) -> str:
        return self.facts.kernel


@contextmanager
def prepared(job: Job) -> Iterator[Prepared]:
    """Builds the application for a platform, in the folder `job.keep` or in one that goes again.

    Raises UserError and Infeasible, before anything is built where it can be known by then."""
    file = find_platform(job.platform)
    device = read_platform(file)["device"]
    _require_places(job)
    with _built(job, device) as (folder, facts):
        executable, package = folder / EXECUTABLE, folder / f"{job.offload}.tandem"
        if job.keep is not None:
            executable, package = _kept(job, executable, package)
        yield Prepared(executable, package, file, job.main, facts)


@contextmanager
def _built(job: Job, device: dict[str, Any]) -> Iterator[tuple[Path, Facts]]:
    """The folder of a build: one of an earlier run, or a new one that goes again."""
    cache = open_cache()
    name = recipe(_known(job, device), job.given) if cache else ""
    found = cache.find(name) if cache else None
    if found is not None and os.access(found / EXECUTABLE, os.X_OK):
        yield found, Facts(**json.loads((found / RESULT).read_bytes()))
        return
    with temporary_folder() as folder:
        with stage("reading the C"):
            program = find_program(job.main, job.given)
        before = contents(files_read(program, job.given)) if cache else {}
        facts = build(job, program, device, folder)
        if cache and contents(map(Path, before)) == before and not tells_the_time(program):
            cache.store(name, before, folder)
        yield folder, facts


def _known(job: Job, device: dict[str, Any]) -> dict[str, Any]:
    clock_ps = job.clock_ps or device["clock_ps"]
    return {
        "main": str(job.main),
        "offload": job.offload,
        "target": device["target"],
        "clock_ps": clock_ps,
    }


def build(job: Job, program: Program, device: dict[str, Any], folder: Path) -> Facts:
    """Compiles and links into an empty folder: `application`, `KERNEL.tandem`, `result.json`."""
    load_compiler()
    from tandem.compiler import compile_kernel, find_target
    from tandem.host.application import Offload, build_executable
    from tandem.package import write_package

    target = find_target(device["target"])
    asked_ps = device["clock_ps"] if job.clock_ps is None else job.clock_ps
    with stage(f"compiling {job.offload}"):
        compiled = compile_kernel(program, job.offload, target, asked_ps, slower_clock=True)
    with stage("Verilog and models"):
        package = write_package(compiled, folder / f"{job.offload}.tandem")
    with stage("linking the application"):
        build_executable(program, [Offload(compiled, package)], folder / EXECUTABLE)
    clock_ps = compiled.schedule.clock_ps
    facts = Facts(
        compiled.kernel.name,
        clock_ps,
        _clock_note(clock_ps, asked_ps, compiled.clock_reason),
        program.optimisation,
        tuple(str(path) for path in program.paths),
    )
    (folder / RESULT).write_text(json.dumps(asdict(facts)))
    return facts


def _clock_note(clock_ps: int, asked_ps: int, reason: str) -> str:
    if clock_ps == asked_ps:
        return ""
    return (
        f"the kernel runs at {1e6 / clock_ps:.0f} MHz, not the {1e6 / asked_ps:.0f} asked for: "
        f"{reason}"
    )


def _require_places(job: Job) -> None:
    """Whether both results may take their names. Raises UserError."""
    if job.keep is None:
        return
    if job.keep.exists() and not job.keep.is_dir():
        raise in_the_way(job.keep, "this is a file, not a folder")
    require_package_place(job.keep / f"{job.offload}.tandem")
    executable = job.keep / job.main.stem
    if executable.is_symlink() or (executable.exists() and not is_executable_of_ours(executable)):
        raise in_the_way(executable, "a file or folder of the executable's name")


def is_executable_of_ours(path: Path) -> bool:
    """Whether a file is an executable with a package inside: its manifest is in it as it was
    written."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        return data[:4] == b"\x7fELF" and data.find(f'"format": "{FORMAT}"'.encode()) > 0


def _kept(job: Job, executable: Path, package: Path) -> tuple[Path, Path]:
    """Copies of both in the folder that the user named."""
    assert job.keep is not None
    place, folder = job.keep / job.main.stem, job.keep / package.name
    # Both or neither: the executable is on the disk before the package takes its name.
    with complete_file(place, [executable.read_bytes()], 0o777), complete_or_absent(folder) as work:
        for file in package.iterdir():
            shutil.copyfile(file, work / file.name)
    return place, folder
