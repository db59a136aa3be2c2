# SPDX-License-Identifier: Apache-2.0
"""Writing a package: a folder with a kernel's hardware and, for a run, its models. docs/package.md
describes it, `tandem.manifest` reads it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tandem.compiler.compile import Compiled
from tandem.describe.changes import PARTS
from tandem.describe.loops import fifos_json, loops_json
from tandem.describe.schedule import schedule_json
from tandem.files import complete_or_absent, temporary_folder
from tandem.frontend.imported import prints
from tandem.installation import tandem_version
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.formula import formula
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import FloatOp, Pop, Push
from tandem.ir.printer import print_kernel
from tandem.ir.processes import has_polls
from tandem.manifest import (
    FORMAT,
    FORMAT_VERSION,
    HARDWARE,
    MACROS,
    MANIFEST,
    OPENED,
    SCHEDULE,
    Registers,
    require_package_place,
)
from tandem.models.ahead import DECLARATIONS
from tandem.models.c_interface import scalar_bytes
from tandem.models.cycles import streams_of
from tandem.models.macro_check import check_macros
from tandem.models.rtl_model import DECLARATIONS as RTL_DECLARATIONS
from tandem.models.shared_objects import build_ahead, build_function, build_rtl
from tandem.rtl.circt import to_verilog
from tandem.rtl.header import header
from tandem.rtl.macros import verilog_of
from tandem.rtl.ports import signals_of
from tandem.rtl.text import told_name
from tandem.stages import stage


def write_package(
    compiled: Compiled,
    path: Path,
    *,
    models: Sequence[str] = (),
    registers: Registers = "needed",
    loops: bool = False,
) -> Path:
    """Builds every file of the package into the folder `path`, replacing a package that was there;
    `models`: what it takes to run it, `CALLED` or `OPENED`, which clang has to compile;
    `registers`: those that the RTL's has; `loops`: whether it is told when each is entered.

    Raises UserError if something else is there, or it cannot be written."""
    require_package_place(path)
    with complete_or_absent(path) as folder:
        schedule, hardware = compiled.schedule, compiled.hardware
        parts = {name: part.text for name, part in PARTS.items()}
        told = header(schedule, compiled.program.paths, tandem_version(), parts)
        macros = list(compiled.kernel.macros.values())
        check_macros(macros, hardware.name)
        (folder / "kernel.sv").write_text(told + to_verilog(hardware))
        (folder / "kernel.ir").write_text(print_kernel(_without_folder(compiled.kernel)))
        (folder / SCHEDULE).write_text(json.dumps(schedule_json(schedule)))
        if macros:
            (folder / MACROS).write_text(verilog_of(macros))
        if models:
            _write_models(compiled, models, folder, registers, loops)
        names = [*HARDWARE, *models, *([MACROS] if macros else [])]
        files = {name: _fingerprint(folder / name) for name in names}
        (folder / MANIFEST).write_text(json.dumps(_manifest(compiled, files), indent=2))
    return path


@stage("models")
def _write_models(
    compiled: Compiled,
    models: Sequence[str],
    folder: Path,
    registers: Registers,
    loops: bool,
) -> None:
    schedule, hardware = compiled.schedule, compiled.hardware
    (folder / "driver.h").write_text(_driver_h(compiled))
    with temporary_folder() as work:
        build_ahead(schedule, hardware, compiled.as_imported, folder, work, loops=loops)
        if models == OPENED:
            build_function(compiled.kernel, compiled.function_ir, folder, work)
        build_rtl(schedule, hardware, folder, work, registers)


def _without_folder(kernel: Kernel) -> Kernel:
    """The same kernel; a package does not tell in which folder it was made."""
    return replace(kernel, source=told_name(kernel.source))


def _manifest(compiled: Compiled, files: dict[str, Any]) -> dict[str, Any]:
    schedule = compiled.schedule
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "tandem_version": tandem_version(),
        "kernel": compiled.kernel.name,
        "target": schedule.target.name,
        "clock_ps": schedule.clock_ps,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "has_floats": _has_floats(compiled),
        "prints": prints(compiled.function_ir),
        "polls": has_polls(compiled.kernel),
        "arguments": _argument_rows(compiled.kernel.arguments),
        "ports": [asdict(signal) for signal in signals_of(compiled.kernel)],
        "loops": _loop_rows(compiled),
        "fifos": fifos_json(schedule),
        "in_place": _in_place_names(compiled.kernel),
        "files": files,
        "sources": {
            s.name: hashlib.sha256(s.read_bytes()).hexdigest() for s in compiled.program.paths
        },
        "tools": {n: importlib.metadata.version(n) for n in ("pycde", "llvmlite", "ziglang")},
    }


def _has_floats(compiled: Compiled) -> bool:
    """Whether it computes with floating-point numbers, so that it matters how these are rounded."""
    return any(isinstance(op, FloatOp) for _, op in compiled.as_imported.ops())


def _loop_rows(compiled: Compiled) -> list[dict[str, Any]]:
    """The loops, each with the arrays of which an iteration takes a record, and those to which it
    gives one: in which of its cycles, and how many the FIFO behind holds."""
    schedule, depths = compiled.schedule, compiled.hardware.fifo_depths
    names = {a.memory.name: a.name for a in compiled.kernel.arguments if a.memory is not None}
    rows = loops_json(schedule)
    for row, loop in zip(rows, natural_loops(schedule.kernel), strict=True):
        ops = streams_of(loop) if schedule.blocks[loop].ii else []
        takes = [op for op in ops if isinstance(op, Pop) and op.memory.name in names]
        gives = [op for op in ops if isinstance(op, Push) and op.memory.name in names]
        row["takes"] = [names[op.memory.name] for op in takes]
        row["gives"] = [
            {
                "stream": names[op.memory.name],
                "cycle": schedule.blocks[loop].start[op],
                "depth": depths[op.memory.name],
            }
            for op in gives
        ]
    return rows


def _argument_rows(arguments: list[Argument]) -> list[dict[str, Any]]:
    return [
        {
            "name": a.name,
            "kind": a.kind,
            "direction": a.direction,
            "element_bytes": element_bytes(a),
            "float_bytes": a.float_bytes,
            "reads": a.reads and a.direction != "out",
            "is_parameter": a.is_parameter,
            "grows": grows(a),
            "extent": "exact" if a.kind is ArgumentKind.SCALAR else a.extent.source,
            "extent_bytes": extent_text(a),
            "stays_bytes": _stays_bytes(a),
            "field": _field(arguments, a),
            "part": _part(arguments, a),
            "joins": [i for i, part in enumerate(arguments) if part.name in a.joins],
            "made": a.made,
            "least": a.least,
            "most": a.most,
        }
        for a in arguments
    ]


def _field(arguments: list[Argument], argument: Argument) -> dict[str, int | bool] | None:
    """Where an array's pointer is found: in which argument, and where in it."""
    if argument.field is None:
        return None
    names = [a.name for a in arguments]
    place = {"argument": names.index(argument.field.parent), "byte": argument.field.offset}
    return place | {"open": argument.field.is_open}


