# SPDX-License-Identifier: Apache-2.0
"""Building an application with some functions offloaded, or finding it built already."""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tandem.cache.builds import contents, open_cache
from tandem.cache.recipe import files_read, recipe, tells_the_time
from tandem.compiler.room import BUDGET_S, UNLIMITED, Room
from tandem.diagnostics import diagnostic_json
from tandem.files import complete_file, complete_or_absent, in_the_way, temporary_folder
from tandem.frontend.partitions import local_arrays
from tandem.frontend.program import Program
from tandem.installation import DEFAULT_PLATFORM
from tandem.ir.memory import MemoryKind
from tandem.languages.discovery import Given, find_program
from tandem.loading import load_compiler
from tandem.manifest import CALLED, FORMAT, Registers, require_package_place
from tandem.platforms.engine import find_platform, read_platform
from tandem.progress import stage

if TYPE_CHECKING:
    from tandem.compiler.compile import Compiled
    from tandem.compiler.goals import Goal
    from tandem.host.application import Offload
    from tandem.schedule.delays import Target

EXECUTABLE, RESULT = "application", "result.json"
"""Names in the folder of a build."""


Counts = Literal["", "registers", "nets"]
"""Toggles that kernels' models count: none, of registers and ports of the Verilog, or of the nets
of the netlist that a chip's energy is reckoned with."""


def registers_of(counts: Counts, shows: bool) -> Registers:
    """Those that kernels' models have."""
    return "counted" if counts == "registers" else "shown" if shows else "needed"


@dataclass(frozen=True)
class Job:
    """What is to be built. `offload`: a function, or several; `changes`: of the platform
    (`read_platform`); `clock_ps`: the kernels' clock period, None for the platform's; `keep`: the
    folder that gets executable and packages, None for none; `optimise`: the name of a goal
    (`tandem.compiler.choices`); `room`: what each kernel may take; `budget_s`: seconds after which
    no further way to build one is tried; `counts`: on a chip, the toggles that are counted;
    `shows`: whether kernels' models show their registers, for a wave; `tells_loops`: whether they
    tell when each loop is entered and left, for a trace."""

    main: Path
    offload: str | tuple[str, ...]
    platform: str = DEFAULT_PLATFORM
    changes: tuple[str, ...] = ()
    given: Given = field(default_factory=Given)
    clock_ps: int | None = None
    keep: Path | None = None
    optimise: str = "balanced"
    room: Room = UNLIMITED
    budget_s: float = BUDGET_S
    counts: Counts = ""
    shows: bool = False
    tells_loops: bool = False

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions to offload."""
        return (self.offload,) if isinstance(self.offload, str) else self.offload


@dataclass(frozen=True)
class Facts:
    """What is known of a build without looking at it again. `kernels` are the functions' names as
    the linker knows them; `clock_note` says which kernel's clock is slower than asked for, and why,
    or is empty; `sources` are the program's C files; `notes` what is told of directives, as
    `diagnostic_json` has it; `verilog`: the files with modules of the user's; `areas`: what each
    kernel is estimated to take of what the `device` has; `arrays`: functions, each with a local
    array that is a memory of a kernel."""

    kernels: tuple[str, ...]
    clock_note: str
    baseline_flags: str
    sources: tuple[str, ...]
    notes: tuple[dict[str, Any], ...] = ()
    verilog: tuple[str, ...] = ()
    areas: tuple[dict[str, int], ...] = ()
    device: dict[str, int] = field(default_factory=dict)
    arrays: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Prepared:
    """An application ready to run. `platform`: the platform file; `changes`: what shall be
    otherwise than it says."""

    executable: Path
    packages: tuple[Path, ...]
    platform: Path
    changes: tuple[str, ...]
    application: Path
    facts: Facts

    @property
    def kernel(self) -> str:
        """The kernels' names, for people."""
        return "`, `".join(self.facts.kernels)


@dataclass
class Made:
    """Functions that have been compiled, by their names, for builds that differ in nothing but
    which of them they have. `folder`: where their packages are meanwhile."""

    folder: Path
    offloads: dict[str, Offload] = field(default_factory=dict)


