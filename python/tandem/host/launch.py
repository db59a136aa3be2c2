# SPDX-License-Identifier: Apache-2.0
"""Running a prepared application, and telling how it ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tandem.children import ends_with_parent
from tandem.diagnostics import (
    Diagnostic,
    InternalError,
    Place,
    TandemError,
    UserError,
    user_error,
)
from tandem.files import replace_file, temporary_folder
from tandem.frontend.program import MAIN
from tandem.host.exits import EXIT_FAILED_CALL
from tandem.host.prepare import Prepared
from tandem.host.recording import Recording, wave_notes
from tandem.platforms.engine import changes_text
from tandem.progress import stage
from tandem.report.perfetto import perfetto_json, read_spans
from tandem.signals import Stopped, deferred, signal_name

MODES = ("native", "emulate", "simulate")
CLOCKS = ("scheduled", "stepped")
STANDARD_OUTPUT = 1
STANDARD_ERROR = 2  # by its number: in a notebook sys.stderr is no file
GRACE_SECONDS = 5.0
"""How long an application may take to end when it is told to; then it is killed."""
TERMINAL_SECONDS = 1.0
"""Ctrl-C reaches the application by itself; only if it does not end is SIGINT handed on to it."""


@dataclass
class Launch:
    """How a run ended: the application's exit status and the engine's report; `wave`: what the wave
    has, if there is one."""

    status: int
    report: dict[str, Any]
    wave: dict[str, Any] | None = None


class ApplicationFailed(TandemError):
    """The application itself ended with an error: its status becomes ours. `report` is the engine's
    of a run that came to the application's own end, `wave` what its wave has."""

    def __init__(
        self, status: int, *diagnostics: Diagnostic, report: dict[str, Any] | None = None
    ) -> None:
        super().__init__(*diagnostics)
        self.exit_status = status
        self.report = report
        self.wave: dict[str, Any] | None = None


def launch(
    build: Prepared,
    mode: str,
    arguments: Sequence[str],
    *,
    quiet: bool = False,
    silent: bool = False,
    trace: str | os.PathLike[str] | None = None,
    spans: Callable[[Iterable[dict[str, Any]]], None] | None = None,
    baseline_runs: int = 3,
    clock: str = CLOCKS[0],
    recording: Recording | None = None,
) -> Launch:
    """Runs the application once. With `quiet` its standard output goes to standard error, with
    `silent` both go nowhere; `trace` is the file that gets every span of a run that ends well,
    `spans` is given them too; `baseline_runs`: how often the C of a first call is timed; `clock`:
    what tells simulated hardware the time; `recording`: of what a wave is made, also where a call
    fails.

    Raises ApplicationFailed with its status if it crashes, ends with an error, or a call fails; and
    UserError if it leaves no report of a call."""
    with temporary_folder() as folder:
        report = folder / "report.json"
        environment = _environment(build, report) | {
            "TANDEM_MODE": mode,
            "TANDEM_CLOCK": clock,
            "TANDEM_BASELINE_RUNS": str(baseline_runs),
        }
        if trace is not None or spans is not None:
            environment["TANDEM_SPANS"] = str(folder / "spans")
        if recording is not None:
            environment |= recording.environment(folder / "recording")
        command = [str(build.executable.resolve()), *arguments]
        with stage(f"running {build.application.name}, mode {mode}", not silent):
            status = run_to_end(command, environment, quiet, silent)
        found = _read_report(report)
        wave = recording and _wave(recording, found)
        with _telling(wave, recording):
            _check_status(build, status, found)
        if found is None or not _calls(found):
            raise _ended(build, status) if status else _no_call(build, found, _in_children(report))
        if status and MAIN not in build.facts.kernels:  # else it is what the kernel returned
            failed = _ended(build, status, found)
            failed.wave = wave
            raise failed
        if trace is not None:
            write_trace(Path(trace), read_spans(found, Path(trace)))
        if spans is not None:
            spans(read_spans(found, folder))
    return Launch(status, found, wave)


def _in_children(report: Path) -> int:
    """The calls that processes of their own have made."""
    return sum(_calls(_read_report(p)) for p in report.parent.glob(f"{report.name}.*"))


