# SPDX-License-Identifier: Apache-2.0
"""Linking a program for a chip's RAM: its modules, our start-up and the C library, as an ELF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.chip.machine import Machine
from tandem.diagnostics import Place, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import run_clang
from tandem.frontend.program import Program
from tandem.host.application import write_module
from tandem.installation import data_file

STACK_PART, MOST_STACK_BYTES = 8, 1 << 20
"""Of the RAM the stack gets an eighth, but no more than that: what Linux gives a thread at least
on most systems is 1 MiB and more, and no program is written for less without being told."""
COMPILED = ("-ffunction-sections", "-fdata-sections", "-fno-sanitize=undefined", "-gline-tables-only")
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


def link_program(
    program: Program,
    modules: Sequence[str],
    driver: str,
    core: Core,
    layout: Layout,
    library: Path,
    output: Path,
    kept: Sequence[str] = (),
) -> Path:
    """Writes the ELF `output` of a program whose files' LLVM IR is `modules`; `driver`: C that is
    part of it, `library`: the C library's folder, `kept`: names that nobody may ask for.

    Raises UserError where the program does not fit or lacks something."""
    with temporary_folder() as work:
        files = [write_module(text, work / f"module{i}.ll") for i, text in enumerate(modules)]
        objects = [_compiled(file, core, [program.optimisation]) for file in files]
        include = ["-isystem", library / "include", "-I", data_file("library", "chip")]
        (work / "driver.c").write_text(driver)
        own = [work / "driver.c", data_file("library", "chip/start.c")]
        objects += [_compiled(file, core, ["-O2", *include], work) for file in own]
        script = work / "program.ld"
        script.write_text(_script(layout, kept))
        archives = [library / "lib" / name for name in ("libc.a", "libsemihost.a", "libc.a")]
        maths = [library / "lib" / "libm.a"]
        words = [*core.machine.flags, "-static", "-T", script, "-Wl,--gc-sections"]
        try:
            run_clang([*words, *objects, *archives, *maths, *archives, "-o", output])
        except UserError as error:
            raise _too_large(error, program, layout) or error from None
    return output


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
    return [] if word is None else [f'-DTANDEM_FORGET_CACHED_DATA="{word}"']


def _script(layout: Layout, kept: Sequence[str]) -> str:
    numbers = {
        "RAM_BASE": hex(layout.ram_base),
        "RAM_BYTES": str(layout.ram_bytes),
        "STACK_BYTES": str(layout.stack_bytes),
    }
    text = data_file("library", "chip/program.ld").read_text()
    asked = "".join(f'EXTERN("{name}")\n' for name in kept)
    return re.sub("|".join(numbers), lambda found: numbers[found[0]], text) + asked


def _too_large(error: UserError, program: Program, layout: Layout) -> UserError | None:
    """Why a program does not fit, if that is what the linker says."""
    more = [int(n) for d in error.diagnostics for n in _OVERFLOW.findall(d.message)]
    if not more:
        return None
    return user_error(
        "ram",
        f"the program and its stack need {layout.ram_bytes + max(more)} bytes, and the chip's RAM "
        f"has {layout.ram_bytes}",
        Place(str(program.main)),
        f"give the platform a larger RAM (--set ram.size={_next_size(layout.ram_bytes + max(more))})",
    )


def _next_size(bytes_: int) -> str:
    return f"{-(-bytes_ // 1024)}KiB"
