# SPDX-License-Identifier: Apache-2.0
"""tandem run"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tandem.commands import options
from tandem.diagnostics import Place, user_error
from tandem.frontend.discovery import find_program
from tandem.host.launch import MODES, Prepared, launch, prepared
from tandem.package import cannot_write
from tandem.report.breakdown import run_json, show_run
from tandem.report.page import page
from tandem.report.perfetto import perfetto_json
from tandem.study.baselines import openssl_seconds


def register(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    application: Annotated[Path, typer.Argument(help="the application's main C file")],
    arguments: Annotated[list[str] | None, typer.Argument(help="its arguments, after --")] = None,
    offload: Annotated[str, typer.Option(help="the function that becomes hardware")] = "",
    platform: Annotated[str, typer.Option(help="a platform's name or file")] = "src-6e",
    mode: Annotated[str, typer.Option(help="native, emulate or simulate")] = "emulate",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="keep executable and package here")
    ] = None,
    trace: Annotated[Path | None, typer.Option(help="write a trace for Perfetto")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    sources: options.Sources = None,
    include: options.Include = None,
    define: options.Define = None,
    cflags: options.CFlags = "",
    library: options.Library = None,
    library_folder: options.LibraryFolder = None,
    compile_commands: options.CommandsFile = None,
) -> None:
    """Runs an application with one function offloaded, and shows where the time went."""
    if mode not in MODES:
        raise user_error("mode", f"unknown mode `{mode}`", help=f"known are: {', '.join(MODES)}")
    if not offload:
        raise user_error(
            "no-function",
            "no function to offload",
            Place(str(application)),
            "add --offload FUNCTION",
        )
    said = options.ProgramOptions(
        sources, include, define, cflags, library, library_folder, compile_commands
    )
    program = find_program(application, said.given())
    baseline = program.optimisation
    with prepared(program, offload, platform, output) as build:
        done = launch(build, mode, arguments or [], quiet=as_json)
        result = run_json(done.report, _baselines(build, done.report), build.clock_note, baseline)
    if trace is not None:
        write_text(trace, json.dumps(perfetto_json(done.report)))
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        show_run(result, page())


def _baselines(build: Prepared, report: dict) -> dict[str, float]:
    kernel = build.compiled.kernel
    found = openssl_seconds(kernel.name, build.compiled.program.paths, report["bytes_in"])
    return {found[0]: found[1]} if found and report["bytes_in"] else {}


def write_text(path: Path, text: str) -> None:
    """Writes a file beside its place and renames it. Raises UserError if it cannot."""
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.write_text(text)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise cannot_write(path, error) from error
