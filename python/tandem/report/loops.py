# SPDX-License-Identifier: Apache-2.0
"""A kernel's loops: how they are scheduled, and what each took of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table

Rows = Sequence[dict[str, Any]]


def show_loops(loops: Rows, console: Console) -> None:
    """The schedule of every loop, as `tandem build` knows it."""
    table = _table("ii", "cycles an iteration")
    for row in loops:
        table.add_row(_name(row, loops), _number(row["ii"]), _number(row["length_cycles"]))
    _show(table, loops, console)


def show_loops_of_run(kernel: dict[str, Any], console: Console) -> None:
    """Every loop with its part of the kernel's cycles, those of inner loops apart."""
    if not kernel["cycles"]:
        return
    table = _table("ii", "iterations", "cycles", "share")
    for row in kernel["loops"]:
        share = f"{row['cycles'] / kernel['cycles']:.1%}"
        numbers = [_number(row[key]) for key in ("ii", "iterations", "cycles")]
        table.add_row(_name(row, kernel["loops"]), *numbers, share)
    for name, cycles in (
        ("outside of loops", kernel["outside_cycles"]),
        ("waiting for records", kernel["waiting_cycles"]),
    ):
        if cycles or name == "outside of loops":
            table.add_row(name, "", "", _number(cycles), f"{cycles / kernel['cycles']:.1%}")
    _show(table, kernel["loops"], console)


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("loop", no_wrap=True)
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _show(table: Table, loops: Rows, console: Console) -> None:
    if not loops:
        return
    show_table(table, console)
    for row in loops:
        for text in row.get("changes", []):
            console.print(f"loop at {_place(row, loops)}: {text}", markup=False)
        if row["limit"]:
            console.print(f"loop at {_place(row, loops)}: {row['limit']}", markup=False)


def _name(row: dict[str, Any], loops: Rows) -> str:
    part = f", {row['part']}" if row.get("part") else ""
    return f"{'  ' * (row['depth'] - 1)}{_place(row, loops)}{part}"


def _place(row: dict[str, Any], loops: Rows) -> str:
    """A loop's line, with its file where not all loops are in the kernel's own, and its column
    where its line has several."""
    beside = [other for other in loops if _line(other) == _line(row) and not other.get("part")]
    columns = {other.get("column", 0) for other in beside}
    is_one = not any(other.get("elsewhere") for other in loops)
    place = f"line {row['line']}" if is_one else f"{row['file']}:{row['line']}"
    if len(columns) > 1:
        place += f"{', column ' if is_one else ':'}{row['column']}"
    return place


def _line(row: dict[str, Any]) -> tuple[str, int]:
    return row["file"], row["line"]


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
