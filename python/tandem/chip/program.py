# SPDX-License-Identifier: Apache-2.0
"""Linking a program for a chip's RAM: its modules, our start-up and the C library, as an ELF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tandem.chip.machine import Machine
from tandem.diagnostics import Place, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import run_clang
from tandem.frontend.program import Program
from tandem.host.application import write_module
from tandem.installation import data_file

STACK_PART, MOST_STACK_BYTES = 8, 1 << 20
"""Of the RAM the stack gets an eighth, but no more than a MiB."""
COMPILED = (
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-sanitize=undefined",
    "-gline-tables-only",
)
OURS = ("-O2", "-fno-strict-aliasing")
"""For what we write: drivers move values of all types as words."""
_OVERFLOW = re.compile(r"will not fit in region 'ram': overflowed by (\d+) bytes")


@dataclass(frozen=True)
class Layout:
    """Where in a chip's memory a program lies. Bytes, and the address of the first one."""

    ram_base: int
    ram_bytes: int

    @property
    def stack_bytes(self) -> int:
        """What the stack has at the end of the RAM."""
        return min(self.ram_bytes // STACK_PART, MOST_STACK_BYTES) // 16 * 16


@dataclass(frozen=True)
class Core:
    """What a program has to know of the processor. `forget_cached_data`: the instruction, in the
    assembler's words, after which data is read from memory again; None without such a cache."""

    machine: Machine
    forget_cached_data: str | None = None
    has_traps: bool = False
    """Whether it goes on at `mtvec` behind an exception; else it stops."""


@dataclass(frozen=True)
class Devices:
    """What a program without a host knows of the chip: the addresses of the serial line and of the
    timer, and how many cycles of that are a second."""

    uart_base: int
    timer_base: int
    clock_hz: int


@dataclass(frozen=True)
class Ready:
    """What programs are linked of: the program, compiled for the core, where it is to lie, and the
    folder of the C library."""

    program: Program
    core: Core
    layout: Layout
    library: Path
    devices: Devices
    has_host: bool = True
    """Whether files, arguments and the console are the host's; else there is only a serial line,
    and a timer."""


def link_program(
    ready: Ready,
    modules: Sequence[str],
    output: Path,
    driver: str = "",
    kept: Sequence[str] = (),
) -> Path:
    """Writes the ELF `output` of a program whose files' LLVM IR is `modules`; `driver`: C that is
    part of it; `kept`: names that stay, whoever asks for them.

    Raises UserError where the program does not fit or lacks something."""
    with temporary_folder() as work:
        objects = _objects(ready, modules, driver, work)
        script = work / "program.ld"
        script.write_text(_script(ready.layout, kept))
        words = [*ready.core.machine.flags, "-static", "-T", script, "-Wl,--gc-sections"]
        try:
            run_clang([*words, *objects, *_archives(ready.library), "-o", output])
        except UserError as error:
            raise _too_large(error, ready) or error from None
    output.chmod(0o755)
    return output


def _objects(ready: Ready, modules: Sequence[str], driver: str, work: Path) -> list[Path]:
    files = [write_module(text, work / f"module{i}.ll") for i, text in enumerate(modules)]
    objects = [_compiled(file, ready.core, [ready.program.optimisation]) for file in files]
    include = ["-isystem", ready.library / "include", "-I", data_file("library", "chip")]
    (work / "driver.c").write_text(driver)
    for name, number in asdict(ready.devices).items():
        include += [f"-DTANDEM_{name.upper()}={number:#x}u"]
    border = "host.c" if ready.has_host else "board.c"
    parts = (ready.core.machine.entry, "start.c", border)
    own = [work / "driver.c", *(data_file("library", f"chip/{name}") for name in parts)]
    return [*objects, *(_compiled(file, ready.core, [*OURS, *include], work) for file in own)]


def _archives(library: Path) -> list[Path]:
    """In an order in which each finds what it asks others for."""
    names = ("libc.a", "libsemihost.a", "libm.a", "libc.a", "libsemihost.a")
    return [library / "lib" / name for name in names]


def _compiled(
    source: Path, core: Core, flags: Sequence[str | Path], folder: Path | None = None
) -> Path:
    """The object of a file; beside it, or in `folder`."""
    output = (folder or source.parent) / f"{source.stem}.o"
    words = [*core.machine.flags, *COMPILED, *flags, *_cache_words(core)]
    run_clang([*words, "-c", source, "-o", output])
    return output


def _cache_words(core: Core) -> list[str]:
    word = core.forget_cached_data
    words = [] if word is None else [f'-DTANDEM_FORGET_CACHED_DATA="{word}"']
    return [*words, *(["-DTANDEM_HAS_TRAPS"] if core.has_traps else [])]


def _script(layout: Layout, kept: Sequence[str]) -> str:
    numbers = {
        "RAM_BASE": hex(layout.ram_base),
        "RAM_BYTES": str(layout.ram_bytes),
        "STACK_BYTES": str(layout.stack_bytes),
    }
    text = data_file("library", "chip/program.ld").read_text()
    asked = "".join(f'EXTERN("{name}")\n' for name in kept)
    return re.sub("|".join(numbers), lambda found: numbers[found[0]], text) + asked


def _too_large(error: UserError, ready: Ready) -> UserError | None:
    """Why a program does not fit, if that is what the linker says."""
    has = ready.layout.ram_bytes
    more = [int(n) for d in error.diagnostics for n in _OVERFLOW.findall(d.message)]
    if not more:
        return None
    needs = has + max(more)
    return user_error(
        "ram",
        f"the program and its stack need {needs} bytes, and the chip's RAM has {has}",
        Place(str(ready.program.main)),
        f"give the platform a larger RAM (--set ram.size={-(-needs // 1024)}KiB)",
    )
