# SPDX-License-Identifier: Apache-2.0
"""Runs of an application over ranges of numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, overload

from rich.console import Console
from rich.progress import Progress

from tandem import interface
from tandem.diagnostics import TandemError, user_error
from tandem.report.notebook import bars, table
from tandem.report.tables import Library, rows_frame
from tandem.result import Result

OF_RUNS = ("arguments", "clock_ns", "mode", "optimise", "platform")
"""What a sweep is over beside a platform's numbers: arguments of `run`."""
FIGURES = ("total_s", "no_config_s", "device_s", "cycles")
Point = dict[str, Any]


@dataclass
class Sweep(Sequence[Result]):
    """Results, a point each. `points`: what each was run with; `failed`: points of which there is
    no result, and why; `is_complete`: whether it was not interrupted."""

    points: list[Point] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    failed: list[tuple[Point, TandemError]] = field(default_factory=list)
    is_complete: bool = False

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        return self.results[index]

    def rows(self) -> list[dict[str, Any]]:
        """A row a point: what it was run with, seconds, cycles, and the gains over software."""
        return [
            {**{k: _cell(v) for k, v in point.items()}, **_figures(result)}
            for point, result in zip(self.points, self.results, strict=True)
        ]

    def frame(self, library: Library | None = None) -> Any:
        """The rows as a frame of `pandas` or `polars`. Raises UserError without either."""
        return rows_frame(self.rows(), library)

    def _repr_html_(self) -> str:
        texts = map(point_text, self.points)
        told = [{"point": text, **row} for text, row in zip(texts, self.rows(), strict=True)]
        shown = bars("without configuration", "point", told, "no_config_s", "s")
        shown += table("points", self.rows())
        if self.failed:
            wrong = [{"point": point_text(p), "error": str(error)} for p, error in self.failed]
            shown += table("failed", wrong)
        left = "" if self.is_complete else "<p>interrupted: the points that were done</p>"
        return f"<div>{left}{shown}</div>"


def _cell(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else " ".join(map(str, value))


def _figures(result: Result) -> dict[str, Any]:
    gains = next(iter((result.get("speedups") or {}).values()), {})
    found = {name: result[name] for name in FIGURES if name in result}
    return found | {f"gain_{name}": gain for name, gain in gains.items()}


def point_text(point: Point) -> str:
    """A point in words."""
    return ", ".join(f"{name}={_cell(value)}" for name, value in point.items())


def sweep(
    application: str | os.PathLike[str],
    offload: str | Sequence[str],
    arguments: Sequence[str] = (),
    *,
    over: Mapping[str, Sequence[Any]],
    changes: Sequence[str] = (),
    **others: Any,
) -> Sweep:
    """Runs an application for every combination of the values in `over`: of a platform's numbers by
    the names that `changes` has, such as "link.bandwidth", and of `arguments`, `clock_ns`,
    `mode`, `optimise` and `platform`. `others` are those of `run`. Kernels are built again only
    where the clock, the goal or the platform's device is another one, and builds are kept.

    What is interrupted keeps what is done, and a point that fails does not keep the others from
    being tried. Raises UserError for a name that is none, and what the first point raised if all
    fail."""
    points = _points(over)
    made = Sweep()
    with _progress(len(points)) as advance:
        try:
            for point in points:
                _try(made, point, application, offload, {"arguments": arguments, **others}, changes)
                advance(point)
            made.is_complete = True
        except KeyboardInterrupt:
            pass
    if made.failed and not made.results:
        raise made.failed[0][1]
    return made


def _try(
    made: Sweep,
    point: Point,
    application: str | os.PathLike[str],
    offload: str | Sequence[str],
    known: dict[str, Any],
    changes: Sequence[str],
) -> None:
    """Runs a point and keeps what comes of it."""
    own = {name: value for name, value in point.items() if name in OF_RUNS}
    moved = [f"{name}={value}" for name, value in point.items() if name not in OF_RUNS]
    try:
        result = interface.run(application, offload, changes=[*changes, *moved], **{**known, **own})
    except TandemError as error:
        made.failed.append((point, error))
    else:
        made.points.append(point)
        made.results.append(result)


def _points(over: Mapping[str, Sequence[Any]]) -> list[Point]:
    """Every combination. Raises UserError for names that are none, and where there is nothing."""
    for name, values in over.items():
        if name not in OF_RUNS and "." not in name:
            known = f"COMPONENT.NUMBER of the platform, or {', '.join(OF_RUNS)}"
            raise user_error("sweep", f"a sweep over `{name}`", help=f"name one of: {known}")
        if isinstance(values, str) or not list(values):
            raise user_error("sweep", f"no list of values for `{name}`", help="give a list")
    if not over:
        raise user_error("sweep", "a sweep over nothing", help='over={"clock_ns": [5, 10]}')
    return [dict(zip(over, values, strict=True)) for values in product(*over.values())]


@contextmanager
def _progress(points: int) -> Iterator[Any]:
    """Tells how far it is, on standard error: by a bar on a terminal, by lines in a notebook."""
    if "ipykernel" in sys.modules:
        done = iter(range(1, points + 1))
        yield lambda point: print(f"\r{next(done)} of {points}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("sweep", total=points)
        yield lambda point: bar.update(task, advance=1, description=point_text(point))
