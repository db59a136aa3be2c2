# SPDX-License-Identifier: Apache-2.0
"""One kernel, every way to run it: as C, as IR before and after the passes, as RTL.

All must give the same bytes, and the schedule the RTL's number of cycles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.compiler import compile_kernel, import_c
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
    source: Path, top: str, target: Target, clock_ps: int, folder: Path, *, slower_clock: bool = False
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


def interpreted(kernel: Kernel, rows: list[dict[str, Any]], values: Values) -> dict[str, bytes]:
    """What the interpreter leaves in every argument."""
    data = {n: bytearray(v) if isinstance(v, bytes) else v for n, v in values.items()}
    result = interpret(kernel, data)
    outcome = {}
    for row in rows:
        value = result or 0 if row["name"] == "result" else data[row["name"]]
        if isinstance(value, int):
            size = row["element_bytes"]
            value = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        outcome[row["name"]] = bytes(value)
    return outcome


def _same(way: str, data: Mapping[str, bytes], native: Outcome) -> None:
    for name, value in native.data.items():
        assert data[name].hex() == value.hex(), f"`{name}`: left {way}, right C"
