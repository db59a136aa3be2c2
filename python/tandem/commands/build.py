# SPDX-License-Identifier: Apache-2.0
"""tandem build"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import tandem
from tandem.commands import options
from tandem.commands.notes import show_notes
from tandem.commands.result import show_json
from tandem.diagnostics import TandemError
from tandem.frontend.discovery import Given
from tandem.room import BUDGET_S, Room


def register(app: typer.Typer) -> None:
    app.command("build")(build)


@options.with_program_options
def build(
    given: Given,
    source: options.Source,
    top: Annotated[str, typer.Option(help="the function that becomes hardware")],
    clock_ns: options.Clock = 10.0,
    optimise: options.Optimise = "balanced",
    max_lut4: options.MaxLut4 = None,
    max_ff: options.MaxFf = None,
    max_dsp: options.MaxDsp = None,
    budget: options.Budget = BUDGET_S,
    target: options.Family = "ecp5",
    output: Annotated[Path, typer.Option("-o", "--output", help="folder for the package")] = Path(
        "build"
    ),
    models: Annotated[
        bool, typer.Option(help="models for programs of your own too: see driver.h in the package")
    ] = False,
    place: Annotated[
        bool, typer.Option(help="place and route with open tools, for area and Fmax")
    ] = False,
    why: Annotated[
        int | None, typer.Option(metavar="LINE", help="explain what a line of the C became")
    ] = None,
    times: Annotated[bool, typer.Option("--times", help="tell what each stage has taken")] = False,
    dump_ir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="folder for what each stage has made of the kernel"),
    ] = None,
    seed: Annotated[int, typer.Option(help="first seed of the placer")] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Compiles a C function into a package: Verilog, its schedule, a report."""
    result = tandem.compile(
        source,
        top,
        clock_ns=clock_ns,
        target=target,
        optimise=optimise,
        room=Room(max_lut4, max_ff, max_dsp),
        budget_s=budget,
        output=output,
        models=models,
        given=given,
        why=why,
        times=times,
        dump_ir=dump_ir,
    )
    if as_json:
        _show_json(result, place, seed)
    else:
        show_notes(result)
        _show_page(result, place, seed, why)


def _show_page(result: dict[str, Any], is_placed: bool, seed: int, why: int | None) -> None:
    """The schedule at once; placing takes minutes and may be stopped."""
    from tandem.interface import place
    from tandem.report.build import show_build, show_resources, show_times
    from tandem.report.page import page
    from tandem.report.why import show_line

    console = page()
    show_build(result, console)
    if why is not None:
        show_line(result["why"], why, console)
    if "times" in result:
        show_times(result["times"], console)
    if is_placed:
        console.file.flush()
        show_resources(place(result, seed=seed), console)


def _show_json(result: dict[str, Any], is_placed: bool, seed: int) -> None:
    """One result: with the placement, or without if that is stopped or fails."""
    from tandem.interface import place

    try:
        result = place(result, seed=seed) if is_placed else result
    except TandemError as failed:
        failed.result = result
        raise
    finally:
        show_json(result)
