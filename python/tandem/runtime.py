# SPDX-License-Identifier: Apache-2.0
"""Driving kernels from Python: reserve a simulated platform, open packages, call them on numpy
arrays or whatever else has a buffer, at once or later. docs/python.md shows how; `tandem.h` says
what each step means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from tandem.diagnostics import Diagnostic, InternalError, TandemError, UserError, user_error
from tandem.installation import DEFAULT_PLATFORM
from tandem.manifest import read_manifest
from tandem.platforms.engine import c_interface, changes_text, find_platform, findings, read_json

PS = 1e12
FOREVER_PS = 2**64 - 1
PAGES = ("ordinary", "locked", "huge", "device")


class DeviceFailed(TandemError):
    """A device died, or could not be loaded, as the platform has it."""

    exit_status = 1


class TimedOut(TandemError):
    """What was waited for has not ended in that time; it goes on."""

    exit_status = 1


BAD_PLATFORM = -3
"""Of `enum tandem_status`: several findings, each with its place."""

_ERRORS: Mapping[int, tuple[type[TandemError], str]] = {
    -1: (UserError, "argument"),
    -2: (UserError, "package"),
    -4: (UserError, "too-large"),
    -5: (InternalError, "wrong-result"),
    -6: (InternalError, "wrong-cycles"),
    -8: (UserError, "deadlock"),
    -9: (DeviceFailed, "device-failed"),
    -10: (TimedOut, "timed-out"),
}
"""By `enum tandem_status`; what is not here is the engine's own fault."""


def reserve(
    platform: str = DEFAULT_PLATFORM, *, changes: Sequence[str] = (), mode: str = "emulate"
) -> Machine:
    """A simulated platform at time 0, by its name or file, with `changes` as for `--set`. A process
    has one at a time: the one before must have nothing in flight. `mode` as for `tandem run`.

    Raises UserError for what the platform, the changes or the mode lack."""
    ffi, lib = c_interface()
    path = ffi.NULL if mode == "native" else os.fsencode(find_platform(platform))
    _checked(lib.tandem_reserve(path, changes_text(changes).encode(), mode.encode()))
    return Machine()


class Machine:
    """A reserved platform. As a context manager, it waits at its end for what is in flight."""

    _current: Machine | None = None

    def __init__(self) -> None:
        Machine._current = self
        self._events: dict[int, Event] = {}

    def open(self, package: str | Path, *, result: Any = None) -> Kernel:
        """The kernel of a package made with its models (`tandem build --models`). `result` is the
        numpy type of what it returns, else an unsigned integer or a float of the right size.

        Raises UserError for a package that is damaged, incomplete, or of another version."""
        _, lib = self._engine()
        manifest = read_manifest(Path(package))
        number = _checked(lib.tandem_open(os.fsencode(package)))
        return Kernel(self, number, manifest, result)

    def array(self, shape: int | tuple[int, ...], dtype: Any = np.uint8, pages: str = "ordinary"):
        """A numpy array of zeros in memory that the operating system was asked for: `locked` pages,
        which the link reaches without a copy by the driver, or `huge` ones, locked too; or in the
        `device`, where its content stays until another device or the program (`sync`) needs it.

        Raises UserError where the system refuses, with its reason."""
        if pages not in PAGES:
            raise user_error("argument", f"pages `{pages}`", help=f"one of {', '.join(PAGES)}")
        ffi, lib = self._engine()
        count = int(np.prod(shape))
        size = count * np.dtype(dtype).itemsize
        memory = lib.tandem_allocate(size, PAGES.index(pages))
        if memory == ffi.NULL:
            raise UserError(Diagnostic("too-large", ffi.string(lib.tandem_error()).decode()))
        kept = ffi.gc(memory, lib.tandem_free)
        return np.frombuffer(ffi.buffer(kept, max(size, 1)), dtype, count).reshape(shape)

    def sync(self, array: np.ndarray, writing: bool = False) -> None:
        """Before the program reads a `device` array that calls have written, or (`writing`) writes
        one that they have used: brings what is newest.

        Raises UserError for another array, or one in use by what nobody has waited for;
        DeviceFailed."""
        ffi, lib = self._engine()
        address = ffi.cast("void *", array.__array_interface__["data"][0])
        _checked(lib.tandem_sync(address, int(writing)))

    @property
    def now_s(self) -> float:
        """The simulated time."""
        ffi, lib = self._engine()
        time_ps = ffi.new("uint64_t *")
        _checked(lib.tandem_now(time_ps))
        return time_ps[0] / PS

    def work(self, seconds: float) -> None:
        """The program works for so long: simulated time passes, and what is in flight goes on."""
        _, lib = self._engine()
        _checked(lib.tandem_work(_picoseconds(seconds)))

    def report(self) -> dict[str, Any]:
        """Where the time went so far (docs/trace.md), in ps and bytes."""
        _, lib = self._engine()
        return read_json(lambda text, size: _checked(lib.tandem_report(text, size)))

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for event in list(self._events.values()):
            if kind is None:
                event.wait()
            else:
                event.cancel()

    def _engine(self) -> tuple[Any, Any]:
        if Machine._current is not self:
            raise user_error("argument", "another platform was reserved since", help="use that one")
        return c_interface()


