# SPDX-License-Identifier: Apache-2.0
"""Functions in LLVM's text, for what Fortran's procedures become: that is still written as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tandem.frontend.symbols import symbol

_LINKAGE = re.compile(
    r"\b(?:internal|private|weak_odr|weak|linkonce_odr|linkonce|available_externally|common|"
    r"dso_local|hidden|protected|unnamed_addr|local_unnamed_addr)\b\s*"
)
_PLAIN = re.compile(r"[-a-zA-Z._][-a-zA-Z._0-9]*\Z")


def is_plain_name(name: str) -> bool:
    """Whether LLVM writes a name as it is, without quotes."""
    return bool(_PLAIN.match(name))


def _uses(text: str, *names: str) -> Iterator[re.Match[str]]:
    """Where one of some globals or its comdat is named, outside of strings."""
    written = "|".join(_written(name) for name in names if symbol(name) in text)
    if not written:
        return
    for match in re.finditer(rf'([@$])({written})|"[^"\n]*"', text):
        if match[1]:
            yield match


def _written(name: str) -> str:
    """A pattern of a global name as LLVM writes it."""
    written = re.escape(symbol(name))
    return written if written.startswith('"') else rf"{written}(?![-a-zA-Z$._0-9])"


@dataclass(frozen=True)
class Definition:
    """A function's definition in the text of a module: its line, and whether other modules see
    it."""

    line: str
    is_local: bool


def definition(text: str, name: str) -> Definition | None:
    """The definition of a function, None if the module has none."""
    for match in _uses(text, name):
        line, _ = _line_of(text, match.start())
        if line.startswith("define ") and _is_defined_here(line, name):
            return Definition(line, bool(re.match(r"define (?:internal|private)\b", line)))
    return None


def _line_of(text: str, position: int) -> tuple[str, int]:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)], start


def _is_defined_here(line: str, name: str) -> bool:
    first = next(_uses(line, name), None)
    return first is not None and "@" not in re.sub(r'"[^"]*"', "", line[: first.start()])


def without_linkage(head: str) -> str:
    """What stands between `define` and a function's name, without who sees it."""
    return _LINKAGE.sub("", head)


def made_internal(line: str) -> str:
    """The first line of a definition, for a function that only its module knows."""
    before, at, rest = line.removeprefix("define ").partition("@")
    rest = re.sub(r" comdat\b(?:\([^)]*\))?", "", rest)
    return f"define internal {without_linkage(before).strip()} {at}{rest}"
