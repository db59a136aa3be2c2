# SPDX-License-Identifier: Apache-2.0
"""What the search for a kernel's shape and clock takes, kernel by kernel.

    python bench/trials.py [KERNEL ...]

compiles kernels of `kernels/` and of the half of `estimates/` that may be looked at, at 10 ns with
a free clock, each in a process of its own, and prints what each took: trials, seconds of the
processor, and times the seconds that a yardstick took, which is compiled before and after it. Its
shape is fixed, and nothing is tried of it: what the search costs is not in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean

import estimates
import growth
import policy
from figures import Figure, at_most
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.schedule.area import cells_of
from tandem.schedule.expected import expected_cycles
from tandem.stages import TRIAL, watched

CHILD = "--compile"
CLOCK_PS = 10_000
YARDSTICK = 400
"""Operations of the straight line of code that every kernel is measured beside."""


@dataclass(frozen=True)
class Effort:
    """What one kernel took: how many kernels were made, seconds of the processor, and how many
    times what the yardstick took that is; what it became."""

    kernel: str
    trials: int
    seconds: float
    times: float
    time_ps: float
    cells: int


def trials(work: Path) -> list[Figure]:
    """All kernels together, and those that take the longest."""
    del work
    found = [effort(name) for name in policy.sources(estimates.FOUND_ON)]
    figures = [
        at_most("kernels that were made, for one that is kept", _per_kernel(found), ""),
        at_most("seconds of all kernels / yardstick's", sum(e.times for e in found), ""),
        at_most("time x area, geometric mean", _mean_cost(found), ""),
    ]
    return [*figures, *(at_most(f"{e.kernel}: trials", e.trials, "") for e in found)]


def _per_kernel(found: Sequence[Effort]) -> float:
    return sum(e.trials for e in found) / len(found)


def _mean_cost(found: Sequence[Effort]) -> float:
    return geometric_mean([e.time_ps * e.cells for e in found])


def effort(name: str) -> Effort:
    """One kernel, in a process of its own."""
    command = [sys.executable, __file__, CHILD, name]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Effort(**json.loads(run.stdout))


def measured(name: str, work: Path) -> Effort:
    """The other side of `effort`."""
    path, function = policy.sources(estimates.FOUND_ON)[name]
    yardstick = work / "yardstick.c"
    yardstick.write_text(growth.straight(YARDSTICK))
    growth.compiled(yardstick)  # what is loaded once is not counted
    before = _yardstick_s(yardstick)
    started = time.process_time()
    with watched() as watch:
        program, target = Program.of(path), find_target("ecp5")
        schedule = compile_kernel(
            program, function, target, CLOCK_PS, slower_clock=True, free_clock=True
        ).schedule
    seconds = time.process_time() - started
    times = seconds / ((before + _yardstick_s(yardstick)) / 2)
    time_ps = expected_cycles(schedule) * schedule.clock_ps
    return Effort(name, watch.runs[TRIAL], seconds, times, time_ps, cells_of(schedule))


def _yardstick_s(file: Path) -> float:
    started = time.process_time()
    growth.compiled(file)
    return time.process_time() - started


def show(names: Sequence[str]) -> None:
    """A line a kernel."""
    for e in map(effort, names):
        print(
            f"{e.kernel:18}{e.trials:4} trials {e.seconds:7.2f} s {e.times:7.2f} x yardstick "
            f"{e.time_ps / 1e6:12.2f} us {e.cells:7,} cells",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == [CHILD]:
        with tempfile.TemporaryDirectory(prefix="tandem-trials-") as folder:
            print(json.dumps(asdict(measured(sys.argv[2], Path(folder)))))
    else:
        show(sys.argv[1:] or list(policy.sources(estimates.FOUND_ON)))
