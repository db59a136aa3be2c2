# SPDX-License-Identifier: Apache-2.0
"""Directives from outside of the C: the command line, and files of them.

    --directive 'app.c:17: pipeline ii(2)'      the loop that begins in that line
    --directive 'outer: unroll(4)'              the loop with that label, or `f/outer` that of `f`
    --directive 'mix: inline off'               a function
    --directive 'f: partition(sums, 4)'         an array of a function, or of that line

In TOML such a row is `[[directive]]` with `at` and `say`. `app.tandem.toml` beside `app.c` is read
in any case, and is about that file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.directives.directive import Directive
from tandem.frontend.directives.own import read_own

OPTION = "--directive"
BESIDE = ".tandem.toml"
"""How the file ends that is about the C file of its name."""
PLACES = "a place is `FILE:LINE` or `LABEL` of a loop, `FUNCTION/LABEL`, or `FUNCTION`"

_FORM = re.compile(r"\s*(.+?(?::\d+)?)\s*:\s*([A-Za-z].*?)\s*$", re.S)
_LINE = re.compile(r"(.+):(\d+)$")
_NAMES = re.compile(r"(?:(\w+)/)?(\w+)$")
_ROW = re.compile(r"^[ \t]*\[\[[ \t]*directive[ \t]*\]\]", re.M)
_MEMBERS = {"at", "say"}


@dataclass(frozen=True)
class Asked:
    """`say`, in Tandem's own words, of what is at `at`; asked for at `place`."""

    at: str
    say: str
    place: Place

    @cached_property
    def directive(self) -> Directive | None:
        """None for an extent. Raises UserError for words that are not known."""
        return read_own(self.say, self.say, self.place)

    @property
    def line(self) -> tuple[str, int] | None:
        """The file and the line that are named, if one is."""
        found = _LINE.match(self.at)
        return (found[1], int(found[2])) if found else None

    @property
    def names(self) -> tuple[str, str]:
        """The names of function and label; of a name that may be either only the second."""
        found = _NAMES.match(self.at)
        return (found[1] or "", found[2]) if found else ("", "")


def read_asked(texts: Sequence[str], files: Sequence[Path]) -> tuple[Asked, ...]:
    """What the command line asks for, by options and by files. Raises UserError for what cannot be
    read."""
    rows = [_of_option(text) for text in texts]
    for file in files:
        rows += _of_file(file)
    return tuple(rows)


def asked_beside(source: Path) -> tuple[Asked, ...]:
    """What the file beside a C file asks for, if there is one. Raises UserError as `read_asked`."""
    file = file_beside(source)
    return tuple(_of_file(file)) if file.is_file() else ()


def file_beside(source: Path) -> Path:
    """The name of the file of directives that is about a C file."""
    return source.with_name(source.stem + BESIDE)


def not_found(row: Asked) -> UserError:
    """Said of a row that is about nothing in the program."""
    return user_error("pragma", f"`{row.say}` is about nothing: no `{row.at}`", row.place, PLACES)


def _of_option(text: str) -> Asked:
    place, found = Place(OPTION), _FORM.match(text)
    if not found:
        cure = f"write '{OPTION} PLACE: DIRECTIVE'; {PLACES}"
        raise user_error("pragma", f"cannot read `{text}`", place, cure)
    return _checked(Asked(found[1], found[2], place))


def _of_file(file: Path) -> list[Asked]:
    try:
        text = file.read_text(encoding="utf-8")
        rows = tomllib.loads(text).get("directive", [])
    except (OSError, ValueError, RecursionError) as error:
        raise user_error(
            "pragma", f"cannot read the directives: {error}", Place(str(file)), "see docs/passes.md"
        ) from error
    lines = [text.count("\n", 0, match.start()) + 1 for match in _ROW.finditer(text)]
    places = [Place(str(file), line) for line in lines] + [Place(str(file))] * len(rows)
    return [_of_row(row, place) for row, place in zip(rows, places, strict=False)]


def _of_row(row: Any, place: Place) -> Asked:
    if not (isinstance(row, dict) and row.keys() == _MEMBERS and _are_texts(row.values())):
        cure = 'a row is `[[directive]]` with `at = "PLACE"` and `say = "DIRECTIVE"`'
        raise user_error("pragma", "this is no directive", place, f"{cure}; {PLACES}")
    return _checked(Asked(row["at"].strip(), row["say"].strip(), place))


def _are_texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _checked(row: Asked) -> Asked:
    if not (_LINE.match(row.at) or _NAMES.match(row.at)):
        raise user_error("pragma", f"`{row.at}` is no place", row.place, PLACES)
    assert row.directive is None or row.directive.place == row.place
    return row
