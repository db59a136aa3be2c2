# SPDX-License-Identifier: Apache-2.0
"""What a build depends on: the recipe, known at once, and the files that it reads."""

from __future__ import annotations

import hashlib
import importlib.metadata
import itertools
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tandem.frontend.directives.asked import file_beside
from tandem.frontend.program import CFile, Program
from tandem.installation import DATA, ENGINE, HERE, tandem_version
from tandem.languages.discovery import Given
from tandem.languages.known import language_of

TOOLS = ("ziglang", "llvmlite", "pycde", "highspy")
# Variables that change what clang reads or writes.
VARIABLES = (
    "TANDEM_CLANG",
    "TANDEM_FLANG",
    "CPATH",
    "C_INCLUDE_PATH",
    "LIBRARY_PATH",
    "SOURCE_DATE_EPOCH",
)
FOLDER_FLAGS = ("-I", "-iquote", "-isystem", "-idirafter")

_CLOCK_MACROS = re.compile(rb"__(?:DATE|TIME|TIMESTAMP)__")


def recipe(main: Path, facts: dict[str, Any], given: Given) -> str:
    """The name of what is asked for: `facts`, what is known of the program of a `main` file, the
    tools, and where they run."""
    languages = dict.fromkeys(language_of(path) for path in (main, *given.sources))
    parts = {
        "facts": facts,
        "given": [list(map(str, given.sources)), given.flags, given.link],
        "offered": [[name, str(path)] for name, path in given.offered],
        "linked": [[str(file.path), file.flags] for file in given.linked],
        "commands": str(given.compile_commands),
        "directives": [given.directives, list(map(str, given.directive_files))],
        "folder": os.getcwd(),
        "variables": {name: os.environ.get(name) for name in VARIABLES},
        "tandem": [tandem_version(), fingerprint()],
        "compilers": [language.recipe() for language in languages],
        "tools": {name: importlib.metadata.version(name) for name in TOOLS},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def fingerprint() -> str:
    """A hash of Tandem itself: its code, its targets, its headers, what chips start with and its
    engine."""
    total = hashlib.sha256()
    code = (p for p in HERE.rglob("*.py") if DATA not in p.parents)
    data = [*(DATA / "targets").glob("*.toml"), *(DATA / "include").glob("*.h"), ENGINE]
    data += (DATA / "library" / "chip").glob("*")
    for path in sorted([*code, *data]):
        total.update(f"{path}\0{path.stat().st_size}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def files_read(program: Program, given: Given) -> list[Path]:
    """Every file that compiling the program reads, and those that are not there but would be read
    in place of one: a header in an earlier folder, a C file beside a header, a library."""
    found: dict[Path, None] = {}
    for file in program.files:
        read = language_of(file.path).everything_read(file)
        found.update(dict.fromkeys(read))
        found.update(dict.fromkeys(_shadows(file, read)))
    found.update(dict.fromkeys(map(file_beside, program.paths)))
    found.update(dict.fromkeys(given.directive_files))
    found.update(dict.fromkeys(_libraries(program.link)))
    if given.compile_commands is not None:
        folder = given.compile_commands
        found.update(dict.fromkeys([folder, folder / "compile_commands.json"]))
    return list(found)


def _shadows(file: CFile, read: Sequence[Path]) -> Iterator[Path]:
    folders = [file.path.parent, *_folders(file.flags)]
    for path in read:
        yield path.with_suffix(".c")
        names = {Path(path.name), Path(*path.parts[-2:])} if len(path.parts) > 1 else {path}
        names |= {path.relative_to(folder) for folder in folders if folder in path.parents}
        yield from (folder / name for folder in folders for name in names if not name.is_absolute())


def _folders(flags: Sequence[str]) -> Iterator[Path]:
    for word, following in itertools.pairwise([*flags, ""]):
        option = next((o for o in FOLDER_FLAGS if word.startswith(o)), None)
        if option:
            yield Path(word[len(option) :] or following)


def _libraries(link: Sequence[str]) -> Iterator[Path]:
    folders = [Path(word[2:]) for word in link if word.startswith("-L")]
    for name in (word[2:] for word in link if word.startswith("-l")):
        yield from (folder / f"lib{name}{end}" for folder in folders for end in (".so", ".a"))


def tells_the_time(program: Program) -> bool:
    """Whether a C file says when it was compiled, and so is never the same twice."""
    return any(_CLOCK_MACROS.search(path.read_bytes()) for path in program.paths)
