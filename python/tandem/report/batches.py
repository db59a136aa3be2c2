# SPDX-License-Identifier: Apache-2.0
"""What batches cost, as text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.fit import magnitude
from tandem.report.page import show_table

PS = 1e12


def show_batches(found: dict[str, Any], console: Console) -> None:
    """The costs, the runs beside the line through them, and the best batch."""
    table = Table("each", "takes", "95 % between")
    for name, cost in found["costs_s"].items():
        if cost["seconds"] is None:
            table.add_row(name, "", "all calls have one size: it is in what a call takes")
            continue
        between = "" if cost["low"] is None else f"{_text(cost['low'])} and {_text(cost['high'])}"
        table.add_row(name, _text(cost["seconds"]), between)
    show_table(table, console)
    console.print(f"a straight line is off by {found['typical_error']:.2%} of a batch")
    runs = Table(
        "calls together", "a call costs", "predicted", "is there after", "99 of 100", "all"
    )
    for row in found["runs"]:
        names = ("a_call_s", "predicted_s", "p50_s", "p99_s", "most_s")
        times = (_text(row[name]) for name in names)
        runs.add_row(f"{row['calls']:,}", *times)
    show_table(runs, console)
    limit = found["within_s"]
    if found["best"] is None:
        console.print(f"no batch ends within {_text(limit)}: a call alone takes longer")
        return
    why = (
        f"the largest that ends within {_text(limit)}"
        if limit is not None
        else "the smallest whose own cost is a tenth of its calls', or all of them"
    )
    if found["best"] == found["most_together"]:
        why = "a later call reads what the first of them has written"
    console.print(f"best: --set batch.calls={found['best']} ({why})", markup=False)
    if found["most_together"] is None:
        console.print("if the program does not need each result before the next call")


def _text(seconds: float) -> str:
    sign = "-" if seconds < 0 else ""
    return sign + magnitude(abs(seconds) * PS, "ps")
