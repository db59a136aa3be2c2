# SPDX-License-Identifier: Apache-2.0
"""One kernel, every way to run it: as C, as IR before and after the passes, as RTL.

All must give the same bytes, and the schedule the RTL's number of cycles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.frontend.program import Program
from tandem.ir.argument import ArgumentKind
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import mask
from tandem.ir.processes import processes
from tandem.ir.verifier import verify
from tandem.languages.imported import import_c
from tandem.manifest import OPENED, read_manifest
from tandem.models.run import Outcome, run_c, run_rtl
from tandem.package import write_package
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.shape import Shape
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

RTL_LIMIT_CYCLES = 1 << 20

Values = Mapping[str, int | bytes]
"""Argument name to a number, or to the bytes of an array."""


@dataclass(frozen=True)
class Build:
    """A packaged kernel, its IR before the passes (`imported`), and its schedule."""

    package: Path
    imported: Kernel
    schedule: KernelSchedule
    rows: list[dict[str, Any]]

    @property
    def finished(self) -> Kernel:
        """Its IR after the passes."""
        return self.schedule.kernel

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
    program = Program.of(source)
    return packaged(compile_kernel(program, top, target, clock_ps, slower_clock), folder)


def build_text(
    text: str, target: Target, clock_ps: int, folder: Path, *, slower_clock: bool = False
) -> Build:
    """The same of C that is a text, whose function is `top`."""
    source = folder / "top.c"
    source.write_text(text)
    return build(source, "top", target, clock_ps, folder, slower_clock=slower_clock)


def packaged(compiled: Compiled, folder: Path) -> Build:
    """What is compiled of a program, with its package in `folder`."""
    top = compiled.kernel.name
    package = write_package(compiled, folder / f"{top}.tandem", models=OPENED)
    rows = read_manifest(package)["arguments"]
    return Build(package, compiled.as_imported, compiled.schedule, rows)


def in_shape(text: str, folder: Path, noted: str, wanted: str) -> tuple[Kernel, Kernel]:
    """The kernel `top` of C that is a text: as imported, and after the passes, where what it has
    `noted` of its loops is what is `wanted` of its shape."""
    source = folder / "top.c"
    source.write_text(text)
    imported, first, changed = (import_c(Program.of(source), "top").kernel for _ in range(3))
    run_pipeline(first, Options())
    shape = replace(Shape(), **{wanted: frozenset(getattr(first, noted))})
    run_pipeline(changed, Options(shape=shape))
    verify(changed)
    return imported, changed


def all_in_shape(
    texts: Iterable[str], folders: pytest.TempPathFactory, noted: str, wanted: str
) -> list[tuple[Kernel, Kernel]]:
    """The same of several texts."""
    return [in_shape(text, folders.mktemp("nest"), noted, wanted) for text in texts]


def agree_on_random(
    pair: tuple[Kernel, Kernel],
    seed: int,
    bytes_of: Mapping[str, int],
    below: Mapping[str, int] | None = None,
    turns: int = 3,
) -> None:
    """Two kernels leave the same in arrays of so many random bytes, called with random numbers
    below what is given."""
    for turn in range(turns):
        left: list[dict[str, bytearray | int]] = []
        for kernel in pair:
            random = Random(f"{seed} {turn}")
            data: dict[str, bytearray | int] = {
                name: bytearray(random.randbytes(size)) for name, size in bytes_of.items()
            }
            data |= {name: random.randrange(most) for name, most in (below or {}).items()}
            interpret(kernel, data)
            left.append(data)
        assert left[0] == left[1]


def check(built: Build, values: Values, intervals: Mapping[str, int] | None = None) -> Outcome:
    """Runs the kernel in every way on `values`; fails where two differ. Returns the C's outcome."""
    values = _with_whole_blocks(built.rows, values)
    native = run_c(built.package, built.rows, values, intervals)
    given = _as_sent(built.rows, values, native)
    rtl = run_rtl(built.package / "rtl.so", built.rows, given, intervals, RTL_LIMIT_CYCLES)
    for way, kernel in (("as imported", built.imported), ("after the passes", built.finished)):
        data = interpreted(kernel, built.rows, values, native.answers)
        _same(f"IR {way}", data, native, built.rows)
    _same("RTL", rtl.data, native, built.rows)
    assert native.cycles == rtl.cycles, f"schedule: {native.cycles} cycles, RTL: {rtl.cycles}"
    _is_as_traced(built.rows, values, native)
    if not processes(built.finished):  # whose loops run at the same time
        assert sum(cycles for _, cycles in native.parts) == native.cycles, native.parts
    return native


