# SPDX-License-Identifier: Apache-2.0
"""Drivers of kernels in shells on a chip (docs/chips.md): the function's arguments go to the shell
word by word, it is started and waited for, and what it has written comes back. Registers are
reached by Linux UIO, or by anything that reads and writes words."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

CONTROL, DATA_IN, DATA_OUT = 0, 4, 8
CHOOSE, START, SEND, DONE = 1, 2, 3, 1
WORD_BYTES = 4
UIO_NAME = "tandem"
SYSTEM = Path("/sys/class/uio")


class Registers(Protocol):
    """The registers of all shells; offsets are bytes from the first shell's first register on,
    words have 32 bits."""

    def read(self, offset: int) -> int: ...

    def write(self, offset: int, word: int) -> None: ...


class Uio:
    """Registers by Linux UIO. `size`: bytes that they have; `device`: its file; else $TANDEM_UIO
    names it, or it is the one that is called `tandem` (linux/tandem.dtsi).

    Raises OSError where there is none, or it cannot be opened."""

    def __init__(self, size: int, device: str | None = None) -> None:
        path = Path(device or os.environ.get("TANDEM_UIO") or _device())
        self._first = _first(path)
        file = os.open(path, os.O_RDWR | os.O_SYNC)
        try:
            self._map = mmap.mmap(file, self._first + size)
        finally:
            os.close(file)

    def read(self, offset: int) -> int:
        """The word of a register."""
        return self._word(offset).value

    def write(self, offset: int, word: int) -> None:
        """Has a register get a word."""
        self._word(offset).value = word

    def _word(self, offset: int) -> ctypes.c_uint32:
        # One access of 32 bits, where slices of the map would copy bytes.
        return ctypes.c_uint32.from_buffer(self._map, self._first + offset)


def _device() -> Path:
    for found in sorted(SYSTEM.glob("uio*")):
        if (found / "name").read_text().strip() == UIO_NAME:
            return Path("/dev", found.name)
    raise FileNotFoundError(f"no UIO device is called `{UIO_NAME}`: name its file in $TANDEM_UIO")


def _first(device: Path) -> int:
    """Where in its map the registers begin. Bytes."""
    told = SYSTEM / device.name / "maps" / "map0" / "offset"
    return int(told.read_text(), 16) if told.exists() else 0


@dataclass(frozen=True)
class Number:
    """A number, as `struct` packs it, and between what the kernel serves it: as a pattern, so that
    negative numbers are the greatest."""

    name: str
    format: str
    least: int = 0
    most: int | None = None

    def data(self, value: Any) -> bytes:
        try:
            packed = struct.pack(self.format, value)
        except struct.error as error:
            raise OverflowError(f"`{self.name}`: {error}") from None
        pattern = int.from_bytes(packed, "little")
        if pattern < self.least or (self.most is not None and pattern > self.most):
            raise ValueError(f"`{self.name}` is {value}: served from {self.least} to {self.most}")
        return packed


@dataclass(frozen=True)
class Array:
    """An array: how many bytes the shell has room for, how many of them a call uses, which is at
    most so many if it `is_bound`, and whether it goes to the shell and comes back. `is_number`:
    extents of others ask for all of its bytes."""

    name: str
    room: int
    used: Callable[[dict[str, int]], int]
    is_given: bool = False
    is_taken: bool = False
    is_bound: bool = False
    is_number: bool = False


@dataclass(frozen=True)
class Kernel:
    """A kernel in its shell: arguments by their numbers there, the number and format of its result,
    and pairs of arrays that must not overlap: by their places, and whether both may be one.
    `is_link`: words have to be asked for before they are read."""

    offset: int
    arguments: dict[int, Number | Array]
    result: tuple[int, str] | None
    meetings: Sequence[tuple[int, int, bool]]
    is_link: bool


def call(registers: Registers, kernel: Kernel, values: Sequence[Any]) -> Any:
    """Calls a kernel; one call at a time. `values`: of each argument but the result, in order."""
    given = dict(zip(kernel.arguments, values, strict=True))
    data = _data(kernel, given)
    _require_apart(kernel, data)
    for number, argument in kernel.arguments.items():
        if isinstance(argument, Number) or argument.is_given:
            _give(registers, kernel.offset, number, data[number])
    registers.write(kernel.offset + CONTROL, START)
    while not registers.read(kernel.offset + CONTROL) & DONE:
        pass
    for number, argument in kernel.arguments.items():
        if isinstance(argument, Array) and argument.is_taken:
            data[number][:] = _take(registers, kernel, number, len(data[number]))
    if kernel.result is None:
        return None
    number, form = kernel.result
    taken = _take(registers, kernel, number, struct.calcsize(form))
    return struct.unpack(form, taken)[0]


def _data(kernel: Kernel, given: dict[int, Any]) -> dict[int, memoryview]:
    """The bytes that a call uses of each argument."""
    data: dict[int, memoryview] = {}
    patterns: dict[str, int] = {}
    arrays: dict[int, Array] = {}
    for number, argument in kernel.arguments.items():
        if isinstance(argument, Number):
            data[number] = memoryview(argument.data(given[number]))
            patterns[argument.name] = int.from_bytes(data[number], "little")
        else:
            arrays[number] = argument
            data[number] = _bytes(argument, given[number])
            if argument.is_number:
                patterns[argument.name] = int.from_bytes(data[number][: argument.room], "little")
    for number, argument in arrays.items():
        data[number] = _used(argument, data[number], argument.used(patterns))
    return data


def _bytes(argument: Array, value: Any) -> memoryview:
    try:
        view = memoryview(value)
        return view.cast("B") if view.nbytes else memoryview(bytearray())
    except TypeError as error:
        raise TypeError(f"`{argument.name}`: {error}") from None


def _used(argument: Array, view: memoryview, used: int) -> memoryview:
    used = min(used, len(view)) if argument.is_bound else used
    if not 0 <= used <= argument.room:
        raise ValueError(
            f"the call uses {used} bytes of `{argument.name}`: the shell has room for "
            f"{argument.room}"
        )
    if used > len(view):
        raise ValueError(f"`{argument.name}` has {len(view)} bytes, and the call uses {used}")
    if used and argument.is_taken and view.readonly:
        raise TypeError(f"`{argument.name}` is written, and cannot be: give a bytearray")
    return view[:used]


def _require_apart(kernel: Kernel, data: dict[int, memoryview]) -> None:
    for one, other, may_be_one in kernel.meetings:
        first, second = _address(data[one]), _address(data[other])
        apart = first + len(data[one]) <= second or second + len(data[other]) <= first
        if not apart and not (may_be_one and first == second):
            names = [kernel.arguments[number].name for number in (one, other)]
            raise ValueError(f"`{names[0]}` and `{names[1]}` overlap: give a copy of one")


class _View(ctypes.Structure):
    """Py_buffer, of which only the beginning is looked at."""

    _fields_ = (("address", ctypes.c_void_p), ("rest", ctypes.c_byte * 256))


def _address(view: memoryview) -> int:
    """Where in this process the bytes lie."""
    found = _View()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(found), 0)
    api.PyBuffer_Release(ctypes.byref(found))
    return found.address or 0


def _give(registers: Registers, offset: int, argument: int, data: memoryview) -> None:
    registers.write(offset + CONTROL, CHOOSE | argument << 8)
    for place in range(0, len(data), WORD_BYTES):
        word = int.from_bytes(data[place : place + WORD_BYTES], "little")
        registers.write(offset + DATA_IN, word)


def _take(registers: Registers, kernel: Kernel, argument: int, size: int) -> bytes:
    words = -(-size // WORD_BYTES)
    registers.write(kernel.offset + CONTROL, CHOOSE | argument << 8)
    if kernel.is_link:
        registers.write(kernel.offset + CONTROL, SEND | words << 8)
    taken = [registers.read(kernel.offset + DATA_OUT) for _ in range(words)]
    return b"".join(word.to_bytes(WORD_BYTES, "little") for word in taken)[:size]


def signed(value: int, bits: int) -> int:
    """What a pattern of so many bits means with a sign."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def quotient(a: int, b: int, otherwise: int) -> int:
    """Towards zero, as C divides; `otherwise`: by zero."""
    if b == 0:
        return otherwise
    return abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))
