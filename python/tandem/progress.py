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
"""A stage that takes longer is told of, and so are all after it."""


class _Shown:
    now = False


@contextmanager
def stage(name: str) -> Iterator[None]:
    """A stage of a build: on a terminal, or with TANDEM_PROGRESS=1, its name and its time."""
    if not _is_wanted():
        yield
        return
    started = time.monotonic()
    timer = threading.Timer(PATIENCE_SECONDS, _start_telling, (name,))
    timer.daemon = True
    if _Shown.now or os.environ.get("TANDEM_PROGRESS") == "1":
        _start_telling(name)
    else:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if _Shown.now:
        _tell(f"{name}: {time.monotonic() - started:.1f} s")


def _is_wanted() -> bool:
    return os.environ.get("TANDEM_PROGRESS") == "1" or (
        sys.stderr is not None and sys.stderr.isatty()
    )


def _start_telling(name: str) -> None:
    _Shown.now = True
    _tell(f"{name} ...")


def _tell(text: str) -> None:
    print(f"tandem: {text}", file=sys.stderr, flush=True)
