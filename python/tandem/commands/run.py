# SPDX-License-Identifier: Apache-2.0
"""tandem run"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tandem
from tandem.commands import options, values
from tandem.commands.notes import show_notes
from tandem.commands.result import show_json, showing_failed
from tandem.diagnostics import user_error
from tandem.host.probes import Probes

if TYPE_CHECKING:
    from tandem.host.prepare import Counts

Mode = Annotated[str, typer.Option(help="native, emulate or simulate", autocompletion=values.modes)]
Clock = Annotated[
    str,
    typer.Option(
        autocompletion=values.clocks,
        help="stepped: simulated hardware goes edge by edge with the platform's clock; "
        "scheduled: by itself, at the times that its schedule gives",
    ),
]
Kept = Annotated[
    Path | None, typer.Option("-o", "--output", help="keep executable and package here")
]
Trace = Annotated[str | None, typer.Option(help="write a trace for Perfetto")]
Baseline = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="your own software for the same work, to be timed"),
]
Advise = Annotated[
    bool,
    typer.Option(
        "--advise", help="run again for everything that could be otherwise: what would help?"
    ),
]


@dataclass(frozen=True)
class ChipOptions(options.Group):
    """Of runs on chips."""

    limit_cycles: Annotated[
        int | None, typer.Option(min=1, help="of a chip: how long the program may run")
    ] = None
    energy: Annotated[
        bool,
        typer.Option("--energy", help="on a chip: count what toggles in the netlists, and energy"),
    ] = False
    toggles: Annotated[
        bool,
        typer.Option("--toggles", help="on a chip: count what toggles in kernels' registers"),
    ] = False
    host: Annotated[
        str,
        typer.Option(
            help="of a chip: the core as a model, or as rtl too, which has to do the same in "
            "each cycle"
        ),
    ] = "model"

    @property
    def counts(self) -> Counts:
        """The toggles that are counted. Raises UserError where two things are to be."""
        if self.energy and self.toggles:
            text = "--energy and --toggles do not go together"
            raise user_error("counts", text, help="run twice")
        return "nets" if self.energy else "registers" if self.toggles else ""


@dataclass(frozen=True)
class ProbeOptions(options.Group):
    """Of `Probes`, by its names."""

    wave: Annotated[
        Path | None,
        typer.Option(
            help="in mode simulate, or on a chip: write all signals of kernels and what is around "
            "them, as .fst or .vcd"
        ),
    ] = None
    wave_window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="of the wave: the first time and the first one behind it, such as 10us:20us; on "
            "a chip, cycles",
        ),
    ] = None
    wave_calls: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO", help="of the wave: the first call, from 0, and the first behind it"
        ),
    ] = None
    saif: Annotated[
        Path | None,
        typer.Option(
            help="on a chip: write how long and how often each bit of kernels was what, as SAIF"
        ),
    ] = None
    break_at: Annotated[
        int | None, typer.Option(min=0, metavar="CYCLE", help="on a chip: stop there, and show it")
    ] = None
    break_on: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="stop before an instruction: ADDRESS, FUNCTION or FUNCTION+OFFSET in bytes",
        ),
    ] = None
    break_on_store: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="stop behind a store to a word: ADDRESS or VARIABLE"),
    ] = None


def register(app: typer.Typer) -> None:
    app.command("run")(run)


@options.grouped
def run(
    *,
    context: typer.Context,
    subject: options.Subject,
    on: options.OnPlatform,
    mode: Mode = "emulate",
    clock: Clock = "scheduled",
    clock_ns: options.KernelClock = None,
    search: options.Search,
    output: Kept = None,
    trace: Trace = None,
    baseline: Baseline = None,
    advise: Advise = False,
    chip: ChipOptions,
    probes: ProbeOptions,
    report: options.Report = None,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Runs an application with one function offloaded, and shows where the time went."""
    counts = chip.counts
    is_default = options.is_default(context, "platform")
    with (
        subject.asked(program.given()) as job,
        showing_failed(lambda left: _show(left, as_json, is_default)),
    ):
        result = tandem.run(
            job.application,
            job.offload,
            job.arguments,
            mode=mode,
            clock=clock,
            output=output,
            trace=trace,
            report=report,
            baseline=baseline,
            advise=advise,
            quiet=as_json,
            limit_cycles=chip.limit_cycles,
            host=chip.host,
            counts=counts,
            probes=Probes(**asdict(probes)),
            **on.running(search, clock_ns, job.given),
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
