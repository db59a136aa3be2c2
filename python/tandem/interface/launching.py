# SPDX-License-Identifier: Apache-2.0
"""How an application is run, and how that ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tandem.diagnostics import Diagnostic, InternalError, UserError, user_error
from tandem.interface.options import AnyPath
from tandem.languages.discovery import find_program
from tandem.progress import stage

if TYPE_CHECKING:
    from tandem.host.launch import ApplicationFailed
    from tandem.host.prepare import Job, Prepared
    from tandem.host.recording import Recording
    from tandem.report.gather import Gathered


@dataclass(frozen=True)
class Way:
    """How an application is to be run."""

    mode: str
    arguments: Sequence[str]
    quiet: bool
    page: Gathered
    clock: str = "scheduled"
    trace: AnyPath | None = None
    host: str = "model"
    recording: Recording | None = None


HOSTS = ("model", "rtl")


def require_known(way: Way) -> None:
    """Raises UserError for a mode, a clock or a host that is none, or a clock that does not go
    with the mode."""
    from tandem.host.launch import CLOCKS, MODES

    rows = (("mode", way.mode, MODES), ("clock", way.clock, CLOCKS), ("host", way.host, HOSTS))
    for name, value, known in rows:
        if value not in known:
            text = f"unknown {name} `{value}`"
            raise user_error(name, text, help=f"known are: {', '.join(known)}")
    if way.clock == "stepped" and way.mode != "simulate":
        raise user_error(
            "clock",
            f"the clock `stepped` steps hardware, of which there is none in mode {way.mode}",
            help="add --mode simulate, or leave out --clock",
        )


def launched(
    job: Job, build: Prepared, way: Way
) -> tuple[dict[str, Any], ApplicationFailed | None, dict[str, Any] | None]:
    """The report of a run, how the application failed at its own end, if it did, and what its wave
    has. Where hardware and C differ, undefined behaviour in the C is looked for before the fault is
    called ours."""
    from tandem.host.launch import ApplicationFailed, launch

    try:
        done = launch(
            build,
            way.mode,
            way.arguments,
            quiet=way.quiet,
            trace=way.trace,
            spans=way.page.add_spans if way.page.is_wanted else None,
            clock=way.clock,
            recording=way.recording,
        )
        return done.report, None, done.wave
    except ApplicationFailed as failed:
        if failed.report is None:
            raise
        return failed.report, failed, failed.wave
    except InternalError as error:
        if not build.facts.sources:
            raise
        guilty = _blamed(job, way)
        if guilty is None:
            raise
        raise UserError(guilty, *error.diagnostics) from error


def _blamed(job: Job, way: Way) -> Diagnostic | None:
    """What of the C is undefined, if something is."""
    from tandem.host.blame import undefined_behaviour, unset_variable
    from tandem.host.launch import launch

    def again(build: Prepared) -> Any:
        return launch(build, way.mode, way.arguments, quiet=True)

    with stage("looking for undefined behaviour in the C"):
        found = undefined_behaviour(find_program(job.main, job.given), way.arguments)
        return found or unset_variable(job, again)


def unless(failure: ApplicationFailed | None, result: dict[str, Any]) -> dict[str, Any]:
    """The result. Raises `failure` with it, if there is one."""
    if failure is not None:
        failure.result = result
        raise failure
    return result
