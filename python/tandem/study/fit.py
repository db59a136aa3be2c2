# SPDX-License-Identifier: Apache-2.0
"""Numbers of a platform that nobody knows, found from measurements of it, and how well these tell
them.

Gauss-Newton on the logarithms of the numbers, so that none becomes negative, and on relative
errors, since measurements of milliseconds and of seconds are about equally exact. The derivatives
are differences between runs of the application on the simulated platform: whatever the platform
does with a number counts."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tandem.diagnostics import Place, UserError, user_error
from tandem.host.engine import read_platform
from tandem.host.launch import emulated
from tandem.host.prepare import Prepared
from tandem.study.confidence import student_95

PS = 1e12
FIGURES = ("total_s", "no_config_s", "device_s")
UNITS = {"_ps": "ps", "_bytes_per_s": "B/s", "_bytes": "B", "_hz": "Hz", "": ""}
"""What the engine's numbers end with, and their units in a platform file."""

DIFFERENCE = 0.01
"""By how much a number is changed for a derivative: relative. Times are whole picoseconds."""
LONGEST_STEP = 2.0
"""Most that a number changes in a step: the logarithm of a factor."""
MOST_STEPS = 40
CLOSE = 1e-6
TIED = 1e-5
"""Numbers whose effects differ by less, relative, cannot be told apart: runs are exact to about
that much."""


@dataclass(frozen=True)
class Measurement:
    """One measured time of one run of the application. `figure`: which time of a report it is;
    `changes`: of the platform, for that run."""

    arguments: tuple[str, ...]
    changes: tuple[str, ...]
    figure: str
    seconds: float
    line: int


@dataclass(frozen=True)
class Number:
    """A number found, in the unit of a platform file. `low`, `high`: with 95 % it lies between
    them; None where these measurements do not tell. `tied`: the others from which they cannot tell
    it apart, or itself if it has no effect on any of them."""

    name: str
    value: float
    unit: str
    low: float | None
    high: float | None
    tied: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fit:
    """The numbers, and what the platform with them gives for each measurement, in seconds."""

    numbers: list[Number]
    measurements: list[Measurement]
    seconds: list[float]

    def as_json(self) -> dict[str, Any]:
        return {
            "format": "tandem-platform-fit",
            "format_version": 1,
            "numbers": [vars(number) | {"tied": list(number.tied)} for number in self.numbers],
            "measurements": [
                {
                    "arguments": list(m.arguments),
                    "changes": list(m.changes),
                    "figure": m.figure,
                    "measured_s": m.seconds,
                    "fitted_s": ours,
                }
                for m, ours in zip(self.measurements, self.seconds, strict=True)
            ],
        }


def read_measurements(path: Path) -> list[Measurement]:
    """A CSV with a header. `arguments`: those of the application, as a shell takes them apart;
    `set`: changes of the platform, which need not be there; and one column or more of `FIGURES`, of
    which cells may be empty. Lines that begin with # are comments.

    Raises UserError with the line for what cannot be read."""
    found: list[Measurement] = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(path, 0, f"cannot be read: {error}", "give a CSV file") from error
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if not line.startswith("#")]
    rows = csv.reader(line for _, line in lines)
    header = next(rows, [])
    known = ("arguments", "set", *FIGURES)
    if "arguments" not in header or not {*header} & {*FIGURES} or {*header} - {*known}:
        cure = f"begin with a line such as: arguments,{FIGURES[0]}; known are {', '.join(known)}"
        raise _bad(path, lines[0][0] if lines else 1, f"the columns are {header}", cure)
    for (line, _), cells in zip(lines[1:], rows, strict=False):
        row = dict(zip(header, cells, strict=False))
        if len(cells) != len(header):
            raise _bad(path, line, f"{len(cells)} cells for {len(header)} columns", "write all")
        for figure in FIGURES:
            if row.get(figure, "").strip():
                seconds = _seconds(path, line, row[figure])
                words = [_words(path, line, row.get(c, "")) for c in ("arguments", "set")]
                found.append(Measurement(words[0], words[1], figure, seconds, line))
    if not found:
        raise _bad(path, 1, "there is no measurement", "add a line for each run")
    return found


