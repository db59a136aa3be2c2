# SPDX-License-Identifier: Apache-2.0
"""One application that is built and run again and again: what the command line named, with other
numbers of the platform, another clock or other directives.

All of it happens in the main thread, one thing after the other, as children end with the thread
that started them; whoever asks waits. A build is a process of its own, so that it can be given up.
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Any

from tandem.children import TANDEM
from tandem.diagnostics import user_error
from tandem.host.launch import launch
from tandem.host.prepare import Facts, Prepared
from tandem.platforms.engine import is_chip, read_platform
from tandem.report.breakdown import run_json
from tandem.report.gather import Gathered

CHANGE = re.compile(r"[A-Za-z0-9_.\[\]-]{1,80}=[^\x00-\x1f]{1,64}")
DIRECTIVE = re.compile(
    r"[^\x00-\x1f:]{1,200}(:\d{1,9})?: (pipeline|unroll|inline)\b[^\x00-\x1f]{0,80}"
)
"""What may be asked for of loops and functions: nothing that names a file."""
MOST_CHANGES, MOST_DIRECTIVES = 64, 64
MOST_EVENTS = 20_000
"""Of a run with more, a changed one comes without its timeline: packing takes longer than it."""
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Wish:
    """What shall be otherwise: `changes` of the platform, the kernels' clock, directives."""

    changes: tuple[str, ...] = ()
    clock_ns: float | None = None
    directives: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Any) -> Wish:
        """A wish from JSON. Raises UserError for one that is not understood."""
        if not isinstance(data, dict) or data.keys() - {"changes", "clock_ns", "directives"}:
            raise user_error("wish", "not a wish: an object of changes, clock_ns and directives")
        clock_ns = data.get("clock_ns")
        if clock_ns is not None and not isinstance(clock_ns, int | float):
            raise user_error("wish", "clock_ns is no number")
        return cls(
            _texts(data, "changes", CHANGE, MOST_CHANGES),
            clock_ns,
            _texts(data, "directives", DIRECTIVE, MOST_DIRECTIVES),
        )

    @property
    def needs_build(self) -> tuple[float | None, tuple[str, ...]]:
        """What of it changes kernels."""
        return self.clock_ns, self.directives

    def words(self) -> list[str]:
        """The same as options of the command line."""
        clock = [] if self.clock_ns is None else ["--clock-ns", repr(self.clock_ns)]
        asked = [w for d in self.directives for w in ("--directive", d)]
        return [*clock, *asked, *(w for c in self.changes for w in ("--set", c))]


def _texts(data: dict[str, Any], key: str, form: re.Pattern[str], most: int) -> tuple[str, ...]:
    rows = data.get(key, [])
    if not isinstance(rows, list) or len(rows) > most:
        raise user_error("wish", f"{key} is no list of at most {most} texts")
    for text in rows:
        if not isinstance(text, str) or not form.fullmatch(text):
            raise user_error("wish", f"{key}: not understood: {str(text)[:80]!r}")
    return tuple(rows)


@dataclass
class _Task:
    """Something that the main thread does for somebody who waits."""

    act: Callable[[], Any]
    done: Event = field(default_factory=Event)
    result: Any = None
    error: Exception | None = None


