# SPDX-License-Identifier: Apache-2.0
"""Two results side by side, as a page of text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table

ORDER = ("worse", "better", "other", "added", "removed")


def show_compare(found: dict[str, Any], console: Console) -> None:
    """What differs, the worse first; what does not is counted."""
    table = Table(box=None, pad_edge=False)
    for number, title in enumerate(("", "figure", "before", "after", "change", "")):
        table.add_column(title, justify="right" if number in (2, 3, 4) else "left", no_wrap=True)
    rows = sorted(
        (row for row in found["rows"] if row["verdict"] in ORDER),
        key=lambda row: ORDER.index(row["verdict"]),
    )
    for row in rows:
        values = (_value(row[side], row["unit"]) for side in ("before", "after"))
        measured = ", measured" if row["is_measured"] else ""
        verdict = f"{row['verdict']}{measured}"
        table.add_row(row["place"], row["name"], *values, _change(row), verdict)
    if rows:
        show_table(table, console)
    for row in rows:
        if row["verdict"] == "worse" and row["limit"]:
            console.print(f"{row['place']}: {row['limit']}", markup=False, soft_wrap=True)
    verdicts = [row["verdict"] for row in found["rows"]]
    noise = verdicts.count("noise")
    told = f", {noise} differ by no more than {found['measured_percent']:g} %" if noise else ""
    console.print(
        f"{found['worse']} worse, {found['better']} better, {verdicts.count('same')} the same{told}"
    )


def _change(row: dict[str, Any]) -> str:
    return "" if row["ratio"] is None else f"{100 * (row['ratio'] - 1):+.3g} %"


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "s":
        for name, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
            if abs(value) >= scale:
                return f"{value / scale:,.3f} {name}"
        return f"{value * 1e9:.1f} ns" if value else "0"
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return f"{text} {unit}" if unit == "ns" else text
