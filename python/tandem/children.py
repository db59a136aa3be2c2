# SPDX-License-Identifier: Apache-2.0
"""Other programs: compilers, simulators, synthesis. One that was started is known from then on, and
when this process is told to stop it ends first, with all that it has started itself: nothing of it
writes into a folder that goes."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from tandem.signals import deferred

_PR_SET_PDEATHSIG = 1
TANDEM = (sys.executable, "-c", "from tandem.commands import main; main()")
"""A command line of our own, as a program."""
END_SECONDS = 0.5
"""How long those are waited for that a killed program has started: they are killed too."""


def run(
    command: Sequence[str | Path],
    *,
    out: IO[Any] | int | None = None,
    errors: IO[Any] | int | None = None,
    given: bytes | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    most_seconds: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program to its end. `given` is its input, none by default; it prints to `out` and
    `errors`.

    Raises OSError if it cannot be started, TimeoutExpired if it takes longer than it may."""
    given_by = subprocess.DEVNULL if given is None else subprocess.PIPE
    child = None
    try:
        with deferred():  # at the end of which a signal may be seen
            child = subprocess.Popen(
                command,
                stdin=given_by,
                stdout=out,
                stderr=errors,
                cwd=cwd,
                env=env,
                process_group=0,
            )
        printed = child.communicate(given, most_seconds)
    except BaseException:
        if child is not None:
            _end(child)
        raise
    return subprocess.CompletedProcess(command, child.returncode, *printed)


def ends_with_parent() -> Callable[[], None]:
    """For `preexec_fn` of a child that may run for long: if this process is killed, after which it
    can do nothing more, the system kills the child. Not for each compiler: Python forks otherwise
    without a copy of itself, and tools come to an end."""
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it has been killed already
            os.kill(os.getpid(), signal.SIGKILL)

    return ask


def captured(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The same, with what it prints."""
    return run(command, out=subprocess.PIPE, errors=subprocess.PIPE, **options)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Killed, not asked: WebAssembly code does not look at signals while it computes."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    until = time.monotonic() + END_SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(child.pid, 0)
            time.sleep(END_SECONDS / 100)
