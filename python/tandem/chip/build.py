# SPDX-License-Identifier: Apache-2.0
"""Building an application for a chip: functions as hardware, the rest as a program of its core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tandem.chip.c_library import c_library
from tandem.chip.driver import drivers_c, held, result_bits
from tandem.chip.machine import Machine, program_for
from tandem.chip.program import Core, Layout, link_program
from tandem.choices import Goal
from tandem.compiler import Compiled, compile_kernel, find_target
from tandem.frontend.clang import translate_all
from tandem.frontend.program import Program
from tandem.host.application import Offload, redirected_modules
from tandem.host.stub import original_symbol, stub_name
from tandem.package import write_package
from tandem.progress import stage

SHELL_BYTES = 16
"""What a shell has of the address space (engine/src/chip/settings.rs)."""
CORES = {"picorv32": Core(Machine("mc"))}
"""What programs have to know of each core: how the RTL is configured, tandem.models.cores says."""
MODEL = ("rtl.so",)


@dataclass(frozen=True)
class Built:
    """A program for a chip, and the kernels beside it as the engine's request has them."""

    program: Path
    kernels: tuple[dict[str, Any], ...]
    compiled: tuple[Compiled, ...]
    software: Path
    """The same program with no function offloaded."""


def build_for_chip(
    program: Program, offload: Sequence[str], chip: dict[str, Any], goal: Goal, folder: Path
) -> Built:
    """Compiles and links into an empty folder: `program.elf`, `software.elf`, and the packages.
    `chip`: its numbers (docs/schemas/chip.json).

    Raises UserError and Infeasible."""
    core = CORES[chip["core"]]
    ram = chip["rams"][0]
    layout = Layout(ram["base"], ram["bytes"])
    with c_library(core.machine) as library:
        own = program_for(program, core.machine, library / "include")
        offloads = [_offload(name, own, chip, goal, folder) for name in offload]
        modules = list(translate_all(own.files)[0])
        with stage("linking the program"):
            link_program(own, modules, "", core, layout, library, folder / "software.elf")
            kernels = [offload.compiled.kernel for offload in offloads]
            window = chip["shell"]["window_bytes"]
            bases = [chip["shell"]["base"] + SHELL_BYTES * n for n in range(len(kernels))]
            names = [original_symbol(kernel.name) for kernel in kernels]
            link_program(
                own,
                redirected_modules(offloads[0].compiled.modules, offloads) if offloads else modules,
                drivers_c(kernels, bases, window),
                core,
                layout,
                library,
                folder / "program.elf",
                kept=names,
            )
    rows = [_row(offload, number, window) for number, offload in enumerate(offloads)]
    compiled = tuple(offload.compiled for offload in offloads)
    return Built(folder / "program.elf", tuple(rows), compiled, folder / "software.elf")


def _offload(
    name: str, program: Program, chip: dict[str, Any], goal: Goal, folder: Path
) -> Offload:
    with stage(f"compiling {name}"):
        target = find_target(chip["target"])
        compiled = compile_kernel(program, name, target, chip["clock_ps"], goal=goal)
    with stage("Verilog and models"):
        package = write_package(compiled, folder / f"{compiled.kernel.name}.tandem", models=MODEL)
    return Offload(compiled, package)


def _row(offload: Offload, number: int, window_bytes: int) -> dict[str, Any]:
    kernel = offload.compiled.kernel
    return {
        "kernel": kernel.name,
        "driver": stub_name(number),
        "original": original_symbol(kernel.name),
        "result_bits": result_bits(kernel),
        "model": str(offload.package / "rtl.so"),
        "arguments": [asdict(row) for row in held(kernel, window_bytes)],
    }
