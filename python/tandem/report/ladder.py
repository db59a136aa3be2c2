# SPDX-License-Identifier: Apache-2.0
"""What `tandem build --ladder` tells."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.page import show_table

COLUMNS = (
    ("LUT4", "lut4"),
    ("FF", "ff"),
    ("multipliers", "dsp"),
    ("block RAMs", "bram"),
)


def show_ladder(result: dict[str, Any], console: Console) -> None:
    """The steps as a table, then what each is and its edit."""
    item, steps = result["item"], result["steps"]
    console.print(
        f"[bold]{result['kernel']}[/bold] for {result['target']} at {result['clock_ns']:g} ns; "
        f"an item is {_item(item)}",
        soft_wrap=True,
    )
    has_slices = any(step["slices"] for step in steps)
    software = result["software"]
    table = Table(box=None, pad_edge=False)
    table.add_column("step")
    for title in ("cycles an item", "ii", "latency", *(t for t, _ in COLUMNS)):
        table.add_column(title, justify="right")
    for title in [*(["slices"] if has_slices else []), "MHz", "gain", "speed-up"]:
        table.add_column(title, justify="right")
    for title in ("over core", "over host") if software else ():
        table.add_column(title, justify="right")
    for number, step in enumerate(steps):
        table.add_row(*_row(number, step, has_slices))
    show_table(table, console)
    if software:
        console.print(_software(software), markup=False)
    for number, step in enumerate(steps[1:], 1):
        _show_edit(number, step, console)
    console.print(f"points and edits: {result['folder']}", soft_wrap=True, markup=False)


def title(step: dict[str, Any]) -> str:
    """What a step has taken, in a few words."""
    return ", ".join(_refinement(row) for row in step["taken"]) or "as written"


def _refinement(row: dict[str, Any]) -> str:
    number = f"({row['count']})" if "count" in row else ""
    place = f" {row['line']}:{row['column']}" if "line" in row else ""
    name = next((f" {row[key]}" for key in ("table", "function") if key in row), "")
    return f"{row['refine']}{number}{place}{name}"


def _item(item: dict[str, Any]) -> str:
    if item["of"] == "call":
        return "a call"
    return f"an iteration of the loop at {item['file']}:{item['line']}:{item['column']}"


def _row(number: int, step: dict[str, Any], has_slices: bool) -> list[str]:
    cells = [f"{number} {title(step)}", f"{step['cycles_an_item']:,.2f}"]
    cells += ["-" if step[n] is None else f"{step[n]:,}" for n in ("ii", "latency_cycles")]
    cells += [f"{step[name]:,}" for _, name in COLUMNS]
    if has_slices:
        cells.append(f"{step['slices']['estimate']:,}")
    return [
        *cells,
        f"{step['fmax_mhz']:.0f}",
        f"{step['gain']:.2f}" if number else "",
        f"{step['speedup']:,.1f}",
        *(f"{step[n]:,.2f}" for n in ("over_core", "over_host") if step[n] is not None),
    ]


def _software(row: dict[str, Any]) -> str:
    return (
        f"core: the C function on the core of {row['platform']}, {row['core_s']:.3g} s for "
        f"{row['calls']:,} calls; host: on this machine, {row['host_s']:.3g} s; steps by estimate, "
        f"without what moves data"
    )


def _show_edit(number: int, step: dict[str, Any], console: Console) -> None:
    console.print(f"\n{number}. {title(step)}: {'; '.join(step['summaries'])}", markup=False)
    text = step["edit"]
    if text is None:
        text = "no edit: its loop is a macro's, which has no line of its own"
    console.print(text.rstrip("\n"), markup=False, soft_wrap=True)
