# SPDX-License-Identifier: Apache-2.0
"""What the cache of builds holds, as a page of text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.baselines import size_text
from tandem.report.page import show_table

SECONDS_A_DAY = 24 * 3600
AGES = (("today", 1), ("this week", 7), ("before", float("inf")))
"""When an entry was used last, and the days after which it was not."""
KINDS = {
    "application": "applications",
    "core": "processors' models",
    "placement": "placed chips",
    "source": "made applications",
    "recipe": "recipes",
    "unfinished": "unfinished",
    "damaged": "damaged",
}


def show_cache(found: dict[str, Any], console: Console) -> None:
    """Where, how much, what by kind and age; then the folders of the tools."""
    console.print(_place(found), soft_wrap=True, markup=False)
    if found["entries"]:
        show_table(_by_kind(found["entries"]), console)
    for row in found["others"]:
        text = f"{row['name']} keeps {size_text(row['size_bytes'])} in {row['folder']}"
        console.print(f"{text}: {row['holds']}", soft_wrap=True, markup=False)


def show_cleared(done: dict[str, Any], console: Console) -> None:
    """What is gone, and what was left because the cache did not make it."""
    size = size_text(done["removed_bytes"])
    console.print(f"removed {done['removed']} entries, {size}, from {done['folder']}", markup=False)
    for path in done["left"]:
        console.print(f"left: {path}", soft_wrap=True, markup=False)


def _place(found: dict[str, Any]) -> str:
    if found["state"] == "off":
        return "no builds are kept: TANDEM_CACHE is off"
    if found["state"] == "unusable":
        return f"no builds are kept: {found['folder']} is no folder that this user alone can write"
    size, most = size_text(found["size_bytes"]), size_text(found["most_bytes"])
    return f"builds are kept in {found['folder']}: {size} of at most {most}"


def _by_kind(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for title in ("entries", "size", *(f"used {name}" for name, _ in AGES)):
        table.add_column(title, justify="right", no_wrap=True)
    for kind, title in KINDS.items():
        own = [row for row in rows if row["kind"] == kind]
        if own:
            size = size_text(sum(row["size_bytes"] for row in own))
            table.add_row(title, str(len(own)), size, *map(str, _ages(own)))
    return table


def _ages(rows: list[dict[str, Any]]) -> list[int]:
    """How many were used last in each of AGES."""
    days = [row["age_s"] / SECONDS_A_DAY for row in rows]
    limits = [0.0, *(most for _, most in AGES)]
    return [sum(limits[i] <= day < limits[i + 1] for day in days) for i in range(len(AGES))]