@contextmanager
def prepared(job: Job, made: Made | None = None) -> Iterator[Prepared]:
    """Builds the application for a platform, in the folder `job.keep` or in one that goes again.
    `made`: functions that need not be compiled again; those that are come to them.

    Raises UserError and Infeasible, before anything is built where it can be known by then."""
    file = find_platform(job.platform)
    device = read_platform(file, job.changes)["devices"][0]
    if is_executable_of_ours(job.main):
        facts = Facts(job.functions or ("an offloaded function",), "", "its own flags", ())
        yield Prepared(job.main, (), file, job.changes, job.main, facts)
        return
    _require_places(job)
    with _built(job, device, made) as (folder, facts):
        executable = folder / EXECUTABLE
        packages = tuple(folder / f"{name}.tandem" for name in facts.kernels)
        if job.keep is not None:
            executable, packages = _kept(job, executable, packages)
        yield Prepared(executable, packages, file, job.changes, job.main, facts)


@contextmanager
def _built(job: Job, device: dict[str, Any], made: Made | None) -> Iterator[tuple[Path, Facts]]:
    """The folder of a build: one of an earlier run, or a new one that goes again."""

    def make(program: Program, folder: Path) -> dict[str, Any]:
        return asdict(build(job, program, device, folder, made))

    with kept_build(job.main, job.given, _known(job, device), EXECUTABLE, make) as built:
        yield built[0], _facts(built[1])


