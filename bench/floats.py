# SPDX-License-Identifier: Apache-2.0
"""The library's floating-point operators as hardware, and beside the host's own.

    python bench/floats.py

prints the newest figures of every operator beside published ones of others (bench/operators.csv).
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from figures import REPOSITORY, Figure, at_most, saved
from peers import lut4
from tandem.compiler.compile import Compiled, compile_kernel, find_target
from tandem.frontend.clang import run_clang
from tandem.frontend.program import Program
from tandem.ir.floats import FLOATS
from tandem.manifest import OPENED, read_manifest
from tandem.models.run import run_c, run_rtl
from tandem.package import write_package
from tandem.rtl.text import module_name
from tandem.schedule.area import estimate_area
from tandem.synthesis.place import place_kernel
from tandem.synthesis.result import Placement

LIBRARY = REPOSITORY / "library" / "float"
PUBLISHED = REPOSITORY / "bench" / "operators.csv"
TEST = REPOSITORY / "tests" / "float" / "operators_test.c"
TOP, CLOCK_NS = "map", 10.0
RANDOM_OPERANDS = 100_000_000
RTL_OPERANDS = 100_000
SIGNS = {"add": "+", "mul": "*", "div": "/"}
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
    return [*figures, differences(work), differences_of_hardware(work / "rtl")]


def hardware(operator: Operator, work: Path) -> list[Figure]:
    """One operator. What a kernel takes around it, `copy` shows."""
    work.mkdir()
    source = work / "map.c"
    source.write_text(operator.source())
    compiled = compile_kernel(
        Program.of(source), TOP, find_target("ecp5"), round(1000 * CLOCK_NS), slower_clock=True
    )
    return _figures(operator, compiled, placed(compiled, TOP, work))


def placed(compiled: Compiled, top: str, work: Path) -> Placement:
    """A kernel placed and routed."""
    verilog = write_package(compiled, work / f"{top}.tandem") / "kernel.sv"
    return place_kernel(verilog, module_name(top), find_target("ecp5"), CLOCK_NS).placement


def _figures(operator: Operator, compiled: Compiled, placed: Placement) -> list[Figure]:
    schedule, area = compiled.schedule, estimate_area(compiled.schedule)
    rows = [
        ("ii", schedule.ii or 0, "cycles", 1),
        ("latency", schedule.latency_cycles or 0, "cycles", None),
        ("LUT4, estimated", area["lut4"], "", None),
        ("LUT4", lut4(placed.design), "", None),
        ("flip-flops", placed.design.ff, "", None),
        ("multipliers", placed.design.dsp, "", operator.most_dsp),
        ("period", placed.period_ps / 1000, "ns", CLOCK_NS),
    ]
    return [at_most(f"{operator.name}: {what}", *values) for what, *values in rows]


def differences_of_hardware(work: Path) -> Figure:
    """Every operation's RTL from the processor's own, on special operands and random ones."""
    work.mkdir()
    random = np.random.default_rng(1)
    count = sum(_differing(name, work / name, random) for name in FLOATS)
    what = f"differences of {len(FLOATS)} operations as RTL in {RTL_OPERANDS:,} operands each"
    return at_most(what, count, "", 0)


def _differing(name: str, work: Path, random: np.random.Generator) -> int:
    work.mkdir()
    (work / "map.c").write_text(operation_source(name))
    compiled = compile_kernel(
        Program.of(work / "map.c"),
        TOP,
        find_target("ecp5"),
        round(1000 * CLOCK_NS),
        slower_clock=True,
    )
    package = write_package(compiled, work / f"{TOP}.tandem", models=OPENED)
    rows, row = read_manifest(package)["arguments"], FLOATS[name]
    values: dict[str, int | bytes] = {
        "n": RTL_OPERANDS,
        "out": bytes(RTL_OPERANDS * row.result // 8),
    }
    for operand, width in zip("abc", row.widths, strict=False):
        values[operand] = _operands(name, width, random)
    native = run_c(package, rows, values)
    rtl = run_rtl(package / "rtl.so", rows, values, limit_cycles=100 * RTL_OPERANDS)
    return int(np.sum(_same_nan(native.data["out"], name) != _same_nan(rtl.data["out"], name)))


def operation_source(name: str) -> str:
    """C of a kernel that does one operation of the IR on all elements of arrays."""
    row = FLOATS[name]
    operands = [f"{letter}[i]" for letter, _ in zip("abc", row.widths, strict=False)]
    kinds = _c_types(name)
    given = "".join(f"const {kinds[0]} *{o[0]}, " for o in operands)
    operation = name.partition("_")[2]
    if operation in SIGNS:
        result = f" {SIGNS[operation]} ".join(operands)
    elif "_from_" in name:
        result = f"({kinds[1]}){operands[0]}"
    else:
        suffix = "f" if name.startswith("f32") else ""
        result = f"__builtin_{operation}{suffix}({', '.join(operands)})"
    return (
        "#include <stdint.h>\n"
        f"void {TOP}({given}{kinds[1]} *out, uint32_t n)\n"
        f"{{\n    for (uint32_t i = 0; i < n; i++) out[i] = {result};\n}}\n"
    )


def _c_types(name: str) -> tuple[str, str]:
    """(type of the operands, type of the result) in C."""
    result, _, source = name.partition("_from_")
    kinds = {"f32": "float", "f64": "double"}
    kinds |= {f"{s}{w}": f"{'u' * (s == 'u')}int{w}_t" for s in "iu" for w in (32, 64)}
    both = result.partition("_")[0]
    return (kinds[source], kinds[result]) if source else (kinds[both], kinds[both])


def _operands(name: str, width: int, random: np.random.Generator) -> bytes:
    """Patterns of which some are special, some near one and each other, and the rest anything. What
    becomes an integer fits it: nothing is said of what does not."""
    bits = random.integers(0, 1 << width, RTL_OPERANDS, dtype=f"u{width // 8}", endpoint=False)
    source = _c_types(name)[0]
    if source not in ("float", "double"):
        return bits.tobytes()
    kind = np.dtype(f"f{width // 8}")
    near = (random.standard_normal(RTL_OPERANDS) * 8).astype(kind).view(bits.dtype)
    chosen = np.where(random.random(RTL_OPERANDS) < 0.5, near, bits)
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, np.inf, -np.inf, np.nan, 3e-39, -3e-39]
    special = np.array(edges, kind).view(bits.dtype)
    places = random.random(RTL_OPERANDS) < 0.1
    chosen[places] = random.choice(special, int(places.sum()))
    target = name.partition("_from_")[0]
    if "_from_" in name and target[0] in "iu":
        low, high = (-(2.0 ** (int(target[1:]) - 1)), 2.0 ** (int(target[1:]) - 1))
        low, high = (low, high) if target[0] == "i" else (0.0, 2 * high)
        whole = chosen.view(kind)
        fits = (whole > low) & (whole < high)
        chosen = np.where(fits, chosen, np.zeros(1, bits.dtype))
    return chosen.tobytes()


def _same_nan(data: bytes, name: str) -> np.ndarray:
    """The results' patterns, that of every NaN the same one."""
    size = FLOATS[name].result // 8
    bits = np.frombuffer(data, f"u{size}").copy()
    if _c_types(name)[1] in ("float", "double"):
        bits[np.isnan(bits.view(f"f{size}"))] = 0
    return bits


