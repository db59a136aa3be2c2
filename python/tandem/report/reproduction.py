# SPDX-License-Identifier: Apache-2.0
"""Published tables beside ours, as text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table

MARKS = {"fitted": "*", "interpreted": "?", "derived": "=", "beside": "~"}
"""Behind cells that are no predictions."""


def show_reproduction(title: str, cells: list[dict[str, Any]], console: Console) -> None:
    """One table a published table: paper, ours and error in every cell."""
    marks = ", ".join(f"{mark} {role}" for role, mark in MARKS.items())
    console.print(f"[bold]{title}[/bold]: paper / ours (error); {marks}", highlight=False)
    for name in dict.fromkeys(c["table"] for c in cells):
        chosen = [c for c in cells if c["table"] == name]
        columns = list(dict.fromkeys(c["column"] for c in chosen))
        table = Table(title=name, title_justify="left")
        for column in ("row", *columns):
            table.add_column(column, justify="right")
        for row in dict.fromkeys(c["row"] for c in chosen):
            here = {c["column"]: c for c in chosen if c["row"] == row}
            texts = [_cell(here[c]) if c in here else "" for c in columns]
            table.add_row(row, *texts)
        show_table(table, console)
    for role in ("independent", *MARKS):
        chosen = [c for c in cells if c["role"] == role]
        if chosen:
            console.print(f"{len(chosen)} {role} cells: {_errors(chosen)}")


def _errors(cells: list[dict[str, Any]]) -> str:
    errors = [abs(c["error"]) for c in cells]
    excess = max(c["excess"] for c in cells)
    return (
        f"largest error {max(errors):.1%}, mean {sum(errors) / len(errors):.1%}; "
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
    return f"{paper} / {cell['ours']:.5g} ({cell['error']:+.1%}){MARKS.get(cell['role'], '')}"
