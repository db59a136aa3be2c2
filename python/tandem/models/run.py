# SPDX-License-Identifier: Apache-2.0
"""Running the models of a package from Python, one call at a time, without a platform."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError
from tandem.files import temporary_folder
from tandem.platforms.engine import c_interface

_FAULTS = {-5: "outside-buffer", -6: "rtl-hangs"}
"""By `enum tandem_status`."""
LIMIT_CYCLES = 1 << 26


@dataclass(frozen=True)
class Run:
    """Bytes low .. high of an argument, counted from its pointer, with which the C does the same:
    whether it reads what they held before the call, and whether it writes them."""

    argument: str
    low: int
    high: int
    reads: bool
    writes: bool


@dataclass
class Outcome:
    """What a call left in its buffers, argument name to bytes, and the cycles it took. Of the
    C also what was known before: the extent of each argument in bytes, (first, end) of the bytes
    that the call touches, and what it does with each (None where that is not told); `parts` are
    (iterations, cycles) of each loop, then of all else."""

    data: dict[str, bytes]
    cycles: int
    extents: dict[str, int] = field(default_factory=dict)
    touched: dict[str, tuple[int, int]] = field(default_factory=dict)
    parts: list[tuple[int, int]] = field(default_factory=list)
    traced: list[Run] | None = None
    answers: list[bytes] = field(default_factory=list)
    """What polls answer, by process in the order in which they start."""


class _Call:
    """The C arrays of one call."""

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        values: Mapping[str, Any],
        intervals: Mapping[str, int] | None,
    ) -> None:
        self.rows = rows
        self.buffers: list[Any] = []
        for row in rows:
            part = row["part"]
            whole = self.buffers[part["argument"]] if part else None
            self.buffers.append(_inside(whole, part) if part else _buffer(row, values))
        count = len(rows)
        self.data = (ctypes.c_void_p * count)(*[ctypes.addressof(b) for b in self.buffers])
        self.bytes = (ctypes.c_uint64 * count)(*[len(b) - 1 for b in self.buffers])
        paces = [(intervals or {}).get(row["name"], 1) for row in rows]
        self.intervals = (ctypes.c_uint32 * count)(*paces)

    def outcome(self, cycles: int) -> Outcome:
        data = {row["name"]: bytes(b)[:-1] for row, b in zip(self.rows, self.buffers, strict=True)}
        return Outcome(data, cycles)


def _load(path: Path) -> ctypes.CDLL:
    """The shared object as it is now: the loader knows libraries by their paths, and would give the
    old code again after a rebuild, so it gets a copy under a new name."""
    with temporary_folder() as folder:
        copy = folder / path.name
        shutil.copyfile(path, copy)
        return ctypes.CDLL(str(copy))


def _buffer(row: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """A private copy with one spare byte, so that an empty buffer has an address too."""
    if row["kind"] == "scalar" and row["direction"] == "out":
        value: Any = bytes(row["element_bytes"])
    else:
        value = values[row["name"]]
    if isinstance(value, int):
        size = row["element_bytes"]
        value = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return ctypes.create_string_buffer(bytes(value), len(value) + 1)


def _inside(whole: Any, part: Mapping[str, int]) -> Any:
    """The bytes of a member of a struct, and the one behind, in the struct's own buffer."""
    room = max(0, min(part["bytes"], len(whole) - 1 - part["byte"]))
    return (ctypes.c_char * (room + 1)).from_buffer(whole, part["byte"])


def run_c(
    package: Path,
    rows: Sequence[Mapping[str, Any]],
    values: Mapping[str, Any],
    intervals: Mapping[str, int] | None = None,
) -> Outcome:
    """The C function, and what is known before it runs. `rows`: the manifest's arguments;
    `values`: name -> int or bytes."""
    ahead = _load(package / "ahead.so")
    ahead.tandem_cycles.restype = ctypes.c_uint64
    call = _Call(rows, values, intervals)
    extents = (ctypes.c_uint64 * len(rows))()
    touched = (ctypes.c_int64 * 2 * len(rows))()
    ahead.tandem_extents(call.data, extents)
    loops = json.loads((package / "manifest.json").read_bytes())["loops"]
    parts = (ctypes.c_uint64 * 3 * (len(loops) + 1))()
    cycles = ahead.tandem_cycles(call.data, extents, call.intervals, parts, 0)
    answers = _answers(ahead)
    ahead.tandem_touched(call.data, extents, call.intervals, None, touched, 0)
    names = [row["name"] for row in rows]
    traced = _traced(ahead, call, names)
    _run_function(_load(package / "function.so"), call, answers)
    outcome = call.outcome(cycles)
    outcome.answers = answers
    outcome.parts = [(part[0], part[1]) for part in parts]
    outcome.extents = dict(zip(names, extents, strict=True))
    outcome.touched = {n: (t[0], t[1]) for n, t in zip(names, touched, strict=True)}
    outcome.traced = traced
    return outcome


