# SPDX-License-Identifier: Apache-2.0
"""Published tables beside our own: every cell, its error, and whether it was predicted."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tandem.diagnostics import user_error
from tandem.host.launch import launch
from tandem.host.prepare import Job, prepared
from tandem.installation import data_file, known

PS = 1e12
MEGA = 1e6


@dataclass(frozen=True)
class Cell:
    """`error` is ours / paper - 1; `role`: 'predicted', or 'calibrated' where the row was used to
    find the platform's numbers."""

    table: str
    row: int
    column: str
    paper: float
    ours: float
    error: float
    role: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def find_study(name: str) -> dict[str, Any]:
    """A study by its name. Raises UserError that lists the known ones."""
    if name not in known("studies"):
        raise user_error(
            "study", f"unknown study `{name}`", help=f"known are: {', '.join(known('studies'))}"
        )
    with open(data_file("studies", f"{name}.toml"), "rb") as handle:
        return tomllib.load(handle)


def read_table(path: Path, row: str) -> dict[int, dict[str, float]]:
    """A CSV with comment lines: row key -> column -> value."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return {
        int(r[row]): {k: float(v) for k, v in r.items() if k != row} for r in csv.DictReader(lines)
    }


def reproduce(name: str, progress: Callable[[str], None] = lambda _: None) -> list[Cell]:
    """Runs the study's application for every row of its tables, and compares."""
    study = find_study(name)
    tables = {
        t: read_table(data_file("studies", s["file"]), study["row"])
        for t, s in study["tables"].items()
    }
    rows = sorted({row for table in tables.values() for row in table})
    figures: dict[int, dict[str, float]] = {}
    progress(f"building {study['offload']} for {study['platform']}")
    main = data_file("studies", study["application"])
    with prepared(Job(main, study["offload"], study["platform"])) as build:
        for row in rows:
            progress(f"running {row} {study['row']}")
            report = launch(build, "emulate", [str(row)], quiet=True).report
            figures[row] = _figures(report, row * study["word_bytes"])
    cells = []
    for table, entry in study["tables"].items():
        for row, paper in tables[table].items():
            known_here = figures[row] | _software(entry, study["row"], row)
            for column, formula in entry["columns"].items():
                cells.append(
                    _cell(study, table, row, column, paper[column], _value(formula, known_here))
                )
    return cells


def _figures(report: dict[str, Any], size_bytes: int) -> dict[str, float]:
    """The three figures of a run, as times and as rates."""
    times = {k: report[f"{k}_ps"] / PS for k in ("total", "no_config", "device")}
    rates = {f"{k}_mb_s": size_bytes / seconds / MEGA for k, seconds in times.items()}
    return {f"{k}_s": seconds for k, seconds in times.items()} | rates


def _software(entry: dict[str, Any], key: str, row: int) -> dict[str, float]:
    if "software" not in entry:
        return {}
    return read_table(data_file("studies", entry["software"]), key)[row]


def _value(formula: str, known_here: dict[str, float]) -> float:
    """A figure's name, or one divided by another."""
    parts = [known_here[word.strip()] for word in formula.split("/")]
    return parts[0] / parts[1] if len(parts) == 2 else parts[0]


def _cell(
    study: dict[str, Any], table: str, row: int, column: str, paper: float, ours: float
) -> Cell:
    role = "calibrated" if row in study["calibrated_rows"] else "predicted"
    return Cell(table, row, column, paper, ours, ours / paper - 1, role)
