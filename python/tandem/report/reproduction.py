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
            texts = [_cell(here[c]) if c in here else "" for c in columns]
            table.add_row(f"{row}{mark}", *texts)
        show_table(table, console)
    predicted = [c for c in cells if c["role"] == "predicted"]
    if predicted:
        errors = [abs(c["error"]) for c in predicted]
        excess = max(c["excess"] for c in predicted)
        console.print(
            f"{len(predicted)} predicted cells: largest error {max(errors):.1%}, "
            f"mean {sum(errors) / len(errors):.1%}; "
            f"at most {excess:.1%} outside of what the paper's digits tell"
        )


def _cell(cell: dict[str, Any]) -> str:
    if cell["paper"] is None:
        return f"{cell['ours']:.5g}"
    paper = f"{cell['paper']:.5g}"
    if cell["paper"] == cell["high"] > cell["low"]:
        paper = f"{cell['low']:.5g} to {paper}"
    if cell["role"] == "given":
        return paper
    return f"{paper} / {cell['ours']:.5g} ({cell['error']:+.1%})"
