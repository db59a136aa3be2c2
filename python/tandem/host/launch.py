# SPDX-License-Identifier: Apache-2.0
"""Building an application with one function offloaded, and running it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.compiler import Compiled, compile_kernel, find_target
from tandem.diagnostics import Diagnostic, InternalError, Place, TandemError, user_error
from tandem.frontend.program import Program
from tandem.host.application import Offload, build_executable
from tandem.host.engine import find_platform, read_platform
from tandem.host.stub import EXIT_FAILED_CALL
from tandem.package import write_package

MODES = ("native", "emulate", "simulate")


@dataclass
class Prepared:
    """An application ready to run. `platform`: the platform file; `clock_note` says why the
    kernel's clock is slower than the device's, or is empty."""

    executable: Path
    package: Path
    compiled: Compiled
    platform: Path
    application: Path
    clock_note: str = ""


@dataclass
class Launch:
    """How a run ended: the application's exit status and the engine's report."""

    status: int
    report: dict[str, Any]


class ApplicationFailed(TandemError):
    """The application itself ended with an error: its status becomes ours."""

    def __init__(self, status: int, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.exit_status = status


@contextmanager
def prepared(
    program: Program, offload: str, platform: str, keep: Path | None = None
) -> Iterator[Prepared]:
    """Builds the application for a platform, in the folder `keep` or in one that goes again."""
    file = find_platform(platform)
    numbers = read_platform(file)
    with tempfile.TemporaryDirectory(prefix="tandem-") as temporary:
        folder = keep or Path(temporary)
        target = find_target(numbers["device"]["target"])
        asked_ps = numbers["device"]["clock_ps"]
        compiled = compile_kernel(program, offload, target, asked_ps, slower_clock=True)
        package = write_package(compiled, folder / f"{offload}.tandem")
        offloads = [Offload(compiled, package)]
        executable = build_executable(program, offloads, folder / program.main.stem)
        note = _clock_note(compiled, asked_ps)
        yield Prepared(executable, package, compiled, file, program.main, note)


def _clock_note(compiled: Compiled, asked_ps: int) -> str:
    clock_ps = compiled.schedule.clock_ps
    if clock_ps == asked_ps:
        return ""
    return (
        f"the kernel runs at {1e6 / clock_ps:.0f} MHz, not the device's {1e6 / asked_ps:.0f}: its "
        f"slowest operation needs {clock_ps / 1000:g} ns on {compiled.schedule.target.title}"
    )


def launch(build: Prepared, mode: str, arguments: Sequence[str], quiet: bool = False) -> Launch:
    """Runs the application once. With `quiet` its standard output goes to standard error.

    Raises ApplicationFailed with its status if it crashes, ends with an error, or a call fails; and
    UserError if it never calls the function."""
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        report = Path(folder) / "report.json"
        environment = dict(
            os.environ,
            TANDEM_MODE=mode,
            TANDEM_PLATFORM=str(build.platform),
            TANDEM_REPORT=str(report),
            TANDEM_PROGRESS="1",
            TANDEM_BASELINE_RUNS="3",
        )
        sys.stdout.flush()
        done = subprocess.run(
            [str(build.executable.resolve()), *arguments],
            env=environment,
            stdout=sys.stderr if quiet else None,
        )
        found = json.loads(report.read_text()) if report.is_file() else None
    _check_status(build, done.returncode, found)
    if found is None or not (found["calls"] or found["host_calls"]["calls"]):
        name = build.compiled.kernel.name
        raise user_error(
            "no-call",
            f"the application ended without calling `{name}`",
            Place(str(build.application)),
            "give the arguments that make it do its work, after `--`",
        )
    return Launch(done.returncode, found)


def _check_status(build: Prepared, status: int, report: dict[str, Any] | None) -> None:
    if status == 0:
        return
    place = Place(str(build.application))
    if status == EXIT_FAILED_CALL and report is not None and report["error"]:
        kind = InternalError if report["mismatches"] else None
        text = Diagnostic("call-failed", report["error"], place)
        raise InternalError(text) if kind else ApplicationFailed(2, text)
    if status < 0:
        name = signal.Signals(-status).name
        raise ApplicationFailed(
            128 - status,
            Diagnostic(
                "application",
                f"the application died of {name}",
                place,
                "run it with --mode native to see whether it does so by itself",
            ),
        )
    raise ApplicationFailed(
        status, Diagnostic("application", f"the application ended with status {status}", place)
    )
