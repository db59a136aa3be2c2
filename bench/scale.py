# SPDX-License-Identifier: Apache-2.0
"""Long runs: time and memory of the whole executable, totals exact, growth linear."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import REPOSITORY, Figure, at_least, at_most
from tandem.host.prepare import Job, Prepared, prepared

PROGRAMS = REPOSITORY / "bench" / "scale"
TEN_MILLION = 10_000_000
TEN_GB = 10_000
SECONDS, MEGABYTES = 20, 500


@dataclass(frozen=True)
class Run:
    """A run of an executable: wall seconds, largest memory in MB, and the engine's report."""

    seconds: float
    megabytes: float
    report: dict[str, Any]


def run(build: Prepared, count: int, *changes: str) -> Run:
    """Runs the executable once; `wait4` tells its own memory."""
    report = build.executable.with_name("report.json")
    environment = dict(
        os.environ,
        TANDEM_MODE="emulate",
        TANDEM_PLATFORM=str(build.platform),
        TANDEM_SET="\n".join(changes),
        TANDEM_REPORT=str(report),
    )
    started = time.perf_counter()
    child = subprocess.Popen([str(build.executable), str(count)], env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    seconds = time.perf_counter() - started
    return Run(seconds, usage.ru_maxrss / 1e3, json.loads(report.read_text()))


def scale(work: Path) -> list[Figure]:
    """Ten million short operations, in batches and each alone; 10 GB in chunks of 1 MiB, before
    and behind the kernel, and while it runs."""
    cases = {
        "short operations, batches of 1,000": ("short_operations", TEN_MILLION, "batch.calls=1000"),
        "short operations, each alone": ("short_operations", TEN_MILLION, "batch.calls=1"),
        "10 GB, buffered": ("long_stream", TEN_GB, "transfer.mode=buffered"),
        "10 GB, streaming": ("long_stream", TEN_GB, "transfer.mode=streaming"),
    }
    figures = []
    for name, (program, count, change) in cases.items():
        job = Job(PROGRAMS / f"{program}.c", "kernel", "pcie3-x16", keep=work / program)
        with prepared(job) as build:
            run(build, count // 100, change)
            small, large = (run(build, n, change) for n in (count // 10, count))
        totals = [r.report["no_config_ps"] for r in (small, large)]
        figures += [
            at_most(f"{name}: time", large.seconds, "s", SECONDS),
            at_most(f"{name}: memory", large.megabytes, "MB", MEGABYTES),
            at_most(f"{name}: 10 x the work, time", large.seconds / small.seconds, "", 12),
            at_most(f"{name}: 10 x the work, totals off", _off(totals), "", 1e-5),
            at_least(f"{name}: spans kept or counted", _spans(large.report), ""),
        ]
    return figures


def _off(totals_ps: list[int]) -> float:
    return abs(totals_ps[1] / totals_ps[0] / 10 - 1)


def _spans(report: dict[str, Any]) -> int:
    return len(report["spans"]) + report["spans_dropped"]
