# SPDX-License-Identifier: Apache-2.0
"""Reading a package's manifest, which may come from anybody: all of it is checked before any other
file of the package is opened, and no code is loaded. docs/package.md describes it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from tandem.diagnostics import Place, UserError, user_error
from tandem.files import in_the_way

FORMAT, FORMAT_VERSION = "tandem-package", 12
MANIFEST = "manifest.json"
SCHEDULE = "schedule.json"
HARDWARE = ("kernel.sv", "kernel.ir", SCHEDULE)
CALLED = ("driver.h", "ahead.so", "rtl.so")
"""What only a package has whose kernel is called, by a program with the C function in it."""
OPENED = (*CALLED, "function.so")
"""What one has that programs without the C function open."""
Registers = Literal["needed", "shown", "counted"]
"""Which registers of the Verilog the RTL's model has: those that it needs, or all, which it shows,
or counts toggles of."""
FILES = (*HARDWARE, *OPENED)
MACROS = "macros.sv"
"""The users' own modules, of a kernel that has any."""
LARGEST_MANIFEST_BYTES = 64 << 20
LARGEST_FILE_BYTES = 4 << 30
LARGEST_NUMBER = 1 << 62
AGAIN = "build the package again with `tandem build`"

Check = Callable[[Any], bool]


def _number(least: int, most: int = LARGEST_NUMBER) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def _optional(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _text(pattern: str) -> Check:
    form = re.compile(pattern)
    return lambda value: isinstance(value, str) and form.fullmatch(value) is not None


def _record(rows: Mapping[str, Check]) -> Check:
    """An object with at least these members."""
    return lambda value: (
        isinstance(value, dict)
        and all(name in value and check(value[name]) for name, check in rows.items())
    )


def _list(row: Check) -> Check:
    return lambda value: isinstance(value, list) and all(row(item) for item in value)


def _table(key: Check, row: Check) -> Check:
    return lambda value: (
        isinstance(value, dict) and all(key(k) and row(v) for k, v in value.items())
    )


NAME = _text(r"[^\W\d][\w$]{0,1000}")
IN_STRUCT = _text(r"[^\W\d][\w$.]{0,1000}")
"""An argument's name: `view.first` is a member of a struct."""
HASH = _text(r"[0-9a-f]{64}")
FIELD = _record(
    {
        "argument": _number(0, 1 << 32),
        "byte": _number(-(1 << 63), 1 << 63),
        "open": lambda value: isinstance(value, bool),
    }
)
PART = _record(
    {
        "argument": _number(0, 1 << 32),
        "byte": _number(0),
        "bytes": _number(1),
    }
)
ARGUMENT = _record(
    {
        "name": IN_STRUCT,
        "kind": _text("stream|memory|block|scalar|place"),
        "direction": _text("in|out|inout"),
        "element_bytes": _number(1, 1 << 32),
        "float_bytes": _number(0, 8),
        "reads": lambda value: isinstance(value, bool),
        "is_parameter": lambda value: isinstance(value, bool),
        "grows": lambda value: isinstance(value, bool),
        "extent": _text("exact|bound|declared|typed|observed"),
        "extent_bytes": lambda value: isinstance(value, str),
        "stays_bytes": _number(0),
        "field": _optional(FIELD),
        "part": _optional(PART),
        "joins": _list(_number(0, 1 << 32)),
        "made": lambda value: isinstance(value, bool),
        "least": _number(0),
        "most": _optional(_number(0)),
    }
)
FILE = _record({"bytes": _number(0, LARGEST_FILE_BYTES), "sha256": HASH})
GIVEN = _record({"stream": IN_STRUCT, "cycle": _number(0), "depth": _number(1, 1 << 32)})
LOOP = _record(
    {
        "file": _text(r".+"),
        "line": _number(0),
        "depth": _number(1),
        "ii": _optional(_number(1)),
        "length_cycles": _optional(_number(0)),
        "limit": lambda value: isinstance(value, str),
        "takes": _list(IN_STRUCT),
        "gives": _list(GIVEN),
    }
)
PORT = _record(
    {
        "name": _text(r"\w+"),
        "protocol": _text(r"[a-z_]+"),
        "role": _text(r"[a-z_]+"),
        "direction": _text("in|out"),
        "bits": _number(1, 1 << 32),
        "argument": _optional(_number(0, 1 << 32)),
    }
)
FIFO = _record({"name": NAME, "record_bits": _number(1), "depth": _number(1, 1 << 32)})
MEMBERS: dict[str, Check] = {
    "tandem_version": _text(r"[\w.+-]{1,100}"),
    "kernel": NAME,
    "target": _text(r"[\w.-]{1,100}"),
    "clock_ps": _number(1, 10**12),
    "ii": _optional(_number(1)),
    "latency_cycles": _optional(_number(0)),
    "has_floats": lambda value: isinstance(value, bool),
    "prints": lambda value: isinstance(value, bool),
    "polls": lambda value: isinstance(value, bool),
    "arguments": _list(ARGUMENT),
    "ports": _list(PORT),
    "loops": _list(LOOP),
    "fifos": _list(FIFO),
    "in_place": _list(
        lambda pair: isinstance(pair, list) and len(pair) == 2 and all(map(IN_STRUCT, pair))
    ),
    "files": lambda value: (
        isinstance(value, dict)
        and set(value) - {MACROS} in [{*HARDWARE, *models} for models in ((), CALLED, OPENED)]
        and all(FILE(row) for row in value.values())
    ),
    "sources": _table(lambda name: isinstance(name, str), HASH),
    "tools": _table(lambda name: isinstance(name, str), lambda value: isinstance(value, str)),
}


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a package folder, its files checked against it.

    Raises UserError for a package of another version, cut short or changed."""
    place = Place(str(path / MANIFEST))
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _damaged(f"cannot open the folder: {error.strerror}", place) from error
    try:
        manifest = _parsed(_read(folder, MANIFEST, None, place), place)
        for name, wanted in manifest["files"].items():
            data = _read(folder, name, wanted["bytes"], place)
            if hashlib.sha256(data).hexdigest() != wanted["sha256"]:
                raise _damaged(f"`{name}` has been changed", place)
        return manifest
    finally:
        os.close(folder)


def verilog_files(kernel: Path) -> list[Path]:
    """The Verilog of a kernel, from its file: that, and the users' own modules beside it."""
    macros = kernel.with_name(MACROS)
    return [kernel, macros] if macros.is_file() else [kernel]


def is_package(path: Path) -> bool:
    """Whether a folder is a package, of whatever version and state, with no other files in it."""
    try:
        file = path / MANIFEST
        if not file.is_file() or file.stat().st_size > LARGEST_MANIFEST_BYTES:
            return False
        manifest = json.loads(file.read_bytes())
        names = {entry.name for entry in path.iterdir()}
    except (OSError, ValueError, RecursionError):
        return False
    is_ours = isinstance(manifest, dict) and manifest.get("format") == FORMAT
    return is_ours and names <= {MANIFEST, MACROS, *FILES}


def require_package_place(path: Path) -> None:
    """Raises UserError if `path` is something else than a package or nothing."""
    if path.is_symlink() or (path.exists() and not is_package(path)):
        raise in_the_way(path, "something of this name is there already")


def _read(folder: int, name: str, size_bytes: int | None, place: Place) -> bytes:
    """A file of the open `folder`, whose size is that of the manifest (None: any that is not too
    large). Neither links nor FIFOs nor devices are opened."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise _damaged(f"`{name}` is no file", place)
        handle = os.open(name, flags, dir_fd=folder)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle).st_size
            if size_bytes is not None and found != size_bytes:
                raise _damaged(f"`{name}` is cut short or has been changed", place)
            if found > LARGEST_MANIFEST_BYTES and size_bytes is None:
                raise _damaged(f"`{name}` has {found} bytes", place)
            return file.read(found)
    except OSError as error:
        raise _damaged(f"it is incomplete: `{name}`: {error.strerror}", place) from error


def _parsed(data: bytes, place: Place) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _damaged(f"it is no JSON: {error}", place) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _version("this is no package", place)
    version = manifest.get("format_version")
    if version != FORMAT_VERSION:
        text = f"its format version is {version!r:.40}, this Tandem reads {FORMAT_VERSION}"
        raise _version(text, place)
    for name, check in MEMBERS.items():
        if name not in manifest:
            raise _damaged(f"the manifest has no `{name}`", place)
        if not check(manifest[name]):
            raise _damaged(f"the manifest's `{name}` is not what it should be", place)
    return manifest


def _damaged(message: str, place: Place) -> UserError:
    return user_error("package-damaged", message, place, AGAIN)


def _version(message: str, place: Place) -> UserError:
    return user_error("package-version", message, place, AGAIN)
