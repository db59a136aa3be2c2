# SPDX-License-Identifier: Apache-2.0
"""Errors of the functions of math.h in `library/libm`, and hardware that calls each in a loop."""

from __future__ import annotations

import subprocess
from pathlib import Path

from figures import REPOSITORY, Figure, at_most
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.clang import run_clang
from tandem.frontend.libraries import mathematical_functions
from tandem.frontend.program import Program
from tandem.schedule.area import estimate_area

ACCURACY = REPOSITORY / "tests" / "libm" / "accuracy.c"
POINTS = 10_000_000
CLOCK_PS = 10_000
TWO = {"pow", "hypot", "atan2", "fmod"}
LOOPS = {"fmod", "fmodf"}
"""Those that take as many turns as their arguments say: no pipeline, and no latency."""


def libm(work: Path) -> list[Figure]:
    return [
        *errors(work),
        *(figure for name in mathematical_functions() for figure in hardware(work, name)),
    ]


def errors(work: Path) -> list[Figure]:
    """In ulp, the largest of many points; the target is what the function's comment states."""
    program = work / "accuracy"
    run_clang(["-O2", "-w", ACCURACY, "-o", program, "-lm"])
    done = subprocess.run([program, str(POINTS)], capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [at_most(f"{row[0]}: error", float(row[2]), "ulp", float(row[1])) for row in rows]


def hardware(work: Path, name: str) -> list[Figure]:
    """Of `out[i] = f(in[i])`, estimated."""
    kind = "float" if name.endswith("f") else "double"
    given = "in[i], by[i]" if {name, name[:-1]} & TWO else "in[i]"
    source = work / f"{name}.c"
    source.write_text(
        f"""#include <math.h>
        void f(const {kind} *in, const {kind} *by, {kind} *out, int n) {{
            for (int i = 0; i < n; i++) out[i] = {name}({given});
        }}"""
    )
    schedule = compile_kernel(Program.of(source), "f", find_target("ecp5"), CLOCK_PS).schedule
    area = estimate_area(schedule)
    figures = [at_most(f"{name}: {what}", area[key], "") for key, what in AREAS.items()]
    if name in LOOPS:
        return figures
    assert schedule.ii is not None and schedule.latency_cycles is not None
    return [
        at_most(f"{name}: ii", schedule.ii, "", 1),
        at_most(f"{name}: latency", schedule.latency_cycles, "cycles"),
        *figures,
    ]


AREAS = {"lut4": "LUT4", "ff": "flip-flops", "dsp": "multiplier blocks"}