def _part(arguments: list[Argument], argument: Argument) -> dict[str, int] | None:
    """Of which argument's array, and of which bytes of it, it is a part."""
    if argument.part is None:
        return None
    names = [a.name for a in arguments]
    part = argument.part
    return {"argument": names.index(part.parent), "byte": part.offset, "bytes": part.bytes}


def _stays_bytes(argument: Argument) -> int:
    """The bytes of what stays in the device's memory between calls; what is joined with others goes
    with each call."""
    variable = argument.variable
    stays = variable is not None and variable.is_private and argument.kind is not ArgumentKind.PLACE
    return variable.bytes if variable is not None and stays else 0


def grows(argument: Argument) -> bool:
    """Whether a call's work makes more of an array: its extent follows the amount of an argument,
    or only the call itself tells it. A variable has its size whatever a call uses of it."""
    claim = argument.extent.claim
    if argument.kind not in (ArgumentKind.STREAM, ArgumentKind.MEMORY):
        return False
    return argument.variable is None if claim is None else claim.scales()


def extent_text(argument: Argument) -> str:
    """The bytes of a call for people: a formula over the parameters, or empty where only the call
    tells."""
    if argument.kind is ArgumentKind.SCALAR:
        return str(element_bytes(argument))
    claim = argument.extent.claim
    return formula(claim) if claim is not None else ""


def _in_place_names(kernel: Kernel) -> list[list[str]]:
    names = {a.memory.name: a.name for a in kernel.arguments if a.memory is not None}
    return sorted([names[read], names[written]] for read, written in kernel.in_place)


def element_bytes(argument: Argument) -> int:
    """Bytes of a record, of a memory's element, or of the whole value."""
    if argument.memory is not None:
        return argument.memory.element_bits // 8
    if argument.kind is ArgumentKind.BLOCK:
        return argument.width // 8
    return scalar_bytes(argument)


def _fingerprint(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _driver_h(compiled: Compiled) -> str:
    kernel = compiled.kernel
    rows = "\n".join(
        f" *   data[{i}]: {a.name}, {a.kind} {a.direction}, {extent_text(a) or '?'} bytes"
        f"{', ' if a.served else ''}{a.served}"
        for i, a in enumerate(kernel.arguments)
    )
    return f"""/* The C interface of the shared objects of `{kernel.name}`; see docs/package.md.
 *
{rows}
 */
#include <stdint.h>

void tandem_function(void *const data[]);
{DECLARATIONS}
{RTL_DECLARATIONS}"""
