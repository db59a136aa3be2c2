# SPDX-License-Identifier: Apache-2.0
"""The page of `tandem build --why`: what a line of the C became."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table


def show_line(rows: list[dict[str, Any]], line: int, console: Console) -> None:
    """The rows as a table, and what limits the loops that they are in."""
    table = Table(box=None, pad_edge=False)
    for title in (f"line {line}", "bits", "loop", "cycle", "in", "waits for"):
        table.add_column(title)
    loops = {_loop(row) for row in rows}
    for cells, count in Counter(_cells(row, loops) for row in rows).items():
        table.add_row(f"{count} {cells[0]}" if count > 1 else cells[0], *cells[1:])
    show_table(table, console)
    for limit in dict.fromkeys(row["limit"] for row in rows if row["limit"]):
        console.print(f"its loop: {limit}")


_Loop = tuple[int | None, int | None]
"""Line and column of a pipeline; nothing for what is in none."""


def _loop(row: dict[str, Any]) -> _Loop:
    return row["loop_line"], row["loop_column"]


def _cells(row: dict[str, Any], loops: Collection[_Loop]) -> tuple[str, ...]:
    """What is told of an operation; of its loop the column too where its line has several."""
    loop = "-" if row["loop_line"] is None else f"line {row['loop_line']}"
    if sum(line == row["loop_line"] for line, _ in loops) > 1:
        loop += f", column {row['loop_column']}"
    numbers = str(row["bits"]), loop, str(row["cycle"])
    return row["operation"], *numbers, row["unit"], row["waits_for"]
