# SPDX-License-Identifier: Apache-2.0
"""The engine's C interface from Python: checking and reading platform files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, Place, UserError, user_error
from tandem.installation import data_file, known


def platforms() -> list[str]:
    """The names of platforms with devices beside a host."""
    return [name for name in known("platforms") if not is_chip(find_platform(name))]


def chips() -> list[str]:
    """The names of those that are systems on one chip."""
    return [name for name in known("platforms") if is_chip(find_platform(name))]


def is_chip(platform: Path) -> bool:
    """Whether a platform file is one of a system on one chip."""
    _, lib = c_interface()
    return lib.tandem_platform_is_chip(os.fsencode(platform)) == 1


def find_platform(name: str) -> Path:
    """The file of a platform given by its name or as a path.

    Raises UserError that lists the known ones."""
    if name in known("platforms"):
        return data_file("platforms", f"{name}.toml")
    path = Path(name)
    if path.suffix == ".toml" and path.is_file():
        return path
    raise user_error(
        "platform",
        f"unknown platform `{name}`",
        help=f"known are: {', '.join(known('platforms'))}; or give the path of a .toml file",
    )


def read_platform(path: Path, changes: Sequence[str] = ()) -> dict[str, Any]:
    """A platform's numbers, in ps, bytes and bytes a second, checked (docs/schemas/platform.json).
    `changes`: what shall be otherwise than the file says, each `component.number=value`.

    Raises UserError with every finding of the file and the changes."""
    ffi, lib = c_interface()
    name, changed = os.fsencode(path), changes_text(changes).encode()
    if is_chip(path):
        raise user_error(
            "platform",
            "the platform is a system on one chip, and this needs devices beside a host",
            Place(str(path)),
            "`tandem run` runs applications on chips; docs/chips.md has what else does",
        )
    if lib.tandem_platform_check(name, changed) < 0:
        raise UserError(*findings(ffi.string(lib.tandem_error()).decode()))
    numbers = read_json(lambda text, size: lib.tandem_platform_json(name, changed, text, size))
    return {"format": "tandem-platform", "format_version": 2, **numbers}


def changes_text(changes: Sequence[str]) -> str:
    """Changes of a platform as the engine takes them."""
    return "\n".join(changes)


def c_interface() -> tuple[Any, Any]:
    """The engine's cffi interface; loaded when first asked for, since most commands need none."""
    from tandem._engine import tandem

    return tandem.ffi, tandem.lib


def read_json(write: Callable[[Any, int], int]) -> Any:
    """What `write` writes into a buffer of so many bytes, of which it returns how many it takes
    without the final zero; it may take more the next time."""
    ffi, _ = c_interface()
    room = 0
    while True:
        text = ffi.new("char[]", room + 1)
        needed = write(text, room + 1)
        if needed <= room:
            return json.loads(ffi.string(text).decode())
        room = needed


def findings(text: str) -> list[Diagnostic]:
    """The engine's `FILE:LINE: error: ...` lines as diagnostics."""
    found = []
    for entry in text.split("\n"):
        parts = entry.split(": error: ", 1)
        if len(parts) == 2:
            file, _, line = parts[0].rpartition(":")
            place = Place(file, int(line)) if line.isdigit() else Place(parts[0])
            found.append(Diagnostic("platform-file", parts[1], place))
        elif found:
            last = found[-1]
            found[-1] = Diagnostic(last.code, f"{last.message}\n{entry}", last.place)
        else:
            found.append(Diagnostic("platform-file", entry))
    return found
