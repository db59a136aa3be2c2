# SPDX-License-Identifier: Apache-2.0
"""Published tables beside ours, as text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table


def show_reproduction(title: str, cells: list[dict[str, Any]], console: Console) -> None:
    """One table a published table: paper, ours and error in every cell."""
    console.print(f"[bold]{title}[/bold]: paper / ours (error); * rows calibrated the platform")
    for name in dict.fromkeys(c["table"] for c in cells):
        chosen = [c for c in cells if c["table"] == name]
        columns = list(dict.fromkeys(c["column"] for c in chosen))
        table = Table(title=name, title_justify="left")
        for column in ("row", *columns):
            table.add_column(column, justify="right")
        for row in dict.fromkeys(c["row"] for c in chosen):
            here = {c["column"]: c for c in chosen if c["row"] == row}
            mark = "*" if any(c["role"] == "calibrated" for c in here.values()) else ""
            table.add_row(f"{row}{mark}", *[_cell(here[c]) for c in columns])
        show_table(table, console)
    predicted = [abs(c["error"]) for c in cells if c["role"] == "predicted"]
    console.print(
        f"{len(predicted)} predicted cells, largest error {max(predicted):.1%}, "
        f"mean {sum(predicted) / len(predicted):.1%}"
    )


def _cell(cell: dict[str, Any]) -> str:
    return f"{cell['paper']:.5g} / {cell['ours']:.5g} ({cell['error']:+.1%})"
