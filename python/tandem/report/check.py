# SPDX-License-Identifier: Apache-2.0
"""Budgets and what kernels take, as a page of text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table


def show_check(found: dict[str, Any], console: Console) -> None:
    """Each limit, and the reason of each that is not kept."""
    table = Table(box=None, pad_edge=False)
    for number, title in enumerate(("kernel", "limit", "at most", "now", "")):
        table.add_column(title, justify="right" if number in (2, 3) else "left", no_wrap=True)
    for kernel in found["kernels"]:
        for row in kernel["limits"]:
            verdict = "kept" if row["is_kept"] else "not kept"
            if found["is_updated"]:
                verdict = "updated"
            values = (_number(row["most"]), _number(row["value"]))
            table.add_row(kernel["kernel"], row["name"], *values, verdict)
    if table.rows:
        show_table(table, console)
    for kernel in found["kernels"]:
        reasons = [row["reason"] for row in kernel["limits"] if row["reason"] is not None]
        for row in (*reasons, *kernel["errors"]):
            place = f"{row['file']}:{row['line']}: " if row["line"] else ""
            console.print(f"{place}{row['message']}", markup=False, soft_wrap=True)
            if row["help"]:
                console.print(f"  help: {row['help']}", markup=False, soft_wrap=True)
        if kernel["errors"]:
            console.print(f"{kernel['kernel']} cannot be built or run", markup=False)
    if found["is_updated"]:
        console.print(f"{found['budget']} has what the kernels take now", markup=False)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
