# SPDX-License-Identifier: Apache-2.0
"""Telling on standard error what takes long: nothing in a build that is done at once."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 1.5
"""On a terminal, a stage that takes longer is told of, and so are all until the next `begin`."""
UNSEEN_PATIENCE_SECONDS = 15.0
"""The same where nobody may be looking."""
PERIOD_SECONDS = 30.0
"""How often a stage that goes on is told of again, and what it is about."""


class _Shown:
    now = False
    step = ""


def begin() -> None:
    """Of what begins here nothing has taken long yet, whatever this process has done before."""
    _Shown.now = False


@contextmanager
def stage(name: str) -> Iterator[None]:
    """A stage of a build: where it takes long its name, from time to time what it is about, and its
    time; with TANDEM_PROGRESS=1 at once."""
    if sys.stderr is None:
        yield
        return
    started, ended = time.monotonic(), threading.Event()
    _Shown.step = ""
    is_asked = os.environ.get("TANDEM_PROGRESS") == "1"
    if _Shown.now or is_asked:
        _start_telling(name)
    thread = threading.Thread(target=_watch, args=(name, started, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
    if _Shown.now:
        _tell(f"{name}: {time.monotonic() - started:.1f} s")


def step(text: str) -> None:
    """What a stage is about from now on."""
    _Shown.step = text


def _watch(name: str, started: float, ended: threading.Event) -> None:
    is_seen = sys.stderr.isatty()
    if not _Shown.now:
        if ended.wait(PATIENCE_SECONDS if is_seen else UNSEEN_PATIENCE_SECONDS):
            return
        _start_telling(name)
    while not ended.wait(PERIOD_SECONDS):
        about = f", {_Shown.step}" if _Shown.step else ""
        _tell(f"{name}: {time.monotonic() - started:.0f} s so far{about}")


def _start_telling(name: str) -> None:
    _Shown.now = True
    _tell(f"{name} ...")


def _tell(text: str) -> None:
    print(f"tandem: {text}", file=sys.stderr, flush=True)
