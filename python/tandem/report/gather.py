# SPDX-License-Identifier: Apache-2.0
"""What a page is made of (docs/schemas/page.json): results of commands, kernels' schedules, a run's
events, a platform's numbers with their sources."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error
from tandem.files import replace_file, require_replaceable
from tandem.installation import tandem_version
from tandem.manifest import MANIFEST, SCHEDULE
from tandem.report.html import HEAD, data_of_page, page_of
from tandem.written import function_name

PAGE, DATA = ".html", ".json"
"""How files of pages, and of what they are made of, end."""
DATA_HEAD = b'{"format": "tandem-page"'
LARGEST_BYTES = 1 << 30
"""No larger file is read as a result."""


@dataclass
class Gathered:
    """Parts of a page. `place`: where it goes; None where nobody asked for one, and then nothing is
    gathered (`is_wanted`)."""

    place: Path | None
    results: list[dict[str, Any]] = field(default_factory=list)
    schedules: list[dict[str, Any]] = field(default_factory=list)
    timeline: dict[str, Any] | None = None
    platform: dict[str, Any] | None = None

    @classmethod
    def into(cls, place: str | os.PathLike[str] | None) -> Gathered:
        """Of a page for `place`. Raises UserError where it could not be put there."""
        if place is None:
            return cls(None)
        path = Path(place)
        if path.suffix not in (PAGE, DATA):
            raise user_error(
                "report",
                f"a page is no file `*{path.suffix}`",
                Place(str(path)),
                "name it *.html, or *.json for the data that it is made of",
            )
        require_replaceable(path, HEAD if path.suffix == PAGE else DATA_HEAD, "--report")
        return cls(path)

    @property
    def is_wanted(self) -> bool:
        """Whether anybody asked for the page."""
        return self.place is not None

    def add_packages(self, packages: Iterable[Path]) -> None:
        """Takes the schedules of packages."""
        if self.is_wanted:
            self.schedules += [_read(package / SCHEDULE) for package in packages]

    def add_spans(self, spans: Iterable[dict[str, Any]]) -> None:
        """Takes what happened when in a run."""
        from tandem.report.timeline import pack_timeline

        self.timeline = pack_timeline(spans)

    def add_platform(self, file: Path, changes: Sequence[str] = ()) -> None:
        """Takes a platform's numbers, each with its source."""
        if self.is_wanted:
            self.platform = platform_rows(file, changes)

    def write(self, *results: dict[str, Any]) -> None:
        """Writes the page of all this and some results, or its data. Raises UserError if it
        cannot."""
        if self.place is None:
            return
        self.results += results
        data = self.data()
        is_page = self.place.suffix == PAGE
        replace_file(self.place, page_of(data) if is_page else [json.dumps(data).encode()])

    def data(self) -> dict[str, Any]:
        """The page's data."""
        return {
            "format": "tandem-page",
            "format_version": 1,
            "title": title_of(self.results, self.schedules),
            "tandem_version": tandem_version(),
            "results": self.results,
            "schedules": [{**s, "name": function_name(s["kernel"])} for s in self.schedules],
            "timeline": self.timeline,
            "platform": self.platform,
        }

    def add_file(self, path: Path) -> None:
        """Takes a result, a page, its data, a package or a folder of packages.

        Raises UserError for anything else."""
        if path.is_dir():
            self._add_folder(path)
            return
        self._add(_read(path), path)

    def _add_folder(self, folder: Path) -> None:
        packages = [folder] if (folder / MANIFEST).is_file() else _packages(folder)
        results = [] if folder in packages else sorted(folder.glob("*.json"))
        if not packages and not results:
            raise _unknown(folder, "no package and no result is in it")
        self.schedules += [_read(package / SCHEDULE) for package in packages]
        for path in results:
            self._add(_read(path), path)

    def _add(self, data: Any, path: Path) -> None:
        if _is_reproduction(data):
            self.results.append(reproduction(path.stem, data))
            return
        if not isinstance(data, dict):
            raise _unknown(path, "it is no result of a command")
        name = data.get("format")
        if name == "tandem-page":
            self.results += data["results"]
            self.schedules += data["schedules"]
            self.timeline = self.timeline or data["timeline"]
            self.platform = self.platform or data["platform"]
        elif name == "tandem-schedule":
            self.schedules.append(data)
        elif isinstance(name, str) and name.startswith("tandem-") and name not in _NO_RESULTS:
            self.results.append(data)
        else:
            raise _unknown(path, "it is no result of a command")


def _is_reproduction(data: Any) -> bool:
    """Whether it is what `reproduce --json` prints."""
    rows = data if isinstance(data, list) else []
    return bool(rows) and all(isinstance(r, dict) and {"table", "ours"} <= r.keys() for r in rows)


_NO_RESULTS = (
    *("tandem-package", "tandem-trace", "tandem-errors", "tandem-point"),
    *("tandem-doctor", "tandem-cache", "tandem-cache-clear"),
)


def reproduction(title: str, cells: list[dict[str, Any]]) -> dict[str, Any]:
    """What `reproduce` prints, as a result."""
    return {"format": "tandem-reproduction", "title": title, "cells": cells}


def title_of(results: Sequence[dict[str, Any]], schedules: Sequence[dict[str, Any]]) -> str:
    """What a page is about."""
    told = list(dict.fromkeys(name for result in results for name in _names(result)))
    told = told or [function_name(schedule["kernel"]) for schedule in schedules]
    titles = [result.get("platform_title") or result.get("platform") for result in results]
    where = list(dict.fromkeys(filter(None, titles)))
    if len(where) > 1:
        where = [f"{len(where)} platforms"]
    return " on ".join(filter(None, [", ".join(told), *where])) or "Tandem"


def _names(result: dict[str, Any]) -> list[str]:
    """The functions that a result is about, or what else it is about."""
    kernels = [k.get("name") or k.get("kernel") for k in result.get("kernels", [])]
    if kernels or "kernel" in result:
        return [function_name(name) for name in kernels or [result["kernel"]]]
    if "application" in result:
        return [Path(result["application"]).name]
    return [result["title"]] if "title" in result else []


def platform_rows(file: Path, changes: Sequence[str] = ()) -> dict[str, Any]:
    """The numbers of a platform file as it has them, each with its source, and what was to be
    otherwise."""
    found = tomllib.loads(file.read_text())
    rows = [{"name": name, **row} for name, row in _numbers("", found)]
    return {
        "name": found.get("name", ""),
        "title": found.get("title", ""),
        "rows": rows,
        "changes": list(changes),
    }


def _numbers(path: str, value: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """Of all tables in a file, what has a value and says where it is from, by the names that
    --set takes."""
    if isinstance(value, dict) and "value" in value and "source" in value:
        yield path, {"value": str(value["value"]), "source": str(value["source"])}
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            name = inner.get("name") if isinstance(inner, dict) else None
            yield from _numbers(name or f"{path}[{number}]", inner)


def _packages(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob(f"*.tandem/{MANIFEST}"))


def _read(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise _unknown(path, "it is larger than any result")
        text = path.read_text()
        return data_of_page(text) if path.suffix == PAGE else json.loads(text)
    except OSError as error:
        raise _unknown(path, f"it cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _unknown(path, f"it cannot be read: {error}") from error


def _unknown(path: Path, why: str) -> Exception:
    return user_error(
        "report",
        f"no page can be made of this: {why}",
        Place(str(path)),
        "give what a command printed with --json, a package, or a folder that build or run wrote",
    )
