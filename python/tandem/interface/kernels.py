# SPDX-License-Identifier: Apache-2.0
"""A C function by itself: compiled, placed, and searched for the pass that is at fault."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tandem.diagnostics import Diagnostic, InternalError, Place, diagnostic_json, user_error
from tandem.interface.options import AnyPath, Building, takes
from tandem.interface.wanted import Wanted
from tandem.ir.argument import Argument, ArgumentKind
from tandem.loading import load_compiler
from tandem.manifest import OPENED, read_manifest, require_package_place
from tandem.progress import begin, stage
from tandem.result import returns_result
from tandem.stages import watched
from tandem.written import data_as_written

if TYPE_CHECKING:
    from tandem.compiler.compile import Compiled
    from tandem.compiler.point import Point
    from tandem.ir.kernel import Kernel


@returns_result
@takes(Building)
def compile(
    source: AnyPath,
    function: str,
    *,
    clock_ns: float = 10.0,
    target: str = "ecp5",
    output: AnyPath = "build",
    models: bool = False,
    why: int | None = None,
    times: bool = False,
    dump_ir: AnyPath | None = None,
    point: AnyPath | None = None,
    **asked: Unpack[Building],
) -> dict[str, Any]:
    """Compiles a C function into the package `output/FUNCTION.tandem`; returns the schedule and the
    estimated area (docs/schemas/build.json). `models`: the package gets what it takes to run it
    outside Tandem; `why`: a line of the C whose operations are told too; `times`: whether it is
    told what each stage has taken; `dump_ir`: a folder for what each stage has made of the kernel;
    `point`: a file with the design point that is built (docs/ladder.md).

    Raises UserError and Infeasible with the C line and the cure."""
    begin()
    wanted = Wanted.of(source, function, target, clock_ns, asked).of_network()
    from tandem.compiler.dump import require_dump_place, write_dump
    from tandem.describe.lines import line_json
    from tandem.package import write_package

    place = Path(output) / f"{wanted.function}.tandem"
    require_package_place(place)
    if dump_ir is not None:
        require_dump_place(Path(dump_ir))
    chosen = None if point is None else _point(Path(point), wanted.function)
    with watched() as watch:
        compiled = wanted.compiled(after=_require_extents, point=chosen)
        with stage("Verilog and models" if models else "Verilog"):
            package = write_package(compiled, place, models=OPENED if models else ())
    if dump_ir is not None:
        with stage("the kernel stage by stage"):
            write_dump(compiled.lineage, compiled.kernel, Path(dump_ir))
    told = {} if why is None else {"why": line_json(compiled.schedule, why)}
    told |= {"times": watch.times()} if times else {}
    return data_as_written({**_build_json(compiled, package), **told})


def _point(file: Path, function: str) -> Point:
    """The design point that is built. Raises UserError for one of something else."""
    from tandem.compiler.point import read_point, require_point_of

    point = read_point(file)
    require_point_of(point, function)
    return point


def _require_extents(name: str, kernel: Kernel) -> None:
    """Asks for what is missing as soon as it is known."""
    from tandem.passes import bind_arguments

    if name == bind_arguments.SLUG:
        bind_arguments.require_extents(kernel)


@returns_result
def place(result: dict[str, Any], *, seed: int = 1) -> dict[str, Any]:
    """The result of `compile` with area and clock rate as open tools place and route the package.

    Raises SynthesisError where a tool is missing or fails."""
    load_compiler()
    from tandem.compiler.compile import find_target
    from tandem.rtl.text import module_name
    from tandem.synthesis.place import place_kernel

    package = Path(result["package"])
    family = find_target(result["target"])
    with stage(f"placing {result['kernel']}"):
        top = module_name(read_manifest(package)["kernel"])
        placed = place_kernel(package / "kernel.sv", top, family, result["clock_ns"], seed)
    return {**result, "resources": placed.resources(), "fmax_mhz": placed.fmax_mhz}


@returns_result
def slices(result: dict[str, Any], family: str) -> dict[str, Any]:
    """The result of `compile` with the slices that the package takes of an older Xilinx family,
    `xc2v`, `xc3s`, `xc3se` or `xc4v` (docs/slices.md).

    Raises UserError for another one, and SynthesisError where yosys is missing or fails."""
    load_compiler()
    from tandem.rtl.text import module_name
    from tandem.synthesis.slices import FAMILIES, kernel_slices

    package = Path(result["package"])
    with stage(f"counting slices of {result['kernel']}"):
        top = module_name(read_manifest(package)["kernel"])
        counted = kernel_slices(package / "kernel.sv", top, family)
    return {**result, "slices": {**asdict(counted), "family_name": FAMILIES[family]}}


@returns_result
@takes(Building)
def bisect(
    source: AnyPath,
    function: str,
    *,
    clock_ns: float = 10.0,
    target: str = "ecp5",
    calls: int = 20,
    seed: int = 1,
    **asked: Unpack[Building],
) -> dict[str, Any]:
    """Runs the kernel that `compile` makes of a C function as it is after every pass, on `calls`
    random calls (docs/schemas/bisect.json).

    Raises InternalError with the result where a pass changes an answer, and UserError where no call
    comes to its end within its arrays."""
    begin()
    wanted = Wanted.of(source, function, target, clock_ns, asked)
    from tandem.compiler.bisect import bisect as found_in
    from tandem.compiler.bisect import bisect_json

    compiled = wanted.compiled()
    _refuse_polls(compiled, Path(source))
    with stage("running it after every pass"):
        made = found_in(compiled.lineage, calls, seed)
    result = data_as_written(bisect_json(function, made))
    if made.found is None:
        return result
    text = f"pass {made.found.place}, `{made.found.name}`, changes what `{function}` computes"
    wrong = InternalError(Diagnostic("bisect", text, Place(str(source))))
    wrong.result = result
    raise wrong


def _refuse_polls(compiled: Compiled, source: Path) -> None:
    from tandem.ir.processes import has_polls

    if has_polls(compiled.kernel):
        raise user_error(
            "polls",
            f"`{compiled.kernel.name}` asks streams without waiting: what it computes depends on "
            "time, which passes change",
            Place(str(source)),
            "compare its RTL with the C: tandem verify",
        )


def _build_json(compiled: Compiled, package: Path) -> dict[str, Any]:
    from tandem.describe.loops import (
        fifos_json,
        functions_json,
        loops_json,
        processes_json,
    )
    from tandem.schedule.area import estimate_area

    schedule = compiled.schedule
    return {
        "format": "tandem-build-result",
        "format_version": 1,
        "kernel": compiled.kernel.name,
        "package": str(package),
        "target": schedule.target.name,
        "clock_ns": schedule.clock_ps / 1000,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "loops": loops_json(schedule),
        "functions": functions_json(schedule),
        "processes": processes_json(schedule),
        "fifos": fifos_json(schedule),
        "arguments": [_argument_json(argument) for argument in compiled.kernel.arguments],
        "resources": estimate_area(schedule),
        "fmax_mhz": round(1e6 / schedule.reachable_clock_ps, 1),
        "notes": [diagnostic_json(note) for note in compiled.notes],
    }


def _argument_json(argument: Argument) -> dict[str, Any]:
    from tandem.package import extent_text

    is_scalar = argument.kind is ArgumentKind.SCALAR
    return {
        "name": argument.name,
        "kind": argument.kind,
        "direction": argument.direction,
        "extent": "exact" if is_scalar else argument.extent.source,
        "extent_bytes": extent_text(argument),
        "least": argument.least,
        "most": argument.most,
    }
