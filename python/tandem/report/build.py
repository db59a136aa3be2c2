# SPDX-License-Identifier: Apache-2.0
"""What `tandem build` tells."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tandem.report.loops import show_loops
from tandem.report.page import pipeline, show_table


def show_build(result: dict[str, Any], console: Console) -> None:
    """The result of a build as a page of text."""
    name = escape(result["kernel"])
    console.print(
        f"[bold]{name}[/bold] for {result['target']} at {result['clock_ns']:g} ns: "
        f"{pipeline(result)}"
    )
    show_loops(result["loops"], console)
    for function in result["functions"]:
        name, calls = function["name"], function["calls"]
        console.print(escape(f"`{name}` is one piece of hardware for {calls} calls"))
    for process in result["processes"]:
        console.print(_process(process), markup=False, highlight=False)
    for row in result["fifos"]:
        text = f"`{row['name']}`: a FIFO of {row['depth']} records of {row['record_bits']} bits"
        console.print(text, markup=False, highlight=False)
    table = Table(box=None, pad_edge=False)
    for title in ("argument", "kind", "direction", "bytes of a call"):
        table.add_column(title)
    for row in result["arguments"]:
        table.add_row(row["name"], row["kind"], row["direction"], row["extent_bytes"])
    show_table(table, console)
    for row in result["arguments"]:
        if row["most"] is not None:
            served = f"calls in which `{row['name']}` is from {row['least']} to {row['most']:,}"
            console.print(f"the device serves {served}, the host all others", highlight=False)
    show_resources(result, console)
    console.print(f"package: {result['package']}", soft_wrap=True)


def show_times(times: dict[str, Any], console: Console) -> None:
    """What the stages have taken, and how many ways to build the kernel were tried."""
    table = Table(box=None, pad_edge=False)
    table.add_column("stage")
    for title in ("seconds", "runs"):
        table.add_column(title, justify="right")
    for row in times["stages"]:
        table.add_row(row["stage"], f"{row['seconds']:.3f}", f"{row['runs']:,}")
    table.add_row("all stages", f"{times['seconds']:.3f}", "")
    show_table(table, console)
    console.print(f"ways to build it that were tried: {times['trials']:,}", highlight=False)


def _process(row: dict[str, Any]) -> str:
    sides = [("takes from", row["takes"]), ("gives to", row["gives"])]
    told = [f"{verb} {', '.join(f'`{n}`' for n in names)}" for verb, names in sides if names]
    return f"process `{row['name']}`{': ' if told else ''}{' and '.join(told)}"


def show_resources(result: dict[str, Any], console: Console) -> None:
    """Area and clock rate, estimated or placed."""
    console.print(_resources(result))


def show_slices(result: dict[str, Any], console: Console) -> None:
    """The cells and slices of an older family."""
    area = result["slices"]
    console.print(
        f"on {area['family_name']} ({area['family']}): {area['lut4']:,} LUT4, "
        f"{area['ff']:,} FF, {area['carry']} bits of carry chains, "
        f"{area['wide']:,} wide multiplexers, {area['bram']} block RAMs, "
        f"{area['dsp']} multipliers; {area['estimate']:,} slices, {area['least']:,} at least"
    )


def _resources(result: dict[str, Any]) -> str:
    area = result["resources"]
    if area["estimated"]:
        return (
            f"estimated: {area['lut4']:,} LUT4, {area['ff']:,} FF, {area['dsp']} multipliers, "
            f"tables {area['rom_bits']:,} bits, memories {area['ram_bits']:,} bits, "
            f"{result['fmax_mhz']:.0f} MHz (--place measures)"
        )
    clock_ns, fmax_mhz = result["clock_ns"], result["fmax_mhz"]
    met = "meets" if fmax_mhz * clock_ns >= 1000 else "MISSES"
    return (
        f"placed on {area['device']}: {area['lut4']:,} LUT4, {area['ff']:,} FF, "
        f"{area['bram']} block RAMs, {area['dsp']} multipliers; "
        f"{fmax_mhz:.1f} MHz, {met} {clock_ns:g} ns"
    )
