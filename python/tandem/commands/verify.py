# SPDX-License-Identifier: Apache-2.0
"""tandem verify"""

from __future__ import annotations

from typing import Any

import typer

import tandem
from tandem.commands import options
from tandem.commands.notes import show_notes
from tandem.commands.result import show_json, showing_failed
from tandem.compiler.room import BUDGET_S, Room
from tandem.installation import DEFAULT_PLATFORM
from tandem.languages.discovery import Given
from tandem.library.asked import asked


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


@options.with_program_options
def verify(
    given: Given,
    context: typer.Context,
    application: options.MadeApplication = None,
    arguments: options.Arguments = None,
    offload: options.Offload = None,
    kernel: options.Kernel = None,
    units: options.Units = None,
    platform: options.Platform = DEFAULT_PLATFORM,
    changes: options.Changes = None,
    target: options.OtherFamily = None,
    clock_ns: options.KernelClock = None,
    optimise: options.Optimise = "balanced",
    max_lut4: options.MaxLut4 = None,
    max_ff: options.MaxFf = None,
    max_dsp: options.MaxDsp = None,
    budget: options.Budget = BUDGET_S,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Runs the RTL on every call the application makes, and compares each result with the C."""
    with (
        asked(kernel, application, offload or (), arguments or (), given=given, units=units) as job,
        showing_failed(lambda left: _show(left, as_json, context)),
    ):
        result = tandem.verify(
            job.application,
            job.offload,
            job.arguments,
            platform=platform,
            changes=options.changed(platform, changes, target),
            clock_ns=clock_ns,
            optimise=optimise,
            room=Room(max_lut4, max_ff, max_dsp),
            budget_s=budget,
            report=report,
            given=job.given,
            quiet=as_json,
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
