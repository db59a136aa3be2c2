# SPDX-License-Identifier: Apache-2.0
"""The page of a chip that was built: what is where, and what of the device each part takes.

Reads the result's data only (docs/schemas/chip-build.json)."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tandem.report.page import show_table

PARTS = {"core": "the processor", "shell": "shells", "kernel": "kernels", "rest": "all else"}


def show_chip_build(result: dict[str, Any], console: Console) -> None:
    """Prints the page."""
    console.print(
        f"{escape(result['folder'])}: {result['platform']} as Verilog, module soc, with "
        f"{', '.join(map(escape, result['kernels'])) or 'no kernel'}; the program in program0.hex"
    )
    for row in result["slices"] or []:
        core, whole = row["core"], row["coprocessor"]
        console.print(
            f"{row['kernel']}: {core['estimate']:,} slices of {core['family']} alone, "
            f"{whole['estimate']:,} in its shell (estimated; at least {whole['least']:,})"
        )
    placed = result["placed"]
    if placed is None:
        return
    table = Table("part", "LUT4", "FF", "BRAM", "DSP", "MHz")
    for part, cells in placed["parts"].items():
        counts = [f"{cells[kind]:,}" for kind in ("lut4", "ff", "bram", "dsp")]
        rate = cells["fmax_mhz"]
        table.add_row(PARTS[part], *counts, "-" if rate is None else f"{rate:.1f}")
    show_table(table, console)
    verdict = "met" if placed["is_met"] else "NOT met"
    console.print(
        f"{placed['fmax_mhz']:.1f} MHz reached, {placed['clock_mhz']:g} asked for: {verdict}"
    )
    console.print(f"bitstream for {result['board']}: {', '.join(placed['files'])} in the folder")
