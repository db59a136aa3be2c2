# SPDX-License-Identifier: Apache-2.0
"""What calls would want of the FIFOs between a kernel's processes."""

from __future__ import annotations

from typing import Any

from rich.console import Console


def show_fifos(tally: dict[str, Any], console: Console) -> None:
    """A line for each FIFO, of a kernel whose calls were looked at: `tally` is a run's `fifos`."""
    for row in tally["rows"]:
        least = row["least_depth"]
        if least is None:
            continue
        text = f"`{row['name']}`: a FIFO of {row['depth']} records of {row['record_bits']} bits"
        if least < row["depth"]:
            text += f"; {least} would do"
        elif least > row["depth"]:
            text += f"; {least} would cost no cycle"
        console.print(text, markup=False, highlight=False)
    if tally["rows"] and tally["cycles"] > tally["least_cycles"]:
        console.print(
            f"with that room the calls would take {tally['least_cycles']:,} cycles in place of "
            f"{tally['cycles']:,}",
            markup=False,
            highlight=False,
        )
