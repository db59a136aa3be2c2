# SPDX-License-Identifier: Apache-2.0
"""tandem verify"""

from __future__ import annotations

from typing import Any

import typer

import tandem
from tandem.commands import options
from tandem.commands.notes import show_notes
from tandem.commands.result import show_json, showing_failed


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


@options.grouped
def verify(
    *,
    context: typer.Context,
    subject: options.Subject,
    on: options.OnPlatform,
    clock_ns: options.KernelClock = None,
    search: options.Search,
    report: options.Report = None,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Runs the RTL on every call the application makes, and compares each result with the C."""
    with (
        subject.asked(program.given()) as job,
        showing_failed(lambda left: _show(left, as_json, context)),
    ):
        result = tandem.verify(
            job.application,
            job.offload,
            job.arguments,
            report=report,
            quiet=as_json,
            **on.running(search, clock_ns, job.given),
        )
    _show(result, as_json, context)


def _show(result: dict[str, Any], as_json: bool, context: typer.Context) -> None:
    if as_json:
        show_json(result)
        return
    show_notes(result)
    from tandem.report.annotations import show_annotations
    from tandem.report.fifos import show_fifos
    from tandem.report.page import page

    if result["format"] == "tandem-chip-result":
        for kernel in result["kernels"]:
            print(f"{kernel['kernel']}: {kernel['calls']} calls: RTL and C agree", flush=True)
        return
    calls, cycles = result["checked_calls"], result["cycles"]
    name = ", ".join(kernel["name"] for kernel in result["kernels"])
    print(f"{name}: {calls} calls, {cycles} cycles: RTL, schedule and C agree", flush=True)
    if result["host_calls"]:
        print(f"on the host: {result['host_calls']} calls ({result['host_reasons']})", flush=True)
    for kernel in result["kernels"]:
        show_annotations(kernel, page())
        show_fifos(kernel["fifos"], page())
    options.say_default_platform(context)
