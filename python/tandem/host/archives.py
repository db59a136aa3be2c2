# SPDX-License-Identifier: Apache-2.0
"""Static archives (`libX.a`): which a link names, and their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_MAGIC, _THIN = b"!<arch>\n", b"!<thin>\n"
_HEADER_BYTES = 60
_TABLES = ("/", "//", "/SYM64/", "__.SYMDEF")
"""Members that are the archive's own."""


@dataclass(frozen=True)
class Member:
    """An object in an archive."""

    name: str
    data: bytes


def archive_of(words: Sequence[str], position: int) -> Path | None:
    """The archive that the word at a position of a link names, by its path or with `-l`; None for
    another word, and where the linker takes a shared library."""
    word = words[position]
    if word.startswith("-l"):
        name = word[2:] or "".join(words[position + 1 : position + 2])
        return _library(name, _folders(words))
    path = Path(word)
    return path if not word.startswith("-") and _is_archive(path) else None


def _folders(words: Sequence[str]) -> Iterator[Path]:
    for i, word in enumerate(words):
        if word.startswith("-L"):
            yield Path(word[2:] or "".join(words[i + 1 : i + 2]))


def _library(name: str, folders: Iterator[Path]) -> Path | None:
    names = [name[1:]] if name.startswith(":") else [f"lib{name}.so", f"lib{name}.a"]
    places = (folder / file for folder in folders for file in names)
    found = next((place for place in places if place.is_file()), None)
    return found if found is not None and _is_archive(found) else None


def _is_archive(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.is_file() and file.read(len(_MAGIC)) in (_MAGIC, _THIN)
    except OSError:
        return False


def members(path: Path) -> Iterator[Member]:
    """The objects in an archive; nothing more where it is damaged, which the linker tells."""
    data, names = path.read_bytes(), b""
    is_thin, place = data.startswith(_THIN), len(_MAGIC)
    while place + _HEADER_BYTES <= len(data):
        header = data[place : place + _HEADER_BYTES]
        field, size_text = header[:16].decode("latin-1").rstrip(), header[48:58].strip()
        if not size_text.isdigit():
            return
        size, place = int(size_text), place + _HEADER_BYTES
        is_own = field.startswith(_TABLES) and not field[1:].isdigit()
        content = data[place : place + size]
        if field == "//":
            names = content
        elif not is_own:
            yield _member(path, field, names, None if is_thin else content)
        if is_own or not is_thin:
            place += size + size % 2


def _member(path: Path, field: str, names: bytes, content: bytes | None) -> Member:
    """`field`: the name, or where it is in `names` (GNU), or how long it is before the content
    (BSD). A thin archive names files."""
    if field.startswith("#1/") and content is not None:
        size = int(field[3:])
        return Member(content[:size].rstrip(b"\0").decode(errors="replace"), content[size:])
    if field.startswith("/"):
        start = int(field[1:])
        name = names[start : names.index(b"\n", start)].decode(errors="surrogateescape")
    else:
        name = field
    name = name.removesuffix("/")
    if content is None:
        file = path.parent / name
        content = file.read_bytes() if file.is_file() else b""
    return Member(name, content)
