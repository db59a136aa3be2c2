# SPDX-License-Identifier: Apache-2.0
"""Fitted numbers of a platform, as text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table

SCALES = {
    "ps": [("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3), ("ps", 1)],
    "B/s": [("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1)],
    "B": [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1)],
    "Hz": [("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3), ("Hz", 1)],
    "": [("", 1)],
}


def show_fit(fit: dict[str, Any], console: Console) -> None:
    """The numbers, how well they are known, and each measurement beside what they give."""
    table = Table("number", "value", "95 % between", "known")
    for number in fit["numbers"]:
        low, high = number["low"], number["high"]
        between = "" if low is None else f"{_text(low, number)} and {_text(high, number)}"
        table.add_row(number["name"], _text(number["value"], number), between, _known(number))
    show_table(table, console)
    rows = Table("arguments", "figure", "measured", "fitted", "error")
    for row in fit["measurements"]:
        error = row["fitted_s"] / row["measured_s"] - 1
        arguments = " ".join([*row["arguments"], *(f"--set {c}" for c in row["changes"])])
        seconds = (f"{row[k]:.6g} s" for k in ("measured_s", "fitted_s"))
        rows.add_row(arguments, row["figure"], *seconds, f"{error:+.1%}")
    show_table(rows, console)


def magnitude(value: float, base: str) -> str:
    """A value in a base unit, as people write it."""
    scales = SCALES[base]
    unit, scale = next((s for s in scales if value >= s[1]), scales[-1])
    return f"{value / scale:.4g} {unit}".rstrip()


def _text(value: float, number: dict[str, Any]) -> str:
    return magnitude(value, number["unit"])


def _known(number: dict[str, Any]) -> str:
    if number["end"]:
        return "not at all: it went as far as it may; another number, given, is perhaps wrong"
    if number["tied"] == [number["name"]]:
        return "not at all: no measurement depends on it"
    if number["tied"]:
        return f"not apart from {', '.join(number['tied'])}: give one of them"
    if number["low"] is None:
        return "exactly as many measurements as numbers: nothing tells"
    spread = number["high"] / number["value"] - 1
    if spread > 1:
        return "hardly: give it, or measure what depends on it more"
    return f"within {spread:.1%}" if spread >= 0.0005 else "within 0.1%"
