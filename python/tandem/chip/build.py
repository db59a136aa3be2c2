# SPDX-License-Identifier: Apache-2.0
"""Building an application for a chip: functions as hardware, the rest as a program of its core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tandem.chip.c_library import c_library
from tandem.chip.driver import drivers_c
from tandem.chip.held import held, result_bits
from tandem.chip.machine import Arm, RiscV, program_for
from tandem.chip.program import Core, Devices, Layout, Ready, link_program
from tandem.compiler.compile import Compiled, compile_kernel, find_target
from tandem.compiler.device import device_area
from tandem.compiler.goals import Goal
from tandem.diagnostics import diagnostic_json, user_error
from tandem.frontend.program import MAIN, Program
from tandem.host.application import Offload, redirected_modules
from tandem.host.prepare import Counts, registers_of
from tandem.host.stub import original_symbol, stub_name
from tandem.languages.modules import translate_all
from tandem.manifest import Registers
from tandem.package import write_package
from tandem.progress import stage

SHELL_BYTES = 16
"""What a shell has of the address space (engine/src/chip/settings.rs)."""
_FORGET = ".word 0x500f"
"""VexRiscv's own instruction that empties its data cache."""
HOST_BASE = 0xF0000000
"""Where the host is (library/chip/host.h)."""
CORES = {
    "picorv32": Core(RiscV("mc")),
    "vexriscv": Core(RiscV("m"), forget_cached_data=_FORGET, has_traps=True),
    "vexriscv-lite": Core(RiscV("m"), has_traps=True),
    "strongarm": Core(Arm("armv4", "strongarm")),
    "microblaze": Core(RiscV("m")),
}
"""What programs have to know of each core: how the RTL is configured, tandem.models.cores says."""
MODEL = ("rtl.so",)


def build_for_chip(
    program: Program,
    offload: Sequence[str],
    chip: dict[str, Any],
    goal: Goal,
    folder: Path,
    counts: Counts = "",
    shows: bool = False,
) -> dict[str, Any]:
    """Compiles and links into an empty folder: `program.elf`, `software.elf`, and the packages.
    Returns what is known of the build: `kernels` as the engine's request has them, with models
    beside the program. `chip`: its numbers (docs/schemas/chip.json); `counts`: the toggles of what
    kernels' models count; `shows`: whether they show their registers.

    Raises UserError, Infeasible and SynthesisError."""
    registers = registers_of(counts, shows)
    parts = compile_parts(program, offload, chip, goal, folder, MODEL, registers)
    offloads = parts.offloads
    with stage("linking the program"):
        link_program(parts.ready, parts.modules, folder / "software.elf")
        link_parts(parts, chip, folder / "program.elf")
    window = chip["shell"]["window_bytes"]
    rows = [result_row(made, number, window) for number, made in enumerate(offloads)]
    if counts == "nets":
        _count_nets(rows, offloads, chip["energy"]["netlist"])
    return {
        "kernels": rows,
        "notes": _notes(offloads),
        "verilog": sorted({m.file for o in offloads for m in o.compiled.kernel.macros.values()}),
        "areas": [device_area(offload.compiled.schedule) for offload in offloads],
        "flags": program.optimisation,
    }


def _count_nets(rows: Sequence[dict[str, Any]], offloads: Sequence[Offload], family: str) -> None:
    """Has models of netlists in the place of the RTL's. Verilator is not loaded without need."""
    from tandem.chip.gates import build_gates

    for row, offload in zip(rows, offloads, strict=True):
        row["model"] = f"{offload.package.name}/{build_gates(offload, family)}"


@dataclass(frozen=True)
class Parts:
    """What a program for a chip is linked of: its modules as they are, and the functions that
    become hardware."""

    ready: Ready
    modules: list[str]
    offloads: list[Offload]


