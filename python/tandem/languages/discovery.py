# SPDX-License-Identifier: Apache-2.0
"""Which C files a program consists of: from what the user says, or from main's headers."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tandem.diagnostics import Place, user_error
from tandem.frontend.directives.asked import asked_beside, read_asked
from tandem.frontend.program import CFile, Program
from tandem.languages.compile_commands import CompileCommands, read_compile_commands
from tandem.languages.known import is_source, known_suffixes, language_of


@dataclass(frozen=True)
class Given:
    """What the user says of a program beside its main file. `flags` are for every file;
    `directives`: as `--directive` has them; `directive_files`: TOML with such; `offered`:
    functions, each with a C file that has it, for programs that have none; `linked`: all files,
    each with its own flags, of a program that was linked already: then none is looked for."""

    sources: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    compile_commands: Path | None = None
    directives: tuple[str, ...] = ()
    directive_files: tuple[Path, ...] = ()
    offered: tuple[tuple[str, Path], ...] = ()
    linked: tuple[CFile, ...] = ()


def find_program(main: Path, given: Given | None = None) -> Program:
    """The program of `main`. Without sources in `given`, each header that a file includes by a
    quoted name or from a folder of its flags brings the C file beside that header (or the one of
    its name in `compile_commands.json`), and so on; a C file that another one includes is part of
    that.

    Raises UserError if a file cannot be read or has no entry."""
    given = given or Given()
    for path in (main, *given.sources):
        _require(path)
    commands = read_compile_commands(given.compile_commands) if given.compile_commands else None
    first = _with_flags(main, given, commands)
    if given.linked:
        files = list(given.linked)
    elif given.sources:
        others = _unlike(main, given.sources)
        files = [first, *(_with_flags(path, given, commands, first) for path in others)]
    else:
        files = _discovered(first, given, commands)
    files += _wanted_of(given.offered, files, given)
    asked = read_asked(given.directives, given.directive_files)
    files = [replace(file, asked=(*asked_beside(file.path), *asked)) for file in files]
    threads = ("-pthread",) if any("-pthread" in file.flags for file in files) else ()
    needed = dict.fromkeys(w for file in files for w in language_of(file.path).linked(file))
    return Program(main, tuple(files), (*given.link, *needed, *threads))


def _require(path: Path) -> None:
    if not str(path).isprintable():  # nor are bytes that are not UTF-8
        raise user_error("no-source", f"cannot use the file name {str(path)!r}", help="rename it")
    if not path.exists():
        raise user_error("no-source", f"no such file: {path}", help="give the path of a source")
    wrong = ""
    if not path.is_file():
        wrong = "not a file"
    elif not is_source(path):
        wrong = "not a file of a language that is known"
    elif not os.access(path, os.R_OK):
        wrong = "you may not read this file"
    if wrong:
        cure = f"give a file that you may read, whose name ends in one of {known_suffixes()}"
        raise user_error("no-source", wrong, Place(str(path)), cure)


def _unlike(main: Path, sources: tuple[Path, ...]) -> list[Path]:
    """The sources once each, without `main`, which may be named among them."""
    seen = {main.resolve()}
    return [s for s in sources if not (s.resolve() in seen or seen.add(s.resolve()))]


def _with_flags(
    path: Path, given: Given, commands: CompileCommands | None, first: CFile | None = None
) -> CFile:
    """The file with its own flags, then those for every file. Files that the database does not
    know are compiled as `first` is, which must be known."""
    if commands is None:
        return CFile(path, given.flags)
    if first is not None and path.resolve() not in commands.entries:
        return CFile(path, first.flags)
    return CFile(path, (*commands.entry(path).flags, *given.flags))


def _discovered(first: CFile, given: Given, commands: CompileCommands | None) -> list[CFile]:
    """The files that headers bring, without those that are parts of others, as they include them:
    these are not compiled by themselves."""
    files, queue, seen, parts = [first], [first], {first.path.resolve()}, set[Path]()
    while queue:
        file = queue.pop()
        read = [path for path in read_files(file) if path.resolve() != file.path.resolve()]
        parts |= {path.resolve() for path in read if is_source(path)}
        for header in (path for path in read if path.suffix == ".h"):
            path = _source_of(header, commands)
            if path is not None and path.resolve() not in seen | parts:
                seen.add(path.resolve())
                files.append(_with_flags(path, given, commands, first))
                queue.append(files[-1])
    return [file for file in files if file is first or file.path.resolve() not in parts]


def _wanted_of(
    offered: Sequence[tuple[str, Path]], files: Sequence[CFile], given: Given
) -> list[CFile]:
    """The files that are offered for functions which the program's own do not define, with what
    these bring."""
    there = {file.path.resolve() for file in files}
    texts = [file.path.read_text(errors="replace") for file in files]
    wanted = [path for name, path in offered if not any(_defines(text, name) for text in texts)]
    brought = [f for path in wanted for f in _discovered(CFile(path, given.flags), given, None)]
    return [f for f in dict.fromkeys(brought) if f.path.resolve() not in there]


def _defines(text: str, name: str) -> bool:
    """Whether C has the function's body, as it is written in the file itself."""
    return re.search(rf"\b{re.escape(name)}\s*\([^;{{}}]*\)\s*\{{", text) is not None


def _source_of(header: Path, commands: CompileCommands | None) -> Path | None:
    beside = header.with_suffix(".c")
    if beside.is_file():
        return beside
    return commands.named(header.stem) if commands else None


def read_files(file: CFile) -> list[Path]:
    """A file and what it includes that is not the system's. Raises UserError as its compiler
    does."""
    return language_of(file.path).files_read(file)