class Kernel:
    """An opened kernel. Its arguments are those of the C function in their order (`parameters`):
    numbers, and buffers for pointers. What it writes, it writes there."""

    def __init__(
        self, machine: Machine, number: int, manifest: Mapping[str, Any], result: Any
    ) -> None:
        self.machine = machine
        self.name: str = manifest["kernel"]
        self._rows = _given(manifest["arguments"])
        self.parameters = [row for row in self._rows if not _is_result(row)]
        self._number = number
        self._result = np.dtype(result) if result is not None else None

    def configure(self) -> None:
        """Loads it into the device now, so that no call has to wait for that.

        Raises DeviceFailed."""
        _, lib = self.machine._engine()
        _checked(lib.tandem_configure(self._number))

    def __call__(self, *arguments: Any) -> Any:
        """Calls it and waits. Returns what the C function returns, None if it is void.

        Raises as `submit` and `Event.wait` do."""
        return self.submit(*arguments).wait()

    def submit(self, *arguments: Any, queue: int = 0) -> Event:
        """Calls it, and returns at once. Calls of one queue happen in turn, those of different ones
        beside each other.

        Raises UserError for arguments that do not fit, or that touch what is in flight in another
        queue; InternalError where hardware and C differ (mode simulate)."""
        return self._submit([arguments], queue, together=False)

    def submit_together(self, calls: Iterable[Sequence[Any]], queue: int = 0) -> Event:
        """The same for several calls, which the driver hands over as one; they end together. The
        event has a list of their results."""
        return self._submit(list(calls), queue, together=True)

    def _submit(self, calls: Sequence[Sequence[Any]], queue: int, together: bool) -> Event:
        ffi, lib = self.machine._engine()
        prepared = [self._prepared(ffi, arguments) for arguments in calls]
        rows = ffi.new("TandemArgument[]", max(1, len(calls) * len(self._rows)))
        for index, (memory, size) in enumerate(row for call in prepared for row in call):
            rows[index].data = ffi.cast("void *", memory)
            rows[index].bytes = size
        number = _checked(lib.tandem_submit(self._number, rows, len(self._rows), len(calls), queue))
        results = [self._read(ffi, call) for call in prepared]
        return Event(self.machine, number, results if together else results[0], prepared)

    def _prepared(self, ffi: Any, arguments: Sequence[Any]) -> list[tuple[Any, int]]:
        """Memory and size of each row of the interface."""
        if len(arguments) != len(self.parameters):
            names = ", ".join(row["name"] for row in self.parameters)
            raise user_error(
                "argument",
                f"{self.name} takes {len(self.parameters)} arguments, {len(arguments)} were given",
                help=f"they are: {names}",
            )
        given = iter(arguments)
        return [
            _empty(ffi, row) if _is_result(row) else _memory(ffi, row, next(given))
            for row in self._rows
        ]

    def _read(self, ffi: Any, prepared: list[tuple[Any, int]]) -> Any:
        for row, (memory, size) in zip(self._rows, prepared, strict=True):
            if _is_result(row):
                kind = self._result or np.dtype(f"<{'f' if row['float_bytes'] else 'u'}{size}")
                return np.frombuffer(ffi.buffer(memory, size), kind)[0]
        return None


