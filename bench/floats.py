# SPDX-License-Identifier: Apache-2.0
"""The library's floating-point operators as hardware, and beside the host's own."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from figures import REPOSITORY, Figure, at_most
from peers import lut4
from tandem.compiler import Compiled, compile_kernel, find_target
from tandem.frontend.clang import run_clang
from tandem.frontend.program import Program
from tandem.package import write_package
from tandem.rtl.text import module_name
from tandem.schedule.area import estimate_area
from tandem.synthesis.place import place_kernel
from tandem.synthesis.result import Placement

LIBRARY = REPOSITORY / "library" / "float"
TEST = REPOSITORY / "tests" / "float" / "operators_test.c"
TOP, CLOCK_NS = "map", 10.0
RANDOM_OPERANDS = 100_000_000
OPERANDS = {"add": 2, "mul": 2, "div": 2, "sqrt": 1, "fma": 3}


@dataclass(frozen=True)
class Operator:
    """`most_dsp`: multipliers that it may take."""

    name: str
    most_dsp: int | None = None

    @property
    def operation(self) -> str:
        return self.name.partition("_")[2]

    def source(self) -> str:
        """C of a kernel that applies it to all elements of arrays; `copy` does nothing."""
        width = self.name[1:3]
        names = "abc"[: OPERANDS.get(self.operation, 1)]
        values = ", ".join(f"{name}[i]" for name in names)
        inputs = "".join(f"const uint{width}_t *{name}, " for name in names)
        result = values if self.operation == "copy" else f"{self.name}({values})"
        return (
            f'#include "{LIBRARY}/f{width}.c"\n'
            f"void {TOP}({inputs}uint{width}_t *out, uint32_t n)\n"
            f"{{\n    for (uint32_t i = 0; i < n; i++) out[i] = {result};\n}}\n"
        )


OPERATORS = [
    Operator("f32_copy"),
    Operator("f32_add"),
    Operator("f32_mul", 4),
    Operator("f32_div"),
    Operator("f32_sqrt"),
    Operator("f32_fma", 4),
    Operator("f64_copy"),
    Operator("f64_add"),
    Operator("f64_mul", 10),
    Operator("f64_div"),
    Operator("f64_sqrt"),
    Operator("f64_fma", 10),
]


def floats(work: Path) -> list[Figure]:
    """Each operator of a kernel of its own, estimated and placed, and all of them in C."""
    figures = [figure for one in OPERATORS for figure in hardware(one, work / one.name)]
    return [*figures, differences(work)]


def hardware(operator: Operator, work: Path) -> list[Figure]:
    """One operator. What a kernel takes around it, `copy` shows."""
    work.mkdir()
    source = work / "map.c"
    source.write_text(operator.source())
    compiled = compile_kernel(
        Program.of(source), TOP, find_target("ecp5"), round(1000 * CLOCK_NS), slower_clock=True
    )
    return _figures(operator, compiled, _placed(compiled, work))


def _placed(compiled: Compiled, work: Path) -> Placement:
    verilog = write_package(compiled, work / f"{TOP}.tandem", models=False) / "kernel.sv"
    return place_kernel(verilog, module_name(TOP), find_target("ecp5"), CLOCK_NS).placement


def _figures(operator: Operator, compiled: Compiled, placed: Placement) -> list[Figure]:
    schedule, area = compiled.schedule, estimate_area(compiled.schedule)
    rows = [
        ("ii", schedule.ii or 0, "cycles", 1),
        ("latency", schedule.latency_cycles or 0, "cycles", None),
        ("LUT4, estimated", area["lut4"], "", None),
        ("LUT4", lut4(placed), "", None),
        ("flip-flops", placed.design.ff, "", None),
        ("multipliers", placed.design.dsp, "", operator.most_dsp),
        ("period", placed.period_ps / 1000, "ns", CLOCK_NS),
    ]
    return [at_most(f"{operator.name}: {what}", *values) for what, *values in rows]


def differences(work: Path) -> Figure:
    """From the host's operators, on all combinations of special operands and on random ones."""
    program = work / "operators_test"
    flags = ["-O2", "-fno-fast-math", "-ffp-contract=off", "-fno-sanitize=undefined", "-lm"]
    run_clang([TEST, LIBRARY / "f32.c", LIBRARY / "f64.c", *flags, "-o", program])
    done = subprocess.run([program, str(RANDOM_OPERANDS)], capture_output=True, text=True)
    found = re.findall(r" compared +(\d+) different$", done.stdout, re.M)
    what = f"differences of {len(found)} operators in {RANDOM_OPERANDS:,} random operands each"
    return at_most(what, sum(map(int, found)), "", 0)
