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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tandem.diagnostics import Place, UserError, user_error
from tandem.host.launch import emulated
from tandem.host.prepare import Prepared
from tandem.platforms.engine import read_platform
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
MOST_WIDTH = 50.0
"""Whatever is known less well is not known: half an interval, as a logarithm."""
CLOSE = 1e-6
SHORTEST_S, LONGEST_S = 1e-12, 1e7
"""Between what a measured time lies that the simulated clock can count."""
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
    it apart, or itself if it has no effect on any of them. `end`: the search came to the end of
    what the number may be, where it is no answer: another number, given, is perhaps wrong."""

    name: str
    value: float
    unit: str
    low: float | None
    high: float | None
    tied: tuple[str, ...] = ()
    end: bool = False


@dataclass(frozen=True)
class Start:
    """Where the search for a number begins, its unit, and the least and the most that it may be."""

    value: float
    unit: str
    least: float = 1.0
    most: float = float("inf")


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
    try:
        header, cells_of_rows = next(rows, []), [*rows]
    except csv.Error as error:
        text = f"cannot be read: {error}"
        raise _bad(path, rows.line_num, text, "write shorter cells") from error
    known = ("arguments", "set", *FIGURES)
    if "arguments" not in header or not {*header} & {*FIGURES} or {*header} - {*known}:
        cure = f"begin with a line such as: arguments,{FIGURES[0]}; known are {', '.join(known)}"
        raise _bad(path, lines[0][0] if lines else 1, f"the columns are {header}", cure)
    for (line, _), cells in zip(lines[1:], cells_of_rows, strict=False):
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
    if not SHORTEST_S <= seconds <= LONGEST_S:
        cure = f"write seconds, {SHORTEST_S:g} to {LONGEST_S:g}, for example 0.0123"
        raise _bad(path, line, f"{text!r} is no time", cure)
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
    return _Search(build, measurements, unknown).fit(progress)


class _Search:
    """The search for numbers, in their logarithms."""

    def __init__(
        self, build: Prepared, measurements: Sequence[Measurement], unknown: Sequence[str]
    ) -> None:
        self.build, self.measurements, self.names = build, measurements, list(unknown)
        self.starts = [_start(build, name) for name in unknown]
        self.least = np.log([start.least for start in self.starts])
        self.most = np.log([start.most for start in self.starts])
        self.measured = np.array([m.seconds for m in measurements])

    def fit(self, progress: Callable[[str], None]) -> Fit:
        at = self._found(progress)
        here = self._seconds(at)
        matrix = self._slopes(at, here)
        widths = _widths(matrix, here / self.measured - 1)
        ties = _ties(matrix)
        numbers = []
        for i, (name, start) in enumerate(zip(self.names, self.starts, strict=True)):
            end = self._is_end(at, here, i, ties.get(i) == [i])
            value, width = float(np.exp(at[i])), None if end or i in ties else widths[i]
            low = None if width is None else float(value * np.exp(-width))
            high = None if width is None else float(value * np.exp(width))
            tied = () if end else tuple(self.names[j] for j in ties.get(i, ()))
            numbers.append(Number(name, value, start.unit, low, high, tied, end))
        return Fit(numbers, list(self.measurements), [float(s) for s in here])

    def _found(self, progress: Callable[[str], None]) -> np.ndarray:
        """Where the search ends."""
        at = np.clip(np.log([start.value for start in self.starts]), self.least, self.most)
        for step in range(MOST_STEPS):
            here = self._seconds(at)
            wanted = 1 - here / self.measured
            change = _step(self._slopes(at, here), wanted, self.least - at, self.most - at)
            at = at + change
            progress(f"step {step + 1}: numbers changed by up to {np.abs(change).max():.1%}")
            if np.abs(change).max() < CLOSE:
                break
        return at

    def _seconds(self, at: np.ndarray) -> np.ndarray:
        """What the platform takes for each measurement."""
        changes = [
            f"{name}={round(value)} {start.unit}".rstrip()
            for name, value, start in zip(self.names, np.exp(at), self.starts, strict=True)
        ]
        return np.array(_run(self.build, self.measurements, changes))

    def _slopes(self, at: np.ndarray, here: np.ndarray) -> np.ndarray:
        """By how much of what was measured that changes with each number."""
        # Back from where the number ends.
        steps = np.where(at + DIFFERENCE > self.most, -DIFFERENCE, DIFFERENCE)
        found = [(self._seconds(at + row) - here) for row in np.diag(steps)]
        return (np.array(found) / steps[:, None]).T / self.measured[:, None]

    def _is_end(self, at: np.ndarray, here: np.ndarray, i: int, is_dead: bool) -> bool:
        """Whether a number may go no further, or is so small that nothing is left of it. `is_dead`:
        it has no effect where it is."""
        if at[i] <= self.least[i] + CLOSE or at[i] >= self.most[i] - CLOSE:
            return True
        larger, start = at.copy(), self.starts[i]
        larger[i] = min(self.most[i], np.log(10 * max(start.value, _guess(start.unit))))
        return is_dead and bool(np.any(np.abs(self._seconds(larger) / here - 1) > TIED))


def _step(matrix: np.ndarray, wanted: np.ndarray, down: np.ndarray, up: np.ndarray) -> np.ndarray:
    """How the numbers change, each between `down` and `up` at most: one that would go further than
    its end stays there, and the others make the best of that."""
    change, free = np.zeros(len(down)), np.full(len(down), True)
    while free.any():
        rest = wanted - matrix[:, ~free] @ change[~free]
        found = np.linalg.lstsq(matrix[:, free], rest, rcond=TIED)[0]
        change[free] = np.clip(found, -LONGEST_STEP, LONGEST_STEP)
        beyond = free & ((change < down) | (change > up))
        if not beyond.any():
            break
        change[beyond] = np.clip(change, down, up)[beyond]
        free &= ~beyond
    return change


def _start(build: Prepared, name: str) -> Start:
    """Where the search for a number begins."""
    component, _, key = name.partition(".")
    numbers = read_platform(build.platform, build.changes)
    for row in _rows_of(component, numbers):
        for (field, value), (ending, unit) in product(row.items(), UNITS.items()):
            if field.endswith(ending) and _is_of(field.removesuffix(ending), key, value):
                start = max(float(value), 1.0) if value else _guess(unit)
                return Start(start, unit, *_ends(key, row))
    raise user_error(
        "platform",
        f"the platform has no number `{name}`",
        help="name a component and a number of it as in the file, such as link.bandwidth",
    )


def _rows_of(component: str, numbers: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a platform says of the components of a name, or of a kind."""
    for kind, said in numbers.items():
        for row in said if isinstance(said, list) else [said]:
            if isinstance(row, dict):
                names = (kind, kind.removesuffix("s"), row.get("name"))
                yield from [row] if component in names else ()


def _ends(key: str, row: dict[str, Any]) -> tuple[float, float]:
    """The least and the most that a number may be: a link is no faster than its wires."""
    peak = row.get("peak_bandwidth_bytes_per_s")
    ways = [row.get(f"bandwidth_{way}_device_bytes_per_s", 1) for way in ("to", "from")]
    if key == "peak_bandwidth":
        return float(max(ways)), float("inf")
    return 1.0, float(peak) if peak and key.startswith("bandwidth") else float("inf")


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
    # Numbers of which little is left have small columns: those are no better known for that.
    lengths = np.maximum(np.linalg.norm(matrix, axis=0), np.finfo(float).tiny)
    scaled = matrix / lengths
    covariance = spread * np.linalg.pinv(scaled.T @ scaled, rcond=TIED**2, hermitian=True)
    return [
        float(min(student * np.sqrt(max(covariance[i, i], 0)) / lengths[i], MOST_WIDTH))
        for i in range(columns)
    ]


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
