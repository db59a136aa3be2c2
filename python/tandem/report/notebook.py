# SPDX-License-Identifier: Apache-2.0
"""Results in notebooks: a summary that needs neither a script nor a style sheet, so that it shows
wherever a notebook does, and the page of a result in a frame.

A page is 370 kB, which a notebook would keep for each cell; so it is there for the asking."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.report.gather import Gathered, title_of
from tandem.report.html import page_of
from tandem.report.tables import Row, tables_of
from tandem.report.times import in_unit

BAR_PX, BAR_HEIGHT_PX = 240, 12
MOST_ROWS = 30
SHOWN = ("breakdown", "baselines", "kernels", "loops", "candidates", "steps", "arguments", "advice")
"""The tables of a summary, in this order."""
COLUMNS = {
    "baselines": ("software", "time_s", "gain_total", "gain_no_config", "gain_device"),
    "kernels": ("name", "calls", "cycles", "ii", "latency_cycles", "clock_ps", "checked_calls"),
    "loops": ("kernel", "file", "line", "ii", "length_cycles", "iterations", "cycles", "limit"),
    "candidates": ("name", "calls", "share", "amdahl", "whole_s", "verdict", "alone.total_s"),
    "arguments": ("name", "kind", "direction", "extent", "extent_bytes"),
    "advice": ("name", "total_s", "gain", "no_config_s", "gain_no_config"),
}
"""Columns of a summary, where a table has more than people read."""


def summary(result: Mapping[str, Any]) -> str:
    """What a result says, and its tables, as HTML that is as light or dark as what is around it."""
    parts = [f"<p><strong>{html.escape(title_of([dict(result)], []))}</strong></p>"]
    parts += [f"<p>{html.escape(text)}</p>" for text in _sentences(result)]
    tables = tables_of(result)
    for name in SHOWN:
        if name == "breakdown" and name in tables:
            rows = tables[name]
            parts.append(bars("where the time went", "category", rows, "breakdown_s", "s"))
        elif name in tables:
            parts.append(table(name, tables[name], COLUMNS.get(name)))
    return f"<div>{''.join(parts)}</div>"


def _sentences(result: Mapping[str, Any]) -> Iterable[str]:
    if "checked_calls" in result and result.get("mode") != "emulate":
        yield f"{result['checked_calls']:,} calls compared, {result.get('mismatches', 0):,} differ"
    if "total_s" in result:
        yield f"total {seconds(result['total_s'])}"
    if result.get("ii") is not None:
        yield f"ii={result['ii']}, latency {result['latency_cycles']:,} cycles"
    yield from (result[name] for name in ("bottleneck", "note") if result.get(name))


def bars(title: str, label: str, rows: Sequence[Row], value: str, unit: str) -> str:
    """Rows with a bar each, as long as their value's part of the largest. The number stands beside
    it, for those who do not see the bar, and where pictures are taken out."""
    most = max((row[value] or 0 for row in rows), default=0) or 1
    lines = [
        f"<tr><th scope='row' style='text-align:left'>{html.escape(str(row[label]))}</th>"
        f"<td style='text-align:right'>{_shown(row[value], unit)}</td>"
        f"<td style='text-align:left'>{_bar((row[value] or 0) / most)}</td></tr>"
        for row in rows
    ]
    return f"<table><caption>{html.escape(title)}</caption><tbody>{''.join(lines)}</tbody></table>"


def _bar(share: float) -> str:
    width = round(BAR_PX * share, 1)
    return (
        f"<svg width='{BAR_PX}' height='{BAR_HEIGHT_PX}' aria-hidden='true'>"
        f"<rect width='{width}' height='{BAR_HEIGHT_PX}' fill='currentColor' opacity='0.6'/></svg>"
    )


def table(title: str, rows: Sequence[Row], columns: Sequence[str] | None = None) -> str:
    """Rows under the names of their columns, of those that any row has."""
    there = list(dict.fromkeys(name for row in rows for name in row))
    names = [name for name in columns or there if name in there]
    head = "".join(f"<th scope='col'>{html.escape(name)}</th>" for name in names)
    body = "".join(_line(row, names) for row in rows[:MOST_ROWS])
    left = len(rows) - MOST_ROWS
    more = f"<p>{left:,} more rows</p>" if left > 0 else ""
    head = f"<caption>{html.escape(title)}</caption><thead><tr>{head}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>{more}"


def _line(row: Row, names: Sequence[str]) -> str:
    cells = (f"<td>{_shown(row.get(name), _unit(name))}</td>" for name in names)
    return f"<tr>{''.join(cells)}</tr>"


def _unit(name: str) -> str:
    return "s" if name.endswith("_s") else ""


def _shown(value: Any, unit: str) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return seconds(value) if unit == "s" else f"{value:,.4g}"
    return f"{value:,}" if type(value) is int else html.escape(str(value))


def seconds(time_s: float) -> str:
    """A time with four digits."""
    value, unit = in_unit(time_s)
    return f"{value:.4g} {unit}"


@dataclass(frozen=True)
class PageView:
    """A page, which a notebook shows in a frame that reaches nothing outside of itself."""

    text: str
    height: int

    def _repr_html_(self) -> str:
        return (
            f"<iframe title='Tandem' sandbox='allow-scripts' srcdoc=\"{html.escape(self.text)}\" "
            f"style='width:100%;height:{self.height}px;border:0;resize:vertical'></iframe>"
        )


def page_view(result: Mapping[str, Any], packages: Iterable[Path], height: int) -> PageView:
    """The page of a result and its packages. Raises UserError if its program is not there."""
    page = Gathered(Path("page.html"), [dict(result)])
    page.add_packages(packages)
    return PageView(b"".join(page_of(page.data())).decode(), height)