def differences(work: Path) -> Figure:
    """From the host's operators, on all combinations of special operands and on random ones."""
    program = work / "operators_test"
    flags = ["-O2", "-fno-fast-math", "-ffp-contract=off", "-fno-sanitize=undefined", "-lm"]
    run_clang([TEST, LIBRARY / "f32.c", LIBRARY / "f64.c", *flags, "-o", program])
    done = subprocess.run([program, str(RANDOM_OPERANDS)], capture_output=True, text=True)
    found = re.findall(r" compared +(\d+) different$", done.stdout, re.M)
    what = f"differences of {len(found)} operators in {RANDOM_OPERANDS:,} random operands each"
    return at_most(what, sum(map(int, found)), "", 0)


def show_table() -> None:
    """A line for each operator, and one for each published figure of it."""
    ours = {figure.name: figure.value for figure in saved().get("floats", [])}
    with PUBLISHED.open() as file:
        others = list(csv.DictReader(file))
    print(f"{'':10}{'':30}{'cycles':>8}{'LUTs':>8}{'FF':>8}{'DSP':>6}{'ns':>7}  device")
    for name in dict.fromkeys(row["operator"] for row in others):
        keys = ("latency", "LUT4", "flip-flops", "multipliers", "period")
        _show(name, "Tandem", [ours[f"{name}: {key}"] for key in keys], "LUT4, LFE5U-6")
        for row in (row for row in others if row["operator"] == name):
            cells = [
                float(row[key]) for key in ("latency_cycles", "luts", "ff", "dsp", "period_ns")
            ]
            _show("", row["maker"], cells, f"{row['luts_are']}, {row['device']}")


def _show(name: str, maker: str, cells: Sequence[float], device: str) -> None:
    widths = (8, 8, 8, 6, 7)
    numbers = "".join(f"{cell:>{width},g}" for cell, width in zip(cells, widths, strict=True))
    print(f"{name:10}{maker:30}{numbers}  {device}")


if __name__ == "__main__":
    show_table()
