# SPDX-License-Identifier: Apache-2.0
"""Reading `compile_commands.json`, in which build systems say how they compile each file."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.program import CFile

FILE_NAME = "compile_commands.json"
CURE = "write it anew with the build system (`cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, `bear`)"

# What a command says about its outputs, which are not ours: alone, or with a value behind it.
DROPPED = {"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-MV", "-pipe"}
DROPPED_WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "-MJ"}
# Options whose value is a path; relative ones are meant from the entry's `directory`.
PATHS = ("-isystem", "-iquote", "-idirafter", "-imacros", "-include", "-I", "-L")


@dataclass(frozen=True)
class CompileCommands:
    """The entries of a file, by the resolved path of the C file."""

    path: Path
    entries: dict[Path, CFile]

    def entry(self, source: Path) -> CFile:
        """The entry of a C file under the name the user gave it. Raises UserError without one."""
        found = self.entries.get(source.resolve())
        if found is None:
            raise user_error(
                "compile-commands",
                f"no entry for {source}",
                Place(str(self.path)),
                "give the main file by a path that the build compiles, or build it once with it",
            )
        return CFile(source, found.flags)

    def named(self, stem: str) -> Path | None:
        """The only C file of that name, or None."""
        found = [file.path for file in self.entries.values() if file.path.stem == stem]
        return found[0] if len(found) == 1 else None


def read_compile_commands(path: Path) -> CompileCommands:
    """The entries of a `compile_commands.json`, given by its path or its folder.

    Raises UserError where it cannot be read."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        rows = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(file, f"cannot be read: {error}") from error
    if not isinstance(rows, list):
        raise _unreadable(file, "a list of entries is expected")
    return CompileCommands(file, dict(_entry(file, i, row) for i, row in enumerate(rows)))


def _unreadable(file: Path, message: str) -> UserError:
    return user_error("compile-commands", message, Place(str(file)), CURE)


def _entry(file: Path, number: int, row: Any) -> tuple[Path, CFile]:
    try:
        directory = file.parent / row["directory"]
        source = directory / row["file"]
        words = row["arguments"] if "arguments" in row else shlex.split(row["command"])
        flags = own_flags([str(word) for word in words[1:]], directory, source)
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable(file, f"entry {number} is not complete: {error!r}") from error
    return source.resolve(), CFile(Path(os.path.relpath(source)), tuple(flags))


def own_flags(words: list[str], directory: Path, source: Path | None) -> list[str]:
    """The flags of a command line without the C file and the outputs; relative paths as they are
    meant from `directory`."""
    flags: list[str] = []
    rest = iter(words)
    for word in rest:
        option = next((o for o in PATHS if word.startswith(o)), None)
        if word in DROPPED_WITH_VALUE:
            next(rest, None)
        elif word in DROPPED or word == "--" or word.startswith(("-o", "-MF", "-MT", "-MQ")):
            continue
        elif option is not None:
            value = word[len(option) :] or next(rest, "")
            flags += [option, str(directory / value)]
        elif word.startswith("-") or not _is(source, directory / word):
            flags.append(word)
    return flags


def _is(source: Path | None, path: Path) -> bool:
    return source is not None and path.resolve() == source.resolve()
