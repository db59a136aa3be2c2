# SPDX-License-Identifier: Apache-2.0
"""What is installed and what is missing, as a page of text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tandem.report.page import show_table

TITLES = {
    "core": "needed",
    "synthesis": "synthesis, place and route",
    "check": "other simulators",
    "chip": "systems on one chip",
    "system": "this machine's programs",
    "development": "work on Tandem itself",
}


def show_doctor(found: dict[str, Any], console: Console) -> None:
    """Each part with its version; then, of what does not work, the loss and the cure."""
    console.print(f"tandem {found['version']}, Python {found['python']}, {found['machine']}")
    table = Table(box=None, pad_edge=False, show_header=False)
    for group, title in TITLES.items():
        for number, row in enumerate(r for r in found["parts"] if r["group"] == group):
            state = row["version"] if row["state"] == "works" else row["state"]
            first = "" if number else title
            table.add_row(*(Text(t) for t in (first, row["name"], state, row["purpose"])))
    show_table(table, console)
    _show_cures([row for row in found["parts"] if row["state"] != "works"], console)
    ready = "all that is needed works" if found["is_ready"] else "what is needed does not all work"
    console.print(ready)


def _show_cures(rows: list[dict[str, Any]], console: Console) -> None:
    for row in rows:
        problem = f" ({row['problem']})" if row["problem"] else ""
        console.print(
            f"{row['name']} is {row['state']}{problem}. Without it: {row['without']}.\n"
            f"  help: {row['install']}",
            markup=False,
            soft_wrap=True,
        )
