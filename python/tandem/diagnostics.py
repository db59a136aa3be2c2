# SPDX-License-Identifier: Apache-2.0
"""What Tandem says when something is wrong: place, cause and cure.

Three kinds of trouble are three types: `UserError` (the input is at fault), `Infeasible` (the
request cannot be met) and `InternalError` (Tandem is at fault). The command line turns the first
two into exit status 2 and the third into 70.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tandem.written import as_written


@dataclass(frozen=True)
class Place:
    """A position in a source file; `line` is 0 when only the file is known."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def lines_text(lines: Sequence[int]) -> str:
    """`line 3`, or `lines 3, 5`."""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `code` is a stable slug; `help` is the smallest change that works; `severity` is
    `error`, or `note` for what is worth knowing of a result that there is."""

    code: str
    message: str
    place: Place | None = None
    help: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        text = f"{where}{self.severity}[{self.code}]: {self.message}"
        return as_written(f"{text}\n  help: {self.help}" if self.help else text)


def diagnostic_json(found: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data; `file` is empty and `line` 0 where there is no place."""
    place = found.place or Place("")
    return {
        "severity": found.severity,
        "code": found.code,
        "message": as_written(found.message),
        "file": place.file,
        "line": place.line,
        "help": as_written(found.help),
    }


def diagnostic_of(row: dict[str, Any]) -> Diagnostic:
    """The diagnostic that `diagnostic_json` made plain data of."""
    place = Place(row["file"], row["line"]) if row["file"] else None
    return Diagnostic(row["code"], row["message"], place, row["help"], row["severity"])


class TandemError(Exception):
    """Carries one or more diagnostics to the command line."""

    exit_status = 2
    result: dict[str, Any] | None = None
    """What is known all the same, to be shown before it."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        super().__init__(*diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))

    def tell(self, note: Diagnostic) -> None:
        """Adds what is left all the same."""
        self.diagnostics = (*self.diagnostics, note)


class UserError(TandemError):
    """The input is at fault."""


class Infeasible(TandemError):
    """The request is understood and cannot be met."""


class InternalError(TandemError):
    """Tandem is at fault: two of its models disagree, or a tool it drives broke a promise."""

    exit_status = 70


def user_error(code: str, message: str, place: Place | None = None, help: str = "") -> UserError:
    """A `UserError` with a single diagnostic."""
    return UserError(Diagnostic(code, message, place, help))