class _Seen(ctypes.Structure):
    """`struct tandem_seen` (docs/package.md)."""

    _fields_ = (
        ("answers", ctypes.POINTER(ctypes.c_ubyte)),
        ("count", ctypes.c_uint64),
        ("room", ctypes.c_uint64),
    )


class _Polls(ctypes.Structure):
    """`tandem_polls` (include/tandem.h)."""

    _fields_ = (("answers", ctypes.c_char_p), ("count", ctypes.c_uint64))


def _answers(ahead: ctypes.CDLL) -> list[bytes]:
    """What polls have answered at the last walk, by process."""
    ahead.tandem_answers.restype = ctypes.POINTER(_Seen)
    count = ctypes.c_uint32()
    rows = ahead.tandem_answers(ctypes.byref(count))
    return [bytes(row.answers[: row.count]) for row in rows[: count.value]]


def _run_function(function: ctypes.CDLL, call: _Call, answers: Sequence[bytes]) -> None:
    """Runs the C, whose polls answer so."""
    rows = (_Polls * len(answers))(*(_Polls(row, len(row)) for row in answers))
    if answers:
        function.tandem_know(rows, len(rows))
    function.tandem_function(call.data)


_Tell = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint32
)


def _traced(ahead: ctypes.CDLL, call: _Call, names: Sequence[str]) -> list[Run] | None:
    """What the C does with bytes; None where it is not known, or arrays meet."""
    runs: list[Run] = []

    def tell(_: Any, argument: int, low: int, high: int, does: int) -> None:
        runs.append(Run(names[argument], low, high, bool(does & 1), bool(does & 2)))

    meeting = ctypes.create_string_buffer(64)
    answer = ahead.tandem_traced(call.data, meeting, _Tell(tell), None)
    return None if answer else runs


def run_rtl(
    library_path: Path,
    rows: Sequence[Mapping[str, Any]],
    values: Mapping[str, Any],
    intervals: Mapping[str, int] | None = None,
    limit_cycles: int = LIMIT_CYCLES,
) -> Outcome:
    """The RTL, by the model in a shared object with rtl.so's interface.

    Raises InternalError when it does not end within `limit_cycles` or leaves its buffers."""
    return _simulated(library_path, _Call(rows, values, intervals), limit_cycles)


def run_counted(
    library_path: Path,
    rows: Sequence[Mapping[str, Any]],
    values: Mapping[str, Any],
) -> tuple[Outcome, dict[str, int]]:
    """The same of a model that counts toggles, with those of each register, port or kind of net."""
    counted = _counted(library_path)
    toggles = (ctypes.c_uint64 * len(counted))()
    call = _Call(rows, values, None)
    outcome = _simulated(library_path, call, LIMIT_CYCLES, ctypes.addressof(toggles))
    return outcome, dict(zip(counted, toggles, strict=True))


def _simulated(library_path: Path, call: _Call, limit_cycles: int, toggles: int = 0) -> Outcome:
    """`toggles`: the address of a place for them, or 0."""
    ffi, lib = c_interface()
    rows = call.rows
    arguments = ffi.new("TandemArgument[]", max(1, len(rows)))
    for argument, place, size in zip(arguments, call.data, call.bytes, strict=False):
        argument.data, argument.bytes = ffi.cast("void *", place), size
    paces = ffi.new("uint32_t[]", list(call.intervals) or [1])
    cycles = ffi.new("uint64_t *")
    path = os.fsencode(library_path)
    place = ffi.cast("uint64_t *", toggles)
    status = lib.tandem_simulate(path, arguments, paces, len(rows), limit_cycles, cycles, place)
    if status < 0:
        text = ffi.string(lib.tandem_error()).decode()
        raise InternalError(Diagnostic(_FAULTS.get(status, "engine"), text))
    return call.outcome(cycles[0])


class _Row(ctypes.Structure):
    """`struct tandem_counted` (docs/package.md)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("place", ctypes.c_char_p),
        ("scope", ctypes.c_char_p),
        ("bits", ctypes.c_uint32),
        ("is_port", ctypes.c_uint32),
        ("offset", ctypes.c_uint32),
    )


def _counted(library_path: Path) -> list[str]:
    """Of what a model counts toggles."""
    library = _load(library_path)
    count = ctypes.c_uint32.in_dll(library, "tandem_rtl_counted_count").value
    rows = (_Row * count).in_dll(library, "tandem_rtl_counted")
    return [row.name.decode() for row in rows]