def compile_parts(
    program: Program,
    offload: Sequence[str],
    chip: dict[str, Any],
    goal: Goal,
    folder: Path,
    models: Sequence[str],
    registers: Registers = "needed",
) -> Parts:
    """Compiles an application for a chip; the packages, with these models, are then in the folder.
    `registers`: those that the models have.

    Raises UserError and Infeasible."""
    if MAIN in offload:
        raise user_error(
            "chip-main",
            "main is the program that the processor runs, and no kernel beside it",
            help="offload a function that it calls",
        )
    core = CORES[chip["core"]]
    library = c_library(core.machine)
    own = program_for(program, core.machine, library / "include")
    ready = Ready(own, core, _layout(chip), library, devices=_devices(chip))
    names = dict.fromkeys(offload)
    made = [_compiled(name, own, chip, goal) for name in names]
    offloads = [_packaged(compiled, folder, models, registers) for compiled in made]
    return Parts(ready, list(translate_all(own.files)[0]), offloads)


def _devices(chip: dict[str, Any]) -> Devices:
    return Devices(chip["uart"]["base"], chip["timer"]["base"], chip["clock_hz"])


def _layout(chip: dict[str, Any]) -> Layout:
    ram = chip["rams"][0]
    return Layout(ram["base"], ram["bytes"])


def link_parts(parts: Parts, chip: dict[str, Any], output: Path) -> None:
    """Links the program with drivers in place of functions."""
    offloads, modules = parts.offloads, parts.modules
    kernels = [offload.compiled.kernel for offload in offloads]
    bases, layout = shell_bases(chip, len(kernels)), parts.ready.layout
    end = layout.ram_base + layout.ram_bytes
    driver = drivers_c(kernels, bases, chip["shell"], end)
    # Also where the program, as it is compiled, never comes to a call.
    names = [stub_name(number) for number in range(len(kernels))]
    names += [original_symbol(kernel.name) for kernel in kernels]
    if offloads:
        modules = list(redirected_modules(offloads[0].compiled.modules, offloads))
    link_program(parts.ready, modules, output, driver, names)


def shell_bases(chip: dict[str, Any], count: int) -> list[int]:
    """The first addresses of so many kernels' shells. Raises UserError where they meet the serial
    line, the timer or the host, or end behind the last address."""
    bases = [chip["shell"]["base"] + SHELL_BYTES * n for n in range(count)]
    first = chip["shell"]["base"]
    end = first + SHELL_BYTES * count
    uart, timer = chip["uart"]["base"], chip["timer"]["base"]
    for name, place in (("the serial line", uart), ("the timer", timer), ("the host", HOST_BASE)):
        if first <= place < end:
            raise user_error(
                "chip-addresses",
                f"the shells of {count} kernels lie from {first:#x} to {end:#x}, where {name} is",
                help="move them (--set shell.base=0x90000000)",
            )
    return bases


def _notes(offloads: Sequence[Offload]) -> list[dict[str, Any]]:
    notes = dict.fromkeys(note for offload in offloads for note in offload.compiled.notes)
    return [diagnostic_json(note) for note in notes]


def _compiled(name: str, program: Program, chip: dict[str, Any], goal: Goal) -> Compiled:
    with stage(f"compiling {name}"):
        target, clock_ps = find_target(chip["target"]), chip["clock_ps"]
        return compile_kernel(program, name, target, clock_ps, goal=goal, keeps_variables=True)


def _packaged(
    compiled: Compiled, folder: Path, models: Sequence[str], registers: Registers
) -> Offload:
    with stage("Verilog and models"):
        place = folder / f"{compiled.kernel.name}.tandem"
        return Offload(compiled, write_package(compiled, place, models=models, registers=registers))


def result_row(offload: Offload, number: int, window_bytes: int) -> dict[str, Any]:
    """A kernel as the engine's request has it, with its model beside the program."""
    kernel = offload.compiled.kernel
    return {
        "kernel": kernel.name,
        "driver": stub_name(number),
        "original": original_symbol(kernel.name),
        "result_bits": result_bits(kernel),
        "model": f"{offload.package.name}/{MODEL[0]}",
        "arguments": [asdict(row) for row in held(kernel, window_bytes)],
    }
