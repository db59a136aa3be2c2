# SPDX-License-Identifier: Apache-2.0
"""Where text pages go."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

PLAIN_WIDTH = 110
UNLIMITED = 10_000
BAR_CHARACTERS = 24


def page() -> Console:
    """Standard output: as wide as the terminal or $COLUMNS, or wide enough for every table."""
    is_given = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return Console(width=None if is_given else PLAIN_WIDTH, highlight=False, markup=True)


def show_table(table: Table, console: Console) -> None:
    """Prints a table; where it is wider than the page its lines break, and no number is cut."""
    wide = console.options.update(max_width=UNLIMITED)
    needed = Measurement.get(console, wide, table).maximum
    width = console.width
    console.width = max(width, needed)
    console.print(table)
    console.width = width


def pipeline(row: Mapping[str, Any]) -> str:
    """The `ii` and the latency of a kernel that is one pipeline, else that it is none."""
    if row["ii"] is None:
        return "not one pipeline"
    return f"ii={row['ii']}, latency {row['latency_cycles']} cycles"


def bar(share: float, console: Console) -> str:
    """A bar that long, of blocks where the output can show them."""
    try:
        "█".encode(console.encoding)
    except (UnicodeError, LookupError):
        return "#" * round(BAR_CHARACTERS * share)
    return "█" * round(BAR_CHARACTERS * share)
