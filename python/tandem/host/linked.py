# SPDX-License-Identifier: Apache-2.0
"""What program an executable is, which `tandem cc` linked: its C files with their flags, and what
it is linked with. It goes in the executable itself, as a companion."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.files import replace_file
from tandem.frontend.program import MAIN, CFile
from tandem.frontend.symbols import definition
from tandem.host.companion import companion_of, with_companion
from tandem.host.invocation import Invocation
from tandem.host.units import absolute_flags, units_of
from tandem.languages.discovery import Given

FORMAT, VERSION = "tandem-program", 1


def keep_program(call: Invocation) -> None:
    """Adds to an executable that has just been linked what program it is. What `tandem cc` made
    none of is not in it; without any C file of ours nothing is added."""
    place = Path(call.output or "a.out")
    files = _files(call)
    if not files or not place.is_file():
        return
    content = {
        "format": FORMAT,
        "format_version": VERSION,
        "files": [{"source": str(f.path.absolute()), "flags": list(f.flags)} for f in files],
        "link": _link_words(call.words),
    }
    text = json.dumps(content).encode("utf-8", "surrogateescape")
    data = with_companion(place.read_bytes(), text)
    if data is not None:
        replace_file(place, [data], 0o777)


def _files(call: Invocation) -> list[CFile]:
    flags = absolute_flags(call.c_flags(), Path.cwd())
    own = [CFile(Path(source), flags) for source in call.sources]
    try:
        return [*own, *(unit.file for unit in units_of(call.words))]
    except UserError:  # an object of another text of its file: nobody needs it yet
        return []


def _link_words(words: Sequence[str]) -> list[str]:
    """The libraries, and their folders as they are found from anywhere."""
    found = []
    for word in words:
        if word.startswith("-L") and len(word) > 2:
            found.append(f"-L{Path(word[2:]).absolute()}")
        elif (word.startswith("-l") and len(word) > 2) or word == "-pthread":
            found.append(word)
    return found


def program_of(executable: Path) -> tuple[Path, Given] | None:
    """The main file of an executable's program, and what it consists of; None for what is no
    executable.

    Raises UserError for one that does not say what it is made of, and for files that are not there
    any more."""
    try:
        data = executable.read_bytes()
    except OSError:
        return None
    if not data.startswith(b"\x7fELF"):
        return None
    kept = companion_of(data)
    content = None if kept is None else json.loads(kept.decode("utf-8", "surrogateescape"))
    if content is None or (content["format"], content["format_version"]) != (FORMAT, VERSION):
        text = "the executable does not say which C files it is made of"
        cure = "link it with `tandem cc`, or give the C files"
        raise user_error("no-source", text, Place(str(executable)), cure)
    files = tuple(CFile(Path(row["source"]), tuple(row["flags"])) for row in content["files"])
    for file in files:
        if not file.path.is_file():
            cure = f"the executable {executable} was made of it: build it again"
            raise user_error("no-source", "this file is gone", Place(str(file.path)), cure)
    return _main_of(files, executable), Given(link=tuple(content["link"]), linked=files)


def _main_of(files: Sequence[CFile], executable: Path) -> Path:
    from tandem.frontend.clang import to_llvm_ir

    for file in files:
        if definition(to_llvm_ir(file), MAIN) is not None:
            return file.path
    text = f"none of its C files defines `{MAIN}`"
    raise user_error("no-source", text, Place(str(executable)), "link all of them with `tandem cc`")