def _environment(build: Prepared, report: Path) -> dict[str, str]:
    """What a run of a build is told in any case."""
    return dict(
        os.environ,
        TANDEM_PLATFORM=str(build.platform.absolute()),
        TANDEM_SET=changes_text(build.changes),
        TANDEM_REPORT=str(report),
        TANDEM_PROGRESS="1",
    )


def emulated(
    build: Prepared, arguments: Sequence[str], changes: Sequence[str] = ()
) -> dict[str, Any]:
    """The report of an emulated run with further changes; what it prints goes nowhere.

    Raises as `launch` does."""
    changed = replace(build, changes=(*build.changes, *changes))
    return launch(changed, "emulate", arguments, silent=True, baseline_runs=1).report


def write_trace(path: Path, spans: Iterable[dict[str, Any]]) -> None:
    """Writes a run's spans for Perfetto."""
    with stage("writing the trace"):
        replace_file(path, perfetto_json(spans))


def _wave(recording: Recording, report: dict[str, Any] | None) -> dict[str, Any] | None:
    """Makes the wave of a run that has left anything. Raises UserError where it cannot."""
    if report is None or report["recording"] is None:
        return None
    return recording.write(report)


@contextmanager
def _telling(wave: dict[str, Any] | None, recording: Recording | None) -> Iterator[None]:
    """An error of the run tells of the wave that there is all the same."""
    try:
        yield
    except TandemError as error:
        if wave is not None and recording is not None:
            for note in wave_notes(recording, wave, failed=True):
                error.tell(note)
        raise


def _calls(report: dict[str, Any] | None) -> int:
    """Calls that came to their end, on the device or the host."""
    return report["calls"] + report["host_calls"]["calls"] if report else 0


def _no_call(build: Prepared, report: dict[str, Any] | None, in_children: int) -> UserError:
    place = Place(str(build.application))
    if in_children:
        message = f"`{build.kernel}` was called in forked processes only, {in_children} times"
        return user_error("no-call", message, place, "call it in the process that is started")
    if report is not None and report["unfinished_calls"]:
        message = f"the application ended in a call of `{build.kernel}`, which is not checked"
        return user_error("no-call", message, place, "return from it in place of calling `exit`")
    return user_error(
        "no-call",
        f"the application ended without calling `{build.kernel}`",
        place,
        "give the arguments that make it do its work, after `--`",
    )


def _read_report(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def run_to_end(command: list[str], environment: dict[str, str], quiet: bool, silent: bool) -> int:
    """Runs a program to its end; it is never left behind when this process is told to stop."""
    if sys.stdout is not None:
        sys.stdout.flush()
    nowhere = subprocess.DEVNULL if silent else None
    child = None
    try:
        with deferred():  # at the end of which a signal may be seen
            child = subprocess.Popen(
                command,
                env=environment,
                stdout=STANDARD_ERROR if quiet else nowhere,
                stderr=nowhere,
                preexec_fn=ends_with_parent(),
            )
        return child.wait()
    except Stopped as stopped:
        if child is not None:
            _stop(child, stopped.number)
        raise
    except BaseException:
        if child is not None:
            child.kill()
            child.wait()
        raise


def _stop(child: subprocess.Popen[bytes], number: int) -> None:
    if number == 2 and _ends(child, TERMINAL_SECONDS):
        return
    child.send_signal(number)
    if not _ends(child, GRACE_SECONDS):
        child.kill()
        child.wait()


def _ends(child: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _ended(build: Prepared, status: int, report: dict[str, Any] | None = None) -> ApplicationFailed:
    text = f"the application ended with status {status}"
    told = Diagnostic("application", text, Place(str(build.application)))
    return ApplicationFailed(status, told, report=report)


def _check_status(build: Prepared, status: int, report: dict[str, Any] | None) -> None:
    """Raises for a call that failed, and for an application that did not come to its own end."""
    place = Place(str(build.application))
    is_told = report is not None and report["error"]
    # What was stepped beside the program may have turned out to be wrong at its very end.
    if report is not None and is_told and (status == EXIT_FAILED_CALL or report["mismatches"]):
        text = Diagnostic("call-failed", report["error"], place)
        raise InternalError(text) if report["mismatches"] else ApplicationFailed(2, text)
    if status < 0:
        message = f"the application died of {signal_name(-status)}"
        cure = "run it with --mode native to see whether it does so by itself"
        raise ApplicationFailed(128 - status, Diagnostic("application", message, place, cure))
