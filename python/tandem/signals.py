# SPDX-License-Identifier: Apache-2.0
"""Being told to stop: SIGINT, SIGTERM and SIGHUP become one exception, so that everything that is
open is closed on the way out, once."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_SECONDS = 0.01


class Stopped(BaseException):
    """A signal asked this process to stop. Not an Exception: nothing but clean-up sees it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.exit_status = 128 + number


class _State:
    deferring = 0
    pending: int | None = None
    stopping = False


def install() -> None:
    """Takes the signals over, but for those that whoever started us has switched off (nohup)."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _arrived)
    sys.unraisablehook = _unraisable


def _arrived(number: int, frame: FrameType | None) -> None:
    if _State.stopping:
        return  # the clean-up is under way
    if _State.deferring:
        _State.pending = number
        return
    _State.stopping = True
    raise Stopped(number)


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """A signal that arrived within a destructor, which swallows exceptions, arrives again soon."""
    stopped = unraisable.exc_value
    if isinstance(stopped, Stopped):
        _State.stopping = False
        signal.signal(signal.SIGALRM, lambda _, frame: _arrived(stopped.number, frame))
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)


@contextmanager
def kept() -> Iterator[None]:
    """Around the loading of libraries that take signals over for themselves, as LLVM does: they
    stay with whoever had them, and those that arrive meanwhile are seen at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.getsignal(number))
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def deferred() -> Iterator[None]:
    """Signals that arrive within it are seen at its end."""
    _State.deferring += 1
    try:
        yield
    finally:
        _State.deferring -= 1
    if not _State.deferring and _State.pending is not None:
        number, _State.pending = _State.pending, None
        _arrived(number, None)


def signal_name(number: int) -> str:
    """A signal as people call it: SIGSEGV, or SIGRTMIN+6 where it has no name of its own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"


def ignore() -> None:
    """From here on signals change nothing: the process is about to end."""
    _State.stopping = True
