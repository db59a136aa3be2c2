# SPDX-License-Identifier: Apache-2.0
"""One kernel, every way to run it: as C, as IR before and after the passes, as RTL.

All must give the same bytes, and the schedule the RTL's number of cycles.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.compiler import compile_kernel, import_c
from tandem.frontend.clang import run_clang
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.models.run import Outcome, run_native, run_rtl
from tandem.package import read_manifest, write_package
from tandem.schedule.delays import Target

RTL_LIMIT_CYCLES = 1 << 20

Values = Mapping[str, int | bytes]
"""Argument name to a number, or to the bytes of an array."""


@dataclass(frozen=True)
class Build:
    """A packaged kernel, and its IR before (`imported`) and after the passes (`finished`)."""

    package: Path
    imported: Kernel
    finished: Kernel
    rows: list[dict[str, Any]]

    def streams(self) -> list[str]:
        """Names of the arguments that are streams."""
        return [row["name"] for row in self.rows if row["kind"] == "stream"]


def build(
    source: Path,
    top: str,
    target: Target,
    clock_ps: int,
    folder: Path,
    *,
    slower_clock: bool = False,
) -> Build:
    """Compiles the function `top` of `source`; its package goes into `folder`."""
    imported, _ = import_c([source], top)
    compiled = compile_kernel([source], top, target, clock_ps, slower_clock)
    package = write_package(compiled, folder / f"{top}.tandem")
    return Build(package, imported, compiled.kernel, read_manifest(package)["arguments"])


def check(built: Build, values: Values, intervals: Mapping[str, int] | None = None) -> Outcome:
    """Runs the kernel in every way on `values`; fails where two differ. Returns the C's outcome."""
    native = run_native(built.package, built.rows, values, intervals)
    rtl = run_rtl(built.package / "rtl.so", built.rows, values, intervals, RTL_LIMIT_CYCLES)
    _same("IR as imported", interpreted(built.imported, built.rows, values), native)
    _same("IR after the passes", interpreted(built.finished, built.rows, values), native)
    _same("RTL", rtl.data, native)
    assert native.cycles == rtl.cycles, f"schedule: {native.cycles} cycles, RTL: {rtl.cycles}"
    return native


Extents = Callable[[Values], dict[str, int]]
"""A call's values -> the bytes of each array that the manifest says it uses."""


def build_extents(built: Build, folder: Path) -> Extents:
    """The manifest's extents, C expressions over the scalar arguments, compiled as a host does."""
    arrays = [row for row in built.rows if row["kind"] != "scalar"]
    scalars = [a for a in built.finished.arguments if a.kind == "scalar" and a.direction == "in"]
    parameters = ", ".join(f"{a.c_type} {a.name}" for a in scalars) or "void"
    lines = [
        f"uint64_t extent{i}({parameters}) {{ return {row['extent_bytes']}; }}"
        for i, row in enumerate(arrays)
    ]
    source, library = folder / "extents.c", folder / "extents.so"
    source.write_text("\n".join(["#include <stdint.h>", *lines, ""]))
    run_clang(["-shared", "-fPIC", str(source), "-o", str(library)])
    functions = ctypes.CDLL(str(library))

    def evaluate(values: Values) -> dict[str, int]:
        given = [ctypes.c_int64(int(values[a.name])) for a in scalars]  # type: ignore[arg-type]
        found = {}
        for i, row in enumerate(arrays):
            function = functions[f"extent{i}"]
            function.restype = ctypes.c_uint64
            found[row["name"]] = function(*given)
        return found

    return evaluate


def interpreted(kernel: Kernel, rows: list[dict[str, Any]], values: Values) -> dict[str, bytes]:
    """What the interpreter leaves in every argument."""
    data = {n: bytearray(v) if isinstance(v, bytes) else v for n, v in values.items()}
    result = interpret(kernel, data)
    outcome = {}
    for row in rows:
        is_result = (row["kind"], row["direction"]) == ("scalar", "out")
        value = result or 0 if is_result else data[row["name"]]
        if isinstance(value, int):
            size = row["element_bytes"]
            value = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        outcome[row["name"]] = bytes(value)
    return outcome


def _same(way: str, data: Mapping[str, bytes], native: Outcome) -> None:
    for name, value in native.data.items():
        assert data[name].hex() == value.hex(), f"`{name}`: left {way}, right C"