def _words(path: Path, line: int, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise _bad(path, line, f"cannot read {text!r}: {error}", "close the quotes") from error


def _seconds(path: Path, line: int, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise _bad(path, line, f"{text!r} is no time", "write seconds, for example 0.0123")
    return seconds


def _bad(path: Path, line: int, message: str, cure: str) -> UserError:
    return user_error("measurements", message, Place(str(path), line), cure)


# -- fitting ------------------------------------------------------------------------------------


def fit(
    build: Prepared,
    measurements: Sequence[Measurement],
    unknown: Sequence[str],
    progress: Callable[[str], None] = lambda _: None,
) -> Fit:
    """Finds `unknown` numbers, each `component.number`, from where the platform has them.

    Raises UserError for one that the platform does not have, or with fewer measurements than
    numbers."""
    if len(measurements) < len(unknown):
        counts = f"{len(measurements)} measurements for {len(unknown)} unknown numbers"
        raise user_error("measurements", counts, help="measure more runs, or ask for fewer numbers")
    starts = [_start(build, name) for name in unknown]
    names, units = list(unknown), [unit for _, unit in starts]
    measured = np.array([m.seconds for m in measurements])

    def seconds(logarithms: np.ndarray) -> np.ndarray:
        changes = [
            f"{name}={round(value)} {unit}".rstrip()
            for name, value, unit in zip(names, np.exp(logarithms), units, strict=True)
        ]
        return np.array(_run(build, measurements, changes))

    def slopes(logarithms: np.ndarray, here: np.ndarray) -> np.ndarray:
        steps = DIFFERENCE * np.eye(len(names))
        return np.array([(seconds(logarithms + s) - here) / DIFFERENCE for s in steps]).T

    at = np.log([value for value, _ in starts])
    for step in range(MOST_STEPS):
        here = seconds(at)
        matrix = slopes(at, here) / measured[:, None]
        change = np.linalg.lstsq(matrix, 1 - here / measured, rcond=TIED)[0]
        change = np.clip(change, -LONGEST_STEP, LONGEST_STEP)
        at = np.maximum(at + change, 0)  # no less than one of the engine's units
        progress(f"step {step + 1}: numbers changed by up to {np.abs(change).max():.1%}")
        if np.abs(change).max() < CLOSE:
            break
    here = seconds(at)
    matrix = slopes(at, here) / measured[:, None]
    widths = _widths(matrix, here / measured - 1)
    ties = _ties(matrix)
    numbers = []
    for i, (name, unit) in enumerate(zip(names, units, strict=True)):
        value, width = float(np.exp(at[i])), None if i in ties else widths[i]
        low = None if width is None else float(value * np.exp(-width))
        high = None if width is None else float(value * np.exp(width))
        tied = tuple(names[j] for j in ties.get(i, ()))
        numbers.append(Number(name, value, unit, low, high, tied))
    return Fit(numbers, list(measurements), [float(s) for s in here])


def _start(build: Prepared, name: str) -> tuple[float, str]:
    """Where the search for a number begins, and its unit."""
    component, _, key = name.partition(".")
    numbers = read_platform(build.platform, build.changes)
    for kind, said in numbers.items():
        for row in said if isinstance(said, list) else [said]:
            if not isinstance(row, dict) or component not in (
                kind,
                kind.removesuffix("s"),
                row.get("name"),
            ):
                continue
            for field, value in row.items():
                for ending, unit in UNITS.items():
                    if field.endswith(ending) and _is_of(field.removesuffix(ending), key, value):
                        return max(float(value or 0), 1.0) if value else _guess(unit), unit
    raise user_error(
        "platform",
        f"the platform has no number `{name}`",
        help="name a component and a number of it as in the file, such as link.bandwidth",
    )


def _is_of(field: str, key: str, value: object) -> bool:
    """Whether a field of the engine's is the number, or one of those that it stands for."""
    is_number = isinstance(value, int | None) and not isinstance(value, bool)
    return is_number and (field == key or field.startswith(f"{key}_"))


def _guess(unit: str) -> float:
    """Where a number begins that is 0, or not said: a microsecond, a gigabyte a second, ten."""
    return {"ps": 1e6, "B/s": 1e9}.get(unit, 10.0)


def _run(
    build: Prepared, measurements: Sequence[Measurement], changes: Sequence[str]
) -> list[float]:
    """What the platform with these changes takes for each measurement."""
    reports: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, Any]] = {}
    for m in measurements:
        run = (m.arguments, m.changes)
        if run not in reports:
            reports[run] = emulated(build, m.arguments, (*m.changes, *changes))
    return [
        reports[m.arguments, m.changes][m.figure.replace("_s", "_ps")] / PS for m in measurements
    ]


def _widths(matrix: np.ndarray, errors: np.ndarray) -> list[float | None]:
    """Half of each number's interval of confidence, as a logarithm; None where nothing tells."""
    rows, columns = matrix.shape
    free = rows - columns
    if free == 0:
        return [None] * columns
    student = student_95(free)
    spread = errors @ errors / free
    covariance = spread * np.linalg.pinv(matrix.T @ matrix, rcond=TIED**2, hermitian=True)
    return [float(student * np.sqrt(max(covariance[i, i], 0))) for i in range(columns)]


def _ties(matrix: np.ndarray) -> dict[int, list[int]]:
    """For each number that the measurements do not tell, those that it cannot be told from."""
    lengths = np.linalg.norm(matrix, axis=0)
    dead = lengths < TIED
    scaled = matrix / np.where(dead, 1, lengths)
    ties: dict[int, list[int]] = {int(i): [int(i)] for i in np.flatnonzero(dead)}
    _, sizes, directions = np.linalg.svd(scaled, full_matrices=False)
    for size, direction in zip(sizes, directions, strict=True):
        group = [int(i) for i in np.flatnonzero(np.abs(direction) > 0.1) if not dead[i]]
        if size < 100 * TIED and len(group) > 1:
            for i in group:
                ties[i] = [j for j in group if j != i]
    return ties
