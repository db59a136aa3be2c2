# SPDX-License-Identifier: Apache-2.0
"""A design point: which refinements a kernel has, as a value that holds on any machine.

A loop is named by its line and column in the C, whatever calls led there; a table and a function by
their names. `#pragma tandem refine(NAME)` says the same in the source.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.passes.refinements import FUNCTION, KERNEL, KINDS, LOOP, TABLE, Kind

FORMAT, FORMAT_VERSION = "tandem-point", 1
MOST_BYTES = 1 << 20
MOST_COUNT = 1 << 16
"""Of iterations, multipliers or cycles: more than any kernel has."""


@dataclass(frozen=True, order=True)
class Spot:
    """Where a loop stands in the C: the name of its file, without folders, its line and column."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True)
class Refinement:
    """One refinement: `spot` of a loop, `name` of a function or a table, `count` where it has a
    number (else 0)."""

    kind: str
    spot: Spot | None = None
    name: str = ""
    count: int = 0

    @property
    def row(self) -> Kind:
        return KINDS[self.kind]

    @property
    def about(self) -> str:
        """What it is about, in words; empty for the whole kernel."""
        if self.spot is not None:
            return f"loop {self.spot.line}:{self.spot.column}"
        return f"{self.row.about} `{self.name}`" if self.name else ""

    def __str__(self) -> str:
        number = f"({self.count})" if self.row.counts else ""
        return f"{self.kind}{number}" + (f" of {self.about}" if self.about else "")

    def json(self) -> dict[str, Any]:
        """It as a row of a point."""
        row: dict[str, Any] = {"refine": self.kind}
        if self.spot is not None:
            row |= {"file": self.spot.file, "line": self.spot.line, "column": self.spot.column}
        if self.name:
            row[self.row.about] = self.name
        return row | ({"count": self.count} if self.row.counts else {})


@dataclass(frozen=True)
class Point:
    """Refinements of the kernel of a function, in the order in which they were taken; `place`: the
    file that it was read from."""

    kernel: str
    refinements: tuple[Refinement, ...] = ()
    place: Place | None = None

    def of(self, kind: str) -> list[Refinement]:
        """Those of a kind."""
        return [r for r in self.refinements if r.kind == kind]

    def has(self, kind: str) -> bool:
        return bool(self.of(kind))

    def names(self, kind: str) -> frozenset[str]:
        """What those of a kind are about: functions, or tables."""
        return frozenset(r.name for r in self.of(kind))

    def also(self, *more: Refinement) -> Point:
        """The point with some more."""
        new = [r for r in more if r not in self.refinements]
        return replace(self, refinements=(*self.refinements, *dict.fromkeys(new)))

    def without(self, one: Refinement) -> Point:
        return replace(self, refinements=tuple(r for r in self.refinements if r != one))

    def json(self) -> dict[str, Any]:
        """It as data (docs/schemas/point.json)."""
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "kernel": self.kernel,
            "refinements": [r.json() for r in self.refinements],
        }


@dataclass(frozen=True)
class Things:
    """What a program has that points are about."""

    spots: Collection[Spot]
    functions: Collection[str]
    tables: Collection[str]

    def missing(self, point: Point) -> Iterator[str]:
        """What a point names and the program does not have, in words."""
        for r in point.refinements:
            if r.spot is not None and r.spot not in self.spots:
                yield f"a loop at {r.spot}"
            if r.row.about == FUNCTION and r.name not in self.functions:
                yield f"a function `{r.name}` that is called several times"
            if r.row.about == TABLE and r.name not in self.tables:
                yield f"a constant table `{r.name}`"


def require_point_of(point: Point, kernel: str) -> None:
    """Raises UserError where a point is another function's."""
    if point.kernel != kernel:
        text = f"the point is one of `{point.kernel}`, and `{kernel}` is built"
        raise user_error("point", text, point.place, f"give --top {point.kernel}")


def require_things(point: Point, things: Things) -> None:
    """Raises UserError that names what a point is about and the program does not have."""
    missing = list(dict.fromkeys(things.missing(point)))
    if missing:
        raise user_error(
            "point",
            f"the point is about what `{point.kernel}` does not have: {', '.join(missing)}",
            point.place,
            "make the point of this source: `tandem build --ladder --json` has one a step",
        )


def read_point(path: Path) -> Point:
    """The point of a file. Raises UserError for one that is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError("it is too large")
        found = _point(json.loads(path.read_text(encoding="utf-8")))
        return replace(found, place=Place(str(path)))
    except (OSError, ValueError, RecursionError) as error:
        raise _no_point(path, str(getattr(error, "strerror", None) or error)) from error


def _no_point(path: Path, why: str) -> UserError:
    return user_error(
        "point",
        f"cannot read the design point: {why}",
        Place(str(path)),
        "docs/ladder.md says what a point is; `tandem build --ladder --json` has one a step",
    )


def _point(value: Any) -> Point:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ValueError(f'it has no `"format": "{FORMAT}"`')
    if value.get("format_version") != FORMAT_VERSION:
        raise ValueError(f"its format version is not {FORMAT_VERSION}")
    kernel, rows = value.get("kernel"), value.get("refinements")
    if not (isinstance(kernel, str) and isinstance(rows, list)):
        raise ValueError("it needs `kernel` and a list `refinements`")
    _only(value, ("format", "format_version", "kernel", "refinements"))
    return Point(kernel).also(*map(_refinement, rows))


def _refinement(row: Any) -> Refinement:
    name = row.get("refine") if isinstance(row, dict) else None
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"`{name}` is no refinement; known are: {', '.join(KINDS)}")
    wanted = {LOOP: ("file", "line", "column"), KERNEL: ()}.get(kind.about, (kind.about,))
    _only(row, ("refine", *wanted, *(("count",) if kind.counts else ())))
    spot = (
        Spot(_text(row, "file"), _number(row, "line"), _number(row, "column"))
        if kind.about == LOOP
        else None
    )
    named = _text(row, kind.about) if kind.about in (FUNCTION, TABLE) else ""
    return Refinement(kind.name, spot, named, _number(row, "count") if kind.counts else 0)


def _only(row: dict[str, Any], known: Sequence[str]) -> None:
    other = next((name for name in row if name not in known), None)
    if other is not None:
        raise ValueError(f"`{other}` is not known; expected are {', '.join(known)}")


def _text(row: dict[str, Any], name: str) -> str:
    if not isinstance(row.get(name), str) or not row[name]:
        raise ValueError(f"`{row['refine']}` needs a text `{name}`")
    return row[name]


def _number(row: dict[str, Any], name: str) -> int:
    if type(row.get(name)) is not int or not 0 <= row[name] <= MOST_COUNT:
        raise ValueError(f"`{row['refine']}` needs a number `{name}` up to {MOST_COUNT}")
    return row[name]