def _with_whole_blocks(rows: Sequence[Mapping[str, Any]], values: Values) -> Values:
    """The values of a call, with bytes for blocks of which it uses none."""
    blocks = {row["name"]: row["element_bytes"] for row in rows if row["kind"] == "block"}
    return {
        name: value.ljust(blocks.get(name, 0), b"\0") if isinstance(value, bytes) else value
        for name, value in values.items()
    }


def _is_as_traced(rows: Sequence[Mapping[str, Any]], values: Values, native: Outcome) -> None:
    """What was known of each byte before the call: none changed that the C was not to write."""
    if native.traced is None:
        return
    inside = {row["name"]: _whole_of(rows, row) for row in rows}
    for name, before in values.items():
        if isinstance(before, bytes) and name in native.data:
            written = [(inside[run.argument], run) for run in native.traced if run.writes]
            runs = [(start, run) for (whole, start), run in written if whole == name]
            told = {start + place for start, run in runs for place in range(run.low, run.high)}
            pairs = enumerate(zip(before, native.data[name], strict=True))
            changed = {place for place, (old, new) in pairs if old != new}
            assert changed <= told, f"`{name}`: bytes {sorted(changed - told)[:5]} changed"


def _whole_of(rows: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> tuple[str, int]:
    """The argument that the caller gives, and where in it a row's array begins."""
    part = row["part"]
    return (rows[part["argument"]]["name"], part["byte"]) if part else (row["name"], 0)


def _as_sent(rows: Sequence[Mapping[str, Any]], values: Values, native: Outcome) -> Values:
    """What the device has of a call: nobody sends what only goes out. Of a declared extent a call
    may leave a part as it was."""
    sent = dict(values)
    for row in rows:
        name, low = _whole_of(rows, row)
        value = sent.get(name)
        is_all_written = row["direction"] == "out" and row["extent"] == "exact"
        if is_all_written and isinstance(value, bytes):
            end = min(low + native.extents[row["name"]], len(value))
            sent[name] = value[:low] + bytes(b ^ 0xA5 for b in value[low:end]) + value[end:]
    return sent


def claimed_bytes(built: Build, values: Values) -> dict[str, int]:
    """The bytes of each array that a call uses by its extent; arrays whose extent only the call
    itself tells are left out."""
    numbers = {
        n: v if isinstance(v, int) else int.from_bytes(v, "little") for n, v in values.items()
    }
    found = {}
    for a in built.finished.arguments:
        if a.kind is not ArgumentKind.SCALAR and a.extent.claim is not None:
            given = {n: numbers[n] & mask(_width(built, n)) for n in a.extent.claim.names()}
            found[a.name] = a.extent.claim.evaluate(given)
    return found


def _width(built: Build, name: str) -> int:
    op = built.finished.argument(name).op
    assert op is not None
    return op.width


def interpreted(
    kernel: Kernel,
    rows: list[dict[str, Any]],
    values: Values,
    answers: Sequence[Sequence[int]] = (),
) -> dict[str, bytes]:
    """What the interpreter leaves in every argument, where polls answer so."""
    data = {n: bytearray(v) if isinstance(v, bytes) else v for n, v in values.items()}
    result = interpret(kernel, data, answers=answers)
    outcome = {}
    for row in (row for row in rows if not row["part"]):
        is_result = (row["kind"], row["direction"]) == ("scalar", "out")
        value = result or 0 if is_result else data[row["name"]]
        if isinstance(value, int):
            size = row["element_bytes"]
            value = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        outcome[row["name"]] = bytes(value)
    return outcome


def _same(way: str, data: Mapping[str, bytes], native: Outcome, rows: list[dict[str, Any]]) -> None:
    for row in (row for row in rows if not row["part"]):
        name, size = row["name"], row["float_bytes"]
        found, wanted = (_with_one_nan(d[name], size) for d in (data, native.data))
        assert found.hex() == wanted.hex(), f"`{name}`: left {way}, right C"


def _with_one_nan(data: bytes, float_bytes: int) -> bytes:
    """The bytes with every NaN of an array of numbers the same one."""
    if not float_bytes:
        return data
    numbers = np.frombuffer(data, {4: "<f4", 8: "<f8"}[float_bytes]).copy()
    numbers[np.isnan(numbers)] = np.nan
    return numbers.tobytes()