@contextmanager
def kept_build(
    main: Path,
    given: Given,
    known: dict[str, Any],
    executable: str,
    make: Callable[[Program, Path], dict[str, Any]],
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The folder of a build of a program, and what is told of it: that of an earlier run of which
    the same is `known` and the same was read, or what `make` puts into an empty folder that goes
    again. `executable`: a file in it that can be run; what is told names other files that were read
    as `verilog`."""
    cache = open_cache()
    name = recipe(main, known, given) if cache else ""
    found = cache.find(name) if cache else None
    if found is not None and os.access(found / executable, os.X_OK):
        yield found, json.loads((found / RESULT).read_bytes())
        return
    with temporary_folder() as folder:
        with stage("reading the C"):
            program = find_program(main, given)
        before = contents(files_read(program, given)) if cache else {}
        told = make(program, folder)
        (folder / RESULT).write_text(json.dumps(told))
        before |= contents(map(Path, told["verilog"])) if cache else {}
        if cache and contents(map(Path, before)) == before and not tells_the_time(program):
            cache.store(name, before, folder)
        yield folder, told


def _facts(data: dict[str, Any]) -> Facts:
    lists: dict[str, Any] = {
        name: tuple(data[name])
        for name in ("kernels", "sources", "notes", "verilog", "areas", "arrays")
    }
    return Facts(**{**data, **lists})


def _known(job: Job, device: dict[str, Any]) -> dict[str, Any]:
    clock_ps = job.clock_ps or device["clock_ps"]
    return {
        "main": str(job.main),
        "offload": job.functions,
        "target": device["target"],
        "clock_ps": clock_ps,
        "optimise": job.optimise,
        "room": job.room.most,
        "budget_s": job.budget_s,
        "shows": job.shows,
        "loops": job.tells_loops,
    }


def build(
    job: Job, program: Program, device: dict[str, Any], folder: Path, made: Made | None = None
) -> Facts:
    """Compiles and links into an empty folder: `application` and `KERNEL.tandem`."""
    load_compiler()
    from tandem.compiler.compile import find_target
    from tandem.compiler.device import device_area
    from tandem.compiler.goals import find_goal
    from tandem.host.application import build_executable

    target = find_target(device["target"])
    asked_ps = device["clock_ps"] if job.clock_ps is None else job.clock_ps
    aim = _Aim(
        target,
        asked_ps,
        job.clock_ps is None,
        find_goal(job.optimise, job.room, job.budget_s),
        registers_of(job.counts, job.shows),
        job.tells_loops,
    )
    offloads = [_offload_once(name, program, aim, folder, made) for name in job.functions]
    with stage("linking the application"):
        build_executable(program, offloads, folder / EXECUTABLE)
    notes = [_clock_note(o.compiled, asked_ps) for o in offloads]
    facts = Facts(
        tuple(offload.compiled.kernel.name for offload in offloads),
        "; ".join(filter(None, notes)),
        program.optimisation,
        tuple(str(path) for path in program.paths),
        tuple(map(diagnostic_json, dict.fromkeys(n for o in offloads for n in o.compiled.notes))),
        tuple({m.file for o in offloads for m in o.compiled.kernel.macros.values()}),
        tuple(device_area(offload.compiled.schedule) for offload in offloads),
        target.resources,
        tuple(dict.fromkeys(row for o in offloads for row in _arrays(o.compiled))),
    )
    return facts


def _arrays(compiled: Compiled) -> Iterator[tuple[str, str]]:
    """The functions' local arrays that are memories of the kernel."""
    memories = compiled.schedule.kernel.memories.values()
    names = {memory.name for memory in memories if memory.kind is MemoryKind.RAM}
    for module in compiled.modules:
        yield from (row for row in local_arrays(module) if row[1] in names)


@dataclass(frozen=True)
class _Aim:
    """What a kernel is compiled for; a clock that nobody asked for is free."""

    target: Target
    clock_ps: int
    has_free_clock: bool
    goal: Goal
    registers: Registers
    loops: bool


def _offload_once(
    name: str, program: Program, aim: _Aim, folder: Path, made: Made | None
) -> Offload:
    """Compiles one function, if it has not been yet, with its package in the folder."""
    if made is None:
        return _offload(name, program, aim, folder)
    if name not in made.offloads:
        made.offloads[name] = _offload(name, program, aim, made.folder)
    found = made.offloads[name]
    package = shutil.copytree(found.package, folder / found.package.name)
    return replace(found, package=package)


def _offload(name: str, program: Program, aim: _Aim, folder: Path) -> Offload:
    """Compiles one function and writes its package."""
    from tandem.compiler.compile import compile_kernel
    from tandem.host.application import Offload
    from tandem.package import write_package

    with stage(f"compiling {name}"):
        compiled = compile_kernel(
            program,
            name,
            aim.target,
            aim.clock_ps,
            slower_clock=True,
            goal=aim.goal,
            free_clock=aim.has_free_clock,
        )
    with stage("Verilog and models"):
        place = folder / f"{compiled.kernel.name}.tandem"
        package = write_package(
            compiled, place, models=CALLED, registers=aim.registers, loops=aim.loops
        )
    return Offload(compiled, package)


def _clock_note(compiled: Compiled, asked_ps: int) -> str:
    clock_ps = compiled.schedule.clock_ps
    if clock_ps == asked_ps:
        return ""
    return (
        f"{compiled.kernel.name} runs at {1e6 / clock_ps:.0f} MHz, not the {1e6 / asked_ps:.0f} "
        f"asked for: {compiled.clock_reason}"
    )


def _require_places(job: Job) -> None:
    """Whether both results may take their names. Raises UserError."""
    if job.keep is None:
        return
    if job.keep.exists() and not job.keep.is_dir():
        raise in_the_way(job.keep, "this is a file, not a folder")
    for name in job.functions:
        require_package_place(job.keep / f"{name}.tandem")
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


def _kept(job: Job, executable: Path, packages: Sequence[Path]) -> tuple[Path, tuple[Path, ...]]:
    """Copies of all in the folder that the user named."""
    assert job.keep is not None
    place = job.keep / job.main.stem
    folders = tuple(job.keep / package.name for package in packages)
    with ExitStack() as finish:
        # All or none: the executable is on the disk before a package takes its name.
        finish.enter_context(complete_file(place, [executable.read_bytes()], 0o777))
        for package, folder in zip(packages, folders, strict=True):
            work = finish.enter_context(complete_or_absent(folder))
            for file in package.iterdir():
                shutil.copyfile(file, work / file.name)
    return place, folders
