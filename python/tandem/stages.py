# SPDX-License-Identifier: Apache-2.0
"""The stages that a kernel goes through from C to Verilog, as those see them who watch: what all
runs of each have taken."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tandem import progress

TRIAL = "trial"
"""The stage that makes a kernel of a shape, and schedules it: each of these runs is a trial."""


@dataclass
class Watch:
    """What was seen. `seconds` and `runs` are by stage, in the order in which each ran first."""

    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, seconds: float) -> None:
        """A stage has run once more."""
        self.seconds[name] = self.seconds.get(name, 0) + seconds
        self.runs[name] = self.runs.get(name, 0) + 1

    def times(self) -> dict[str, Any]:
        """The same as data, by the time that stages have taken."""
        names = sorted(self.seconds, key=lambda name: -self.seconds[name])
        rows = [
            {"stage": name, "seconds": round(self.seconds[name], 4), "runs": self.runs[name]}
            for name in names
        ]
        return {
            "trials": self.runs.get(TRIAL, 0),
            "seconds": round(sum(self.seconds.values()), 4),
            "stages": rows,
        }


_watches: list[Watch] = []
"""Those who watch now."""
_inside: list[float] = []
"""For each stage that is under way, what stages inside of it have taken."""


@contextmanager
def watched() -> Iterator[Watch]:
    """What is seen of the stages that run meanwhile."""
    watch = Watch()
    _watches.append(watch)
    try:
        yield watch
    finally:
        _watches.remove(watch)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """One stage. What stages inside of it take is theirs alone."""
    progress.step(f"stage {name}")
    started = time.perf_counter()
    _inside.append(0)
    try:
        yield
    finally:
        took, inner = time.perf_counter() - started, _inside.pop()
        if _inside:
            _inside[-1] += took
        for watch in _watches:
            watch.add(name, took - inner)
