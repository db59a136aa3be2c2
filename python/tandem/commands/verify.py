# SPDX-License-Identifier: Apache-2.0
"""tandem verify"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tandem.commands import options
from tandem.diagnostics import Diagnostic, InternalError, Place, user_error
from tandem.frontend.discovery import find_program
from tandem.host.launch import launch, prepared


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(
    application: Annotated[Path, typer.Argument(help="the application's main C file")],
    arguments: Annotated[list[str] | None, typer.Argument(help="its arguments, after --")] = None,
    offload: Annotated[str, typer.Option(help="the function that becomes hardware")] = "",
    platform: Annotated[str, typer.Option(help="a platform's name or file")] = "src-6e",
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    sources: options.Sources = None,
    include: options.Include = None,
    define: options.Define = None,
    cflags: options.CFlags = "",
    library: options.Library = None,
    library_folder: options.LibraryFolder = None,
    compile_commands: options.CommandsFile = None,
) -> None:
    """Runs the RTL on every call the application makes, and compares each result with the C."""
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
    with prepared(program, offload, platform) as build:
        report = launch(build, "simulate", arguments or [], quiet=as_json).report
    wrong, checked = report["mismatches"], report["checked_calls"]
    if as_json:
        print(
            json.dumps(
                {
                    "kernel": offload,
                    "checked_calls": checked,
                    "mismatches": wrong,
                    "cycles": report["cycles"],
                    "host_calls": report["host_calls"]["calls"],
                }
            )
        )
    else:
        print(f"{offload}: {checked} calls, {report['cycles']} cycles: RTL, schedule and C agree")
    if wrong or checked != report["calls"]:
        raise InternalError(
            Diagnostic("verify", f"{wrong} of {checked} calls differ", Place(str(application)))
        )
    if not checked:
        raise user_error(
            "no-call",
            "no call ran on the hardware",
            Place(str(application)),
            "all calls ran on the host: their buffers overlap",
        )
