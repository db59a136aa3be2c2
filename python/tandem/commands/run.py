# SPDX-License-Identifier: Apache-2.0
"""tandem run"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import tandem
from tandem.commands import options, values
from tandem.commands.notes import show_notes
from tandem.commands.result import show_json, showing_failed
from tandem.compiler.room import BUDGET_S, Room
from tandem.diagnostics import user_error
from tandem.host.probes import Probes
from tandem.installation import DEFAULT_PLATFORM
from tandem.languages.discovery import Given
from tandem.library.asked import asked


def register(app: typer.Typer) -> None:
    app.command("run")(run)


@options.with_program_options
def run(
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
    mode: Annotated[
        str, typer.Option(help="native, emulate or simulate", autocompletion=values.modes)
    ] = "emulate",
    clock: Annotated[
        str,
        typer.Option(
            autocompletion=values.clocks,
            help="stepped: simulated hardware goes edge by edge with the platform's clock; "
            "scheduled: by itself, at the times that its schedule gives",
        ),
    ] = "scheduled",
    clock_ns: options.KernelClock = None,
    optimise: options.Optimise = "balanced",
    max_lut4: options.MaxLut4 = None,
    max_ff: options.MaxFf = None,
    max_dsp: options.MaxDsp = None,
    budget: options.Budget = BUDGET_S,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="keep executable and package here")
    ] = None,
    trace: Annotated[str | None, typer.Option(help="write a trace for Perfetto")] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="your own software for the same work, to be timed"),
    ] = None,
    advise: Annotated[
        bool,
        typer.Option(
            "--advise", help="run again for everything that could be otherwise: what would help?"
        ),
    ] = False,
    limit_cycles: Annotated[
        int | None, typer.Option(min=1, help="of a chip: how long the program may run")
    ] = None,
    energy: Annotated[
        bool,
        typer.Option("--energy", help="on a chip: count what toggles in the netlists, and energy"),
    ] = False,
    toggles: Annotated[
        bool,
        typer.Option("--toggles", help="on a chip: count what toggles in kernels' registers"),
    ] = False,
    host: Annotated[
        str,
        typer.Option(
            help="of a chip: the core as a model, or as rtl too, which has to do the same in "
            "each cycle"
        ),
    ] = "model",
    wave: Annotated[
        Path | None,
        typer.Option(
            help="in mode simulate, or on a chip: write all signals of kernels and what is around "
            "them, as .fst or .vcd"
        ),
    ] = None,
    wave_window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="of the wave: the first time and the first one behind it, such as 10us:20us; on "
            "a chip, cycles",
        ),
    ] = None,
    wave_calls: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO", help="of the wave: the first call, from 0, and the first behind it"
        ),
    ] = None,
    saif: Annotated[
        Path | None,
        typer.Option(
            help="on a chip: write how long and how often each bit of kernels was what, as SAIF"
        ),
    ] = None,
    break_at: Annotated[
        int | None, typer.Option(min=0, metavar="CYCLE", help="on a chip: stop there, and show it")
    ] = None,
    break_on: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="stop before an instruction: ADDRESS, FUNCTION or FUNCTION+OFFSET in bytes",
        ),
    ] = None,
    break_on_store: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="stop behind a store to a word: ADDRESS or VARIABLE"),
    ] = None,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Runs an application with one function offloaded, and shows where the time went."""
    if energy and toggles:
        raise user_error("counts", "--energy and --toggles do not go together", help="run twice")
    is_default = options.is_default(context, "platform")
    with (
        asked(kernel, application, offload or (), arguments or (), given=given, units=units) as job,
        showing_failed(lambda left: _show(left, as_json, is_default)),
    ):
        result = tandem.run(
            job.application,
            job.offload,
            job.arguments,
            platform=platform,
            changes=options.changed(platform, changes, target),
            mode=mode,
            clock=clock,
            clock_ns=clock_ns,
            optimise=optimise,
            room=Room(max_lut4, max_ff, max_dsp),
            budget_s=budget,
            output=output,
            trace=trace,
            report=report,
            baseline=baseline,
            given=job.given,
            advise=advise,
            quiet=as_json,
            limit_cycles=limit_cycles,
            host=host,
            counts="nets" if energy else "registers" if toggles else "",
            probes=Probes(wave, wave_window, wave_calls, saif, break_at, break_on, break_on_store),
        )
    _show(result, as_json, is_default)


def _show(result: dict[str, Any], as_json: bool, is_default: bool) -> None:
    """`is_default`: nobody named the platform."""
    if as_json:
        show_json(result)
        return
    show_notes(result)
    from tandem.report.page import page

    if result["format"] == "tandem-chip-result":
        from tandem.report.chip import show_chip_run

        return show_chip_run(result, page())
    from tandem.report.breakdown import show_run

    show_run(result, page(), is_default)
