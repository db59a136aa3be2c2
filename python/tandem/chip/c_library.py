# SPDX-License-Identifier: Apache-2.0
"""The C library of programs on a chip: picolibc, built by meson from the sources in the wheel
`pythondata-software-picolibc` by the same clang, and kept beside what that keeps. It takes 20 s,
once."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from tandem.children import captured
from tandem.chip.machine import Machine
from tandem.diagnostics import Diagnostic, InternalError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import clang_environment, zig, zig_cache
from tandem.installation import data_file
from tandem.progress import stage

WHEEL = "pythondata-software-picolibc"
OPTIONS = {
    "multilib": "false",
    "picocrt": "false",
    "tests": "false",
    "specsdir": "none",
    # As the C of a host has it: all of printf, and no segment of its own for each thread.
    "format-default": "double",
    "io-long-long": "true",
    "io-c99-formats": "true",
    "thread-local-storage": "false",
    "newlib-global-errno": "true",
    "buildtype": "minsize",
    "debug": "false",
}
COMPILED = ("-nostdlib", "-Os", "-ffunction-sections", "-fdata-sections", "-g0", "-w")
ARCHIVES = ("libc.a", "libm.a", "libsemihost.a")


def c_library(machine: Machine) -> Path:
    """The folder with `include/` and `lib/` (ARCHIVES) of the C library for a machine, beside what
    zig keeps of its own libraries: built once for each version of all that it is made with.

    Raises UserError where a wheel is missing."""
    kept = (
        Path(os.environ.get("ZIG_GLOBAL_CACHE_DIR") or zig_cache()) / f"picolibc-{_name(machine)}"
    )
    if kept.is_dir():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder() as folder, stage(f"the C library for {machine.name}"):
        made = _build(machine, folder)
        work = Path(shutil.move(made, kept.with_name(f".{kept.name}-{os.getpid()}")))
        try:
            work.rename(kept)
        except OSError:  # somebody else was first
            shutil.rmtree(work)
    return kept


def _name(machine: Machine) -> str:
    first = [Path(word).read_text() for word in _first(machine)[1:]]
    versions = [_version(WHEEL), _version("ziglang")]
    known = [WHEEL, *versions, machine.flags, OPTIONS, COMPILED, first]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _version(wheel: str) -> str:
    _module(wheel)
    return version(wheel)


def _module(wheel: str) -> Path:
    """The folder of a wheel. Raises UserError without it."""
    found = importlib.util.find_spec(wheel.replace("-", "_"))
    if found is None or not found.submodule_search_locations:
        raise user_error(
            "chip-missing",
            f"the `{wheel}` package is not installed",
            help="pip install 'tandem-accel[chip]'",
        )
    return Path(found.submodule_search_locations[0])


def _build(machine: Machine, folder: Path) -> Path:
    """Runs meson and ninja in a folder; returns where the library was installed."""
    work, made = folder / "work", folder / "made"
    cross = folder / "cross.txt"
    cross.write_text(_cross_file(machine))
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    places = [f"-Dprefix={made}", "-Dincludedir=include", "-Dlibdir=lib"]
    source = _module(WHEEL) / "data"
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    with clang_environment() as environment:
        environment["NINJA"] = ninja()
        setup = [*meson, "setup", work, source, "--cross-file", cross, *options, *places]
        for command in (setup, [ninja(), "-C", work, "install"]):
            _run(command, environment)
    shutil.rmtree(work)
    return made


def ninja() -> str:
    """The program of the `ninja` wheel. Raises UserError without."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    found = shutil.which("ninja", path=os.pathsep.join(places))
    if found is None:
        raise user_error(
            "chip-missing", "ninja is not installed", help="pip install 'tandem-accel[chip]'"
        )
    return found


def _run(command: list[str | Path], environment: dict[str, str]) -> None:
    done = captured(command, env=environment)
    if done.returncode:
        text = os.fsdecode(done.stdout + done.stderr).strip()[-2000:]
        raise InternalError(Diagnostic("c-library", f"building picolibc failed: {text}"))


def _first(machine: Machine) -> list[str]:
    """The options that put a machine's own file before each of the library's."""
    name = machine.before_library
    return [] if name is None else ["-include", str(data_file("library", f"chip/{name}"))]


def _cross_file(machine: Machine) -> str:
    compiler = [zig(), "cc", *machine.flags, "-fno-sanitize=undefined"]
    family, cpu = machine.meson_cpu
    compiled = [*COMPILED, *_first(machine)]
    return f"""[binaries]
c = {compiler!r}
ar = {[zig(), "ar"]!r}
strip = 'true'
[host_machine]
system = 'none'
cpu_family = {family!r}
cpu = {cpu!r}
endian = 'little'
[properties]
skip_sanity_check = true
[built-in options]
c_args = {compiled!r}
c_link_args = ['-nostdlib']
"""
