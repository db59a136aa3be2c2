# SPDX-License-Identifier: Apache-2.0
"""tandem run"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import tandem
from tandem.commands import options


def register(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    application: options.Application,
    arguments: options.Arguments = None,
    offload: options.Offload = None,
    platform: options.Platform = "src-6e",
    mode: Annotated[str, typer.Option(help="native, emulate or simulate")] = "emulate",
    clock_ns: options.KernelClock = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="keep executable and package here")
    ] = None,
    trace: Annotated[str | None, typer.Option(help="write a trace for Perfetto")] = None,
    as_json: options.AsJson = False,
    sources: options.Sources = None,
    include: options.Include = None,
    define: options.Define = None,
    cflags: options.CFlags = "",
    library: options.Library = None,
    library_folder: options.LibraryFolder = None,
    compile_commands: options.CommandsFile = None,
) -> None:
    """Runs an application with one function offloaded, and shows where the time went."""
    said = options.ProgramOptions(
        sources, include, define, cflags, library, library_folder, compile_commands
    )
    result = tandem.run(
        application,
        offload or (),
        arguments or (),
        platform=platform,
        mode=mode,
        clock_ns=clock_ns,
        output=output,
        trace=trace,
        given=said.given(),
        quiet=as_json,
    )
    if as_json:
        print(json.dumps(result, indent=2))
        return
    from tandem.report.breakdown import show_run
    from tandem.report.page import page

    show_run(result, page())
    if trace is not None and result["spans_dropped"]:
        print(f"the trace leaves out the last {result['spans_dropped']:,} spans")