class Live:
    """An application on a platform. `words`: those of `tandem run`, without what a wish has;
    `arguments`: the application's; `folder`: for builds."""

    def __init__(
        self, words: Sequence[str], arguments: Sequence[str], platform: Path, folder: Path
    ) -> None:
        self.words, self.arguments = list(words), list(arguments)
        self.platform, self.folder = platform, folder
        self.tasks: queue.Queue[_Task] = queue.Queue()
        self.data: dict[str, Any] | None = None
        self.built = Wish()
        self.wanted: Wish | None = Wish()
        self.version = 0
        self._lock = Lock()
        self._state: dict[str, Any] = {"state": "building", "stage": "", "errors": []}
        self._child: subprocess.Popen[str] | None = None
        self._began = time.monotonic()

    # -- asked for by whoever serves pages, from any thread ------------------------------------

    def state(self) -> dict[str, Any]:
        """What is going on."""
        with self._lock:
            seconds = time.monotonic() - self._began if self._state["state"] == "building" else 0.0
            return {**self._state, "seconds": round(seconds, 1), "version": self.version}

    def wish(self, wish: Wish, patience_s: float) -> dict[str, Any] | None:
        """The page's data with a wish; None where kernels are built for it first, which `state`
        tells of. Raises TandemError where it cannot be had."""
        if self.data is None or wish.needs_build != self.built.needs_build or self._on_chip:
            self._tell("building", "waiting for its turn")
            self.wanted = wish
            self._stop_child()
            return None
        task = _Task(lambda: self._run(wish))
        self.tasks.put(task)
        if not task.done.wait(patience_s):
            raise user_error("wish", "that takes longer than a page waits")
        if task.error is not None:
            raise task.error
        return task.result

    # -- in the main thread ---------------------------------------------------------------------

    def work(self) -> None:
        """Does what is asked for, until a signal comes."""
        try:
            while True:
                if self.wanted is not None:
                    wish, self.wanted = self.wanted, None
                    self._build(wish)
                    continue
                with suppress(queue.Empty):
                    self._do(self.tasks.get(timeout=POLL_SECONDS))
        finally:
            self._stop_child()

    @property
    def _on_chip(self) -> bool:
        return is_chip(self.platform)

    @staticmethod
    def _do(task: _Task) -> None:
        try:
            task.result = task.act()
        except Exception as error:  # whoever waits is told of a fault of ours, too
            task.error = error
        finally:
            task.done.set()

    def _tell(self, state: str, stage: str = "", errors: Sequence[Any] = ()) -> None:
        with self._lock:
            if state == "building" and self._state["state"] != "building":
                self._began = time.monotonic()
            self._state = {"state": state, "stage": stage, "errors": list(errors)}

    def _build(self, wish: Wish) -> None:
        """Builds and runs the application with a wish, in a process of its own."""
        self._tell("building", "starting")
        page, errors = self.folder / "page.json", self.folder / "errors.json"
        keep = [] if self._on_chip else ["--output", str(self.folder / "build")]
        options = [*keep, "--report", str(page), "--json", *wish.words()]
        command = [*TANDEM, "run", *self.words, *options, "--", *self.arguments]
        environment = {**os.environ, "TANDEM_PROGRESS": "1"}
        with errors.open("w") as printed:
            child = self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE,
                text=True, errors="replace", env=environment, process_group=0,
            )  # fmt: skip
            assert child.stderr is not None
            for line in child.stderr:
                if line.startswith("tandem: "):
                    self._tell("building", line.removeprefix("tandem: ").strip())
            status = child.wait()
        self._child = None
        if self.wanted is not None:
            return
        if status or not page.is_file():
            self._tell("failed", f"status {status}", _errors(errors))
            return
        self.data, self.built = json.loads(page.read_text()), wish
        self.version += 1
        self._tell("ready")

    def _stop_child(self) -> None:
        child = self._child
        if child is not None and child.poll() is None:
            with suppress(OSError):
                child.terminate()

    def _run(self, wish: Wish) -> dict[str, Any]:
        """Runs the built application on a changed platform."""
        assert self.data is not None
        read_platform(self.platform, wish.changes)  # says what is wrong, before anything runs
        before = self.data["results"][0]
        page = Gathered(Path("page.json"), schedules=self.data["schedules"])
        old = self.data["timeline"]
        has_timeline = old is not None and old["count"] <= MOST_EVENTS
        facts = Facts((), before["note"], before["baseline_flags"], ())
        build = Prepared(
            self.folder / "build" / Path(self.words[0]).stem,
            (),
            self.platform,
            wish.changes,
            Path(self.words[0]),
            facts,
        )
        spans = page.add_spans if has_timeline else None
        seen = launch(
            build, before["mode"], self.arguments, silent=True, baseline_runs=1, spans=spans
        ).report
        loops = {kernel["name"]: kernel["loops"] for kernel in before["kernels"]}
        flags = before["baseline_flags"]
        result = run_json(seen, _spreads(before), before["note"], flags, loops)
        told = {key: before[key] for key in ("notes", "advice", "advice_untried", "served")}
        page.results.append({**result, **told})
        page.add_platform(self.platform, wish.changes)
        return page.data()


def _spreads(run: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """The baselines of the first run: what software takes does not follow from the platform."""
    return {
        name: (row["least_s"], row["greatest_s"]) for name, row in run["baseline_spreads"].items()
    }


def _errors(printed: Path) -> list[dict[str, Any]]:
    try:
        return json.loads(printed.read_text())["errors"]
    except (OSError, ValueError, KeyError):
        return []