class Event:
    """What was submitted. Its values are there from the start, as the C function left them; a
    program that reads them before it has waited would find others on a real device."""

    def __init__(self, machine: Machine, number: int, result: Any, kept: Any) -> None:
        self._machine = machine
        self._number = number
        self._result = result
        self._kept = kept
        self._machine._events[number] = self

    def wait(self, timeout_s: float | None = None) -> Any:
        """Lets simulated time pass until it has ended, and returns what the C function returned.

        Raises TimedOut if it has not ended after so long (it goes on, and may be waited for again);
        DeviceFailed; UserError if it was waited for, or given up, before."""
        _, lib = self._machine._engine()
        most_ps = FOREVER_PS if timeout_s is None else _picoseconds(timeout_s)
        try:
            _checked(lib.tandem_wait(self._number, most_ps))
        except TimedOut:
            raise
        except TandemError:
            self._forget()
            raise
        self._forget()
        return self._result

    def cancel(self) -> None:
        """Gives it up: it ends where it stands on the simulated clock."""
        _, lib = self._machine._engine()
        self._forget()
        _checked(lib.tandem_cancel(self._number))

    def _forget(self) -> None:
        self._kept = None
        self._machine._events.pop(self._number, None)


def _given(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What a program gives: of a struct whose members are arguments, the struct, which is written
    where one of them is."""
    changed = {r["part"]["argument"] for r in rows if r["part"] and r["direction"] != "in"}
    return [
        {**row, "direction": "inout"} if i in changed else row
        for i, row in enumerate(rows)
        if not row["part"]
    ]


def _is_result(row: Mapping[str, Any]) -> bool:
    return row["kind"] == "scalar" and row["direction"] == "out"


def _empty(ffi: Any, row: Mapping[str, Any]) -> tuple[Any, int]:
    return ffi.new("char[]", row["element_bytes"]), row["element_bytes"]


def _memory(ffi: Any, row: Mapping[str, Any], value: Any) -> tuple[Any, int]:
    if row["kind"] == "scalar":
        data = _number(row, value)
        return ffi.new("char[]", data), len(data)
    is_written = row["direction"] != "in"
    _require_same_floats(row, value)
    try:
        memory = ffi.from_buffer(value, require_writable=is_written)
    except (TypeError, ValueError, BufferError) as error:
        raise user_error(
            "argument",
            f"argument {row['name']}: {error}",
            help=f"a {'writable ' if is_written else ''}contiguous buffer, such as a numpy array",
        ) from None
    return memory, len(memory)


def _require_same_floats(row: Mapping[str, Any], value: Any) -> None:
    """Raises UserError for an array of floating-point numbers of another size than the C's."""
    kind = getattr(value, "dtype", None)
    size = row["float_bytes"]
    if (
        size
        and isinstance(kind, np.dtype)
        and np.issubdtype(kind, np.floating)
        and kind.itemsize != size
    ):
        raise user_error(
            "argument",
            f"argument {row['name']}: an array of {kind}, where the C has float{8 * size}",
            help=f"give one of np.float{8 * size}",
        )


def _number(row: Mapping[str, Any], value: Any) -> bytes:
    """The bytes of a number that goes by value."""
    size, float_bytes = row["element_bytes"], row["float_bytes"]
    try:
        if float_bytes:
            return np.array(float(value), f"<f{float_bytes}").tobytes()
        number = value.__index__()
        return number.to_bytes(size, "little", signed=number < 0)
    except (AttributeError, TypeError, ValueError):
        kind = "a number" if float_bytes else "a whole number"
        message = f"argument {row['name']}: expected {kind}, got {value!r:.60}"
    except OverflowError:
        message = f"argument {row['name']}: {value} does not fit {size} bytes"
    raise user_error("argument", message)


def _picoseconds(seconds: float) -> int:
    if not 0 <= seconds < FOREVER_PS / PS:
        raise user_error("argument", f"{seconds} s: expected a time from 0 s on")
    return round(seconds * PS)


def _checked(answer: int) -> int:
    if answer >= 0:
        return answer
    ffi, lib = c_interface()
    text = ffi.string(lib.tandem_error()).decode()
    if answer == BAD_PLATFORM:
        raise UserError(*findings(text))
    kind, code = _ERRORS.get(answer, (InternalError, "engine"))
    raise kind(Diagnostic(code, text))
