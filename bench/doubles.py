# SPDX-License-Identifier: Apache-2.0
"""Kernels in double: how far their innermost loops are from an iteration a cycle."""

from __future__ import annotations

from pathlib import Path

from figures import Figure, at_most
from peers import CLOCK_NS, PLATFORM, checked_cycles, offloaded, source, told
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.host.prepare import Job, prepared
from tandem.schedule.area import estimate_area

MOST_CYCLES = {"product_f64": 1.05, "bodies_f64": 1.05, "fourier_f64": 1.5, "network_f64": 2.0}
"""Of an iteration. The transform copies its array in and out; in the network 8 sums read one
argument through its port."""
AREAS = {"lut4": "LUT4, estimated", "ff": "flip-flops, estimated", "dsp": "multipliers"}


def doubles(work: Path) -> list[Figure]:
    return [figure for name in MOST_CYCLES for figure in kernel(name, work)]


def kernel(name: str, work: Path) -> list[Figure]:
    """One of them, with every call checked."""
    clock_ps = round(1000 * CLOCK_NS)
    job = Job(source(name), offloaded(name), PLATFORM, clock_ps=clock_ps, keep=work / name)
    with prepared(job) as build:
        cycles = checked_cycles(build)
    compiled = compile_kernel(
        Program.of(source(name)), offloaded(name), find_target("ecp5"), clock_ps, slower_clock=True
    )
    area = estimate_area(compiled.schedule)
    return [
        at_most(f"{name}: cycles", cycles, ""),
        at_most(f"{name}: cycles an iteration", cycles / _iterations(name), "", MOST_CYCLES[name]),
        *(at_most(f"{name}: {what}", area[key], "") for key, what in AREAS.items()),
    ]


def _iterations(name: str) -> int:
    """Of the innermost loops, as the kernel's first lines say."""
    return int(told(source(name))["iterations"])
