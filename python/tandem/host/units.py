# SPDX-License-Identifier: Apache-2.0
"""What `tandem cc` made of C files, as a link finds it: in objects, and in the members of archives
that the linker will take."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Place, user_error
from tandem.files import replace_file
from tandem.frontend.linking import OF_HEADERS, definitions_of
from tandem.frontend.program import CFile
from tandem.frontend.symbols import symbols_of
from tandem.host.archives import archive_of, members
from tandem.host.companion import companion_of, with_companion
from tandem.host.invocation import VALUED

FORMAT, VERSION = "tandem-object", 2


@dataclass(frozen=True, eq=False)
class Unit:
    """A C file that was compiled into an object. `position`: of the word of the link that names the
    object, or the archive of which it is a member."""

    name: str
    position: int
    is_member: bool
    file: CFile
    llvm_ir: str
    source_sha256: str


def keep(place: Path, file: CFile, folder: Path, llvm_ir: str) -> None:
    """Adds to an object what offloading needs of the C file that it was made of in `folder`."""
    content = {
        "format": FORMAT,
        "format_version": VERSION,
        "source": str(file.path.absolute()),
        "source_sha256": _sha256(file.path),
        "folder": str(folder),
        "flags": list(file.flags),
        "llvm_ir": llvm_ir,
    }
    text = json.dumps(content).encode("utf-8", "surrogateescape")
    data = with_companion(place.read_bytes(), text)
    if data is not None:
        replace_file(place, [data])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def units_of(words: Sequence[str]) -> list[Unit]:
    """The units of a link's objects, and of the members of its archives that it needs.

    Raises UserError if a C file has changed since: an annotation would be read from another
    text."""
    found, seen = list[Unit](), set[Path]()
    for position in _inputs(words):
        archive = archive_of(words, position)
        if archive is None:
            path = Path(words[position])
            data = path.read_bytes() if path.is_file() else b""
            found += _read(data, words[position], position, is_member=False)
        elif archive.resolve() not in seen:
            seen.add(archive.resolve())
            for member in members(archive):
                found += _read(member.data, member.name, position, is_member=True)
    units = _linked(found)
    for unit in units:
        _require_same(unit)
    return units


def _inputs(words: Sequence[str]) -> Iterator[int]:
    """Where the words are that name what is linked."""
    for i, word in enumerate(words):
        is_value = i > 0 and words[i - 1] in VALUED
        if not is_value and (word.startswith("-l") or not word.startswith("-")):
            yield i


def _read(data: bytes, name: str, position: int, is_member: bool) -> Iterator[Unit]:
    """The unit of an object, if it has one."""
    found = companion_of(data)
    content = None if found is None else json.loads(found.decode("utf-8", "surrogateescape"))
    if content is None or (content["format"], content["format_version"]) != (FORMAT, VERSION):
        return
    flags = absolute_flags(content["flags"], Path(content["folder"]))
    file = CFile(Path(content["source"]), flags)
    yield Unit(name, position, is_member, file, content["llvm_ir"], content["source_sha256"])


def _linked(found: Sequence[Unit]) -> list[Unit]:
    """All objects, and of the members those that define what is declared and not defined: the first
    one of each name, and what these need."""
    owners: dict[str, Unit] = {}
    for unit in (unit for unit in found if unit.is_member):
        for name in _defined(unit):
            owners.setdefault(name, unit)
    taken = [unit for unit in found if not unit.is_member]
    here = {name for unit in taken for name in _defined(unit)} if owners else set[str]()
    for unit in taken if owners else ():
        for name in sorted(_declared(unit) & owners.keys()):
            if name not in here:
                taken.append(owners[name])
                here |= _defined(owners[name])
    return [unit for unit in found if unit in taken]


def _defined(unit: Unit) -> set[str]:
    found = definitions_of(unit.llvm_ir).values()
    return {row.name for row in found if not row.is_local and row.linkage != OF_HEADERS}


def _declared(unit: Unit) -> set[str]:
    return {row.name for row in symbols_of(unit.llvm_ir).values() if not row.is_defined}


def _require_same(unit: Unit) -> None:
    source = unit.file.path
    if not source.is_file() or _sha256(source) != unit.source_sha256:
        raise user_error(
            "stale-object",
            f"`{unit.name}` was made of another text of this file",
            Place(str(source)),
            "compile it again, with `tandem cc`",
        )


def absolute_flags(flags: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Folders of headers as they are found from anywhere."""
    result: list[str] = []
    for i, flag in enumerate(flags):
        after = flags[i - 1] if i else ""
        if after in ("-I", "-iquote", "-isystem", "-idirafter", "-include", "-imacros"):
            result.append(str(folder / flag))
        elif flag.startswith("-I") and len(flag) > 2:
            result.append(f"-I{folder / flag[2:]}")
        else:
            result.append(flag)
    return tuple(result)
