# SPDX-License-Identifier: Apache-2.0
"""tandem build"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tandem.compiler import Compiled, compile_kernel, find_target
from tandem.diagnostics import user_error
from tandem.frontend.clang import discover_sources
from tandem.package import write_package
from tandem.report.build import show_build
from tandem.report.page import page
from tandem.report.schedule import loops_json
from tandem.schedule.area import estimate_area
from tandem.synthesis.place import place_kernel


def register(app: typer.Typer) -> None:
    app.command("build")(build)


def build(
    source: Annotated[Path, typer.Argument(help="the C file that defines the function")],
    top: Annotated[str, typer.Option(help="the function that becomes hardware")],
    clock_ns: Annotated[float, typer.Option(help="clock period")] = 10.0,
    target: Annotated[str, typer.Option(help="FPGA family, see `tandem list targets`")] = "ecp5",
    output: Annotated[Path, typer.Option("-o", "--output", help="folder for the package")] = Path(
        "build"
    ),
    place: Annotated[
        bool, typer.Option(help="place and route with open tools, for area and Fmax")
    ] = False,
    seed: Annotated[int, typer.Option(help="seed of the placer")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Compiles a C function into a package: Verilog, models, a report."""
    if clock_ns <= 0:
        raise user_error(
            "clock", f"a clock period of {clock_ns:g} ns", help="give a positive number"
        )
    family = find_target(target)
    compiled = compile_kernel(discover_sources(source), top, family, round(clock_ns * 1000))
    package = write_package(compiled, output / f"{top}.tandem")
    result = _result(compiled, package)
    if place:
        placed = place_kernel(package / "kernel.sv", compiled.hardware.name, family, clock_ns, seed)
        result["resources"] = placed.resources()
        result["fmax_mhz"] = placed.fmax_mhz
    print(json.dumps(result, indent=2)) if as_json else show_build(result, page())


def _result(compiled: Compiled, package: Path) -> dict[str, Any]:
    schedule = compiled.schedule
    return {
        "kernel": compiled.kernel.name,
        "package": str(package),
        "target": schedule.target.name,
        "clock_ns": schedule.clock_ps / 1000,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "loops": loops_json(schedule),
        "arguments": [
            {
                "name": a.name,
                "kind": a.kind,
                "direction": a.direction,
                "extent_bytes": a.extent_bytes,
            }
            for a in compiled.kernel.arguments
        ],
        "resources": estimate_area(compiled.schedule),
        "fmax_mhz": None,
    }
