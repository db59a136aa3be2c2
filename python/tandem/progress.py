# SPDX-License-Identifier: Apache-2.0
"""Telling on standard error what takes long: nothing in a build that is done at once. On a terminal
it is a line that changes, with a bar and the time left where steps are counted; elsewhere lines."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PATIENCE_SECONDS = 1.5
"""On a terminal, a stage that takes longer is told of, and so are all until the next `begin`."""
UNSEEN_PATIENCE_SECONDS = 15.0
"""The same where nobody may be looking."""
PERIOD_SECONDS = 30.0
"""How often a stage that goes on is told of again, and what it is about."""
DRAWN_SECONDS = 0.2
"""How often the line on a terminal is drawn again."""
BAR_CHARACTERS = 20
TURNING = "|/-\\"
ERASE = "\r\x1b[K"
"""The first column, and nothing behind it: as all terminals have it since the VT100."""


@dataclass
class _Stage:
    """One that is under way. `shares`: a program writes on the same terminal meanwhile, so that no
    line may change there. `counted`: steps done, of how many, since when."""

    name: str
    shares: bool
    started: float = field(default_factory=time.monotonic)
    counted: tuple[int, int, float] | None = None


class _Shown:
    now = False
    step = ""
    is_drawn = False
    stages: list[_Stage] = []  # noqa: RUF012
    lock = threading.RLock()


def begin() -> None:
    """Of what begins here nothing has taken long yet, whatever this process has done before."""
    _Shown.now = False


@contextmanager
def stage(name: str, shares_terminal: bool = False) -> Iterator[None]:
    """A stage of a build: where it takes long its name, from time to time what it is about, and its
    time; with TANDEM_PROGRESS=1 at once. `shares_terminal`: of a program that prints by itself."""
    if sys.stderr is None:
        yield
        return
    own, ended = _Stage(name, shares_terminal), threading.Event()
    _Shown.step = ""
    if (_Shown.now and not _is_line_drawn(own)) or _is_asked():
        _start_telling(name)
    _Shown.stages.append(own)
    thread = threading.Thread(target=_watch, args=(own, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        _Shown.stages.remove(own)
        _erase()
    if _Shown.now:
        _tell(f"{name}: {time.monotonic() - own.started:.1f} s")


def step(text: str) -> None:
    """What a stage is about from now on."""
    _Shown.step = text


def count(done: int, total: int) -> None:
    """How many of the steps of the innermost stage are done. What is left is taken to go on at the
    same rate."""
    if _Shown.stages:
        own = _Shown.stages[-1]
        since = own.counted[2] if own.counted else time.monotonic()
        own.counted = (done, total, since)


def _is_asked() -> bool:
    return os.environ.get("TANDEM_PROGRESS") == "1"


def _is_line_drawn(own: _Stage) -> bool:
    """Whether a stage is told of by a line that changes."""
    can_change = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not _is_asked()
    return can_change and not own.shares and not any(other.shares for other in _Shown.stages)


def _watch(own: _Stage, ended: threading.Event) -> None:
    is_seen = sys.stderr.isatty()
    if not _Shown.now and ended.wait(PATIENCE_SECONDS if is_seen else UNSEEN_PATIENCE_SECONDS):
        return
    if _is_line_drawn(own):
        _Shown.now = True
        _draw_until(own, ended)
        return
    if not _Shown.now:
        _start_telling(own.name)
    while not ended.wait(PERIOD_SECONDS):
        about = f", {_Shown.step}" if _Shown.step else ""
        _tell(f"{own.name}: {time.monotonic() - own.started:.0f} s so far{about}")


def _draw_until(own: _Stage, ended: threading.Event) -> None:
    """Draws the line of all stages under way, if this is the innermost of them."""
    turn = 0
    while not ended.wait(DRAWN_SECONDS):
        turn += 1
        with _Shown.lock:
            if _Shown.stages[-1:] == [own] and not ended.is_set():
                _draw(_line(_Shown.stages, turn))


def _draw(text: str) -> None:
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        width = 80
    print(f"{ERASE}{text[: width - 1]}", end="", file=sys.stderr, flush=True)
    _Shown.is_drawn = True


def _erase() -> None:
    with _Shown.lock:
        if _Shown.is_drawn:
            print(ERASE, end="", file=sys.stderr, flush=True)
        _Shown.is_drawn = False


def _line(stages: list[_Stage], turn: int) -> str:
    """What is under way, how far it is where that is counted, and for how long."""
    now = time.monotonic()
    outer = next((one for one in stages if one.counted), stages[0])
    parts = [f"{now - outer.started:.0f} s", _left(outer, now)]
    parts += [one.name for one in stages if one is not outer] + [_Shown.step]
    mark = _bar(outer) if outer.counted else TURNING[turn % len(TURNING)]
    return f"tandem: {outer.name} {mark} {', '.join(filter(None, parts))}"


def _bar(own: _Stage) -> str:
    done, total, _ = own.counted or (0, 1, 0.0)
    full = BAR_CHARACTERS * min(done, total) // max(total, 1)
    return f"[{'#' * full}{'.' * (BAR_CHARACTERS - full)}] {done} of {total},"


def _left(own: _Stage, now: float) -> str:
    """About how long the steps that are left take; empty before one is done."""
    done, total, since = own.counted or (0, 0, 0.0)
    if not done or done >= total:
        return ""
    seconds = (now - since) / done * (total - done)
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"


def _start_telling(name: str) -> None:
    _Shown.now = True
    _tell(f"{name} ...")


def _tell(text: str) -> None:
    with _Shown.lock:
        _erase()
        print(f"tandem: {text}", file=sys.stderr, flush=True)
