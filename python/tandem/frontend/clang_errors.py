# SPDX-License-Identifier: Apache-2.0
"""What clang's, the linker's and zig's words mean: whose fault it is, where, and what helps."""

from __future__ import annotations

import re
import resource
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tandem.diagnostics import Diagnostic, InternalError, Place, TandemError, UserError, user_error
from tandem.files import TEMPORARY

LEAST_FREE_BYTES = 1 << 20
FULL = ("No space left", "NoSpaceLeft", "File too large", "FileTooBig", "Disk quota")

_PLACED = re.compile(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
_UNPLACED = re.compile(r"^(?:(?:clang|zig|ld\.lld|fatal)[\w. -]*: )?error: (.*)$", re.M)
_UNDEFINED = re.compile(
    r"error: undefined symbol: (.*)\n(?:>>> referenced by (.*?)(?::(\d+))?(?: \(.*\))?\n)?"
)
_DUPLICATE = re.compile(r"error: duplicate symbol: (.*)\n>>> defined at (.*?)(?::(\d+))?(?: .*)?\n")
_LIBRARY = re.compile(r"error: unable to find (?:dynamic system )?library (?:\S*\s)??[\"']?-?(\S+)")
_BYTE_ORDER = re.compile(r"error: (UTF-\d+ .*?byte order mark) detected in '(.*)'")


def failure(stderr: str, written: Iterable[Path]) -> TandemError:
    """The error of a call of clang that failed; `written` are folders that it wrote to."""
    found = _PLACED.findall(stderr)
    if found and not any(word in text for word in FULL for _, _, text in found):
        return _in_c(found)
    if any(word in stderr for word in FULL) or _is_full(written):
        return disk_full()
    return _linker(stderr) or _without_place(stderr)


def disk_full() -> UserError:
    """Said when there is no room for clang's output."""
    return user_error(
        "disk-full",
        "the compiler could not write its output: the disk is full",
        help="free some space, or choose another folder with -o or $TMPDIR",
    )


def has_no_room(status: int, folders: Iterable[Path]) -> bool:
    """Whether a compiler that ended with a status failed for want of room on a disk."""
    is_limited = resource.getrlimit(resource.RLIMIT_FSIZE)[0] >= 0
    return bool(status) and ((status < 0 and is_limited) or _is_full(folders))


def _is_full(folders: Iterable[Path]) -> bool:
    """Whether a disk has no room: some full ones show only as a failure without a word."""
    return any(
        shutil.disk_usage(folder).free < LEAST_FREE_BYTES for folder in folders if folder.is_dir()
    )


def _in_c(found: list[tuple[str, str, str]]) -> TandemError:
    diagnostics = [Diagnostic("c", text, Place(file, int(line))) for file, line, text in found]
    own = [d for d in diagnostics if d.place and _is_generated(d.place.file)]
    if own:
        return InternalError(*(Diagnostic("generated-c", d.message, d.place) for d in own))
    return UserError(*diagnostics)


def _is_generated(file: str) -> bool:
    """In a temporary folder is C that Tandem wrote."""
    folder = Path(file).parent
    return folder.name.startswith(TEMPORARY) and folder.parent == Path(tempfile.gettempdir())


def _linker(stderr: str) -> UserError | None:
    undefined = {m[1]: _place(m[2], m[3]) for m in _UNDEFINED.finditer(stderr)}
    if undefined:
        return UserError(
            *(
                Diagnostic(
                    "undefined",
                    f"`{name}` is used, and no file of the program defines it",
                    place,
                    "give its C file with --source, or its library with -l",
                )
                for name, place in undefined.items()
            )
        )
    twice = _DUPLICATE.findall(stderr)
    if twice:
        cure = "make one of the definitions static, or leave one of the files out"
        return UserError(
            *(
                Diagnostic("defined-twice", f"`{name}` is defined twice", _place(file, line), cure)
                for name, file, line in twice
            )
        )
    library = _LIBRARY.search(stderr)
    if library:
        name = library[1].strip("\"'")
        return user_error("library", f"no library `{name}`", help="name its folder with -L")
    return None


def _place(file: str | None, line: str | None) -> Place | None:
    return Place(file, int(line or 0)) if file else None


def _without_place(stderr: str) -> TandemError:
    byte_order = _BYTE_ORDER.search(stderr)
    if byte_order:
        return user_error(
            "encoding", f"a {byte_order[1]}", Place(byte_order[2]), "save the file as UTF-8"
        )
    said = list(dict.fromkeys(_UNPLACED.findall(stderr)))
    if said:
        cure = "look at the flags of --cflags or compile_commands.json, and at $TANDEM_CLANG"
        return UserError(*(Diagnostic("compiler", text, None, cure) for text in said))
    words = stderr.strip()[-2000:] or "it said nothing"
    return InternalError(Diagnostic("clang", f"clang failed: {words}"))
