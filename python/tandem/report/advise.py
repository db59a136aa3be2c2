# SPDX-License-Identifier: Apache-2.0
"""Which functions of an application are worth offloading, as a page of text."""

from __future__ import annotations

import shlex
from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.report.baselines import break_even_text
from tandem.report.breakdown import show_run
from tandem.report.page import show_table
from tandem.report.times import time_text

VERDICTS = {"yes": "yes", "once-configured": "once configured", "no": "no", "untried": "untried"}
SHOWN_SETS = 5
SHOWN_LOOPS = 5
PART = 0.01
"""Functions with a smaller part of the time are counted, not shown."""


def show_advise(found: dict[str, Any], console: Console) -> None:
    """The application's time, each candidate, sets, what stops the others, and the answer."""
    native = found["native"]
    console.print(
        f"\n{found['application']} takes {time_text(native['total_s'])} here in software; on "
        f"{found['platform_title']}:",
        markup=False,
    )
    _show_candidates(found, console)
    _show_sets(found, console)
    _show_loops(found, console)
    _show_reasons(found, console)
    _show_answer(found, console)
    if found["applied"] is not None:
        show_run(found["applied"], console)


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", no_wrap=True)
    return table


def _show_candidates(found: dict[str, Any], console: Console) -> None:
    titles = ("function", "calls", "share", "at most", "in software", "offloaded", "application")
    table = _table(*titles, "once configured", "worth it")
    rows = found["candidates"]
    shown = [row for row in rows if row["share"] >= PART or row["verdict"] != "no"]
    for row in shown:
        one: dict[str, Any] = row["alone"] or {}
        served = bool(row["hardware"] and one["calls"])
        table.add_row(
            row["name"],
            f"{row['calls']:,}",
            f"{row['share']:.1%}",
            "" if row["amdahl"] is None else f"{row['amdahl']:,.2f}x",
            time_text(one["software_s"] if served else row["whole_s"]),
            time_text(one["total_s"]) if served else "",
            _gain(one["application_gain"]) if served else "",
            _gain(one["application_gain_once"]) if served else "",
            VERDICTS[row["verdict"]],
        )
    if shown:
        show_table(table, console)
    if len(rows) > len(shown):
        console.print(f"{len(rows) - len(shown)} more take less than {PART:.0%} each")
    for row in rows:
        _show_hardware(row, console)


def _show_hardware(row: dict[str, Any], console: Console) -> None:
    made, one = row["hardware"], row["alone"]
    if made is None or not one["calls"]:
        return
    words = [f"{made['cycles_a_call']:,.0f} cycles a call"]
    words += [f"ii={made['ii']}"] if made["ii"] is not None else []
    words += [f"clock {made['clock_ns']:g} ns"]
    area = made["area"] or {}
    words += [f"{area[name]:,} {name.upper()}" for name in ("lut4", "ff", "dsp") if area.get(name)]
    moved = f"{made['bytes_in_a_call']:,.0f} bytes in and {made['bytes_out_a_call']:,.0f} out"
    text = f"{row['name']}: {', '.join(words)}; {moved} a call"
    console.print(text, markup=False, soft_wrap=True)
    sizes = one["break_even_bytes"]
    if sizes and sizes["no_config"] is not None:
        text = f"breaks even from {break_even_text(sizes)} ({one['data_kind']} of a call)"
        console.print(f"{row['name']}: {text}", markup=False, soft_wrap=True)


def _show_sets(found: dict[str, Any], console: Console) -> None:
    several = [row for row in found["sets"] if len(row["functions"]) > 1]
    if not several:
        return
    table = _table("together", "offloaded", "application", "once configured", "loads")
    for row in several[:SHOWN_SETS]:
        table.add_row(
            ", ".join(row["functions"]),
            time_text(row["total_s"]),
            _gain(row["application_gain"]),
            _gain(row["application_gain_once"]),
            f"{row['loads']:,}",
        )
    show_table(table, console)


def _show_loops(found: dict[str, Any], console: Console) -> None:
    table = _table("loop", "in", "entered", "share")
    rows = [row for row in found["loops"] if row["share"] >= PART][:SHOWN_LOOPS]
    for row in rows:
        place = f"{row['file']}:{row['line']}"
        table.add_row(place, row["function"], f"{row['entries']:,}", f"{row['share']:.1%}")
    if rows:
        show_table(table, console)


def _show_reasons(found: dict[str, Any], console: Console) -> None:
    rows = [
        reason
        for row in found["candidates"]
        if row["share"] >= PART or row["verdict"] != "no"
        for reason in row["reasons"]
    ]
    for row in (*rows, *found["obstacles"]):
        place = f"{row['file']}:{row['line']}" if row["line"] else row["file"]
        where = f"{place}: " if place else ""
        console.print(f"{where}{row['message']}", markup=False, soft_wrap=True)
        if row["help"]:
            console.print(f"  help: {row['help']}", markup=False, soft_wrap=True)
    if found["untried"]:
        console.print(f"not compiled (--most): {', '.join(found['untried'])}", markup=False)
    if found["has_untried_sets"]:
        console.print("not all sets that may be better were tried")


def _show_answer(found: dict[str, Any], console: Console) -> None:
    best, once = found["best"], found["best_once_configured"]
    if best is not None:
        gain = _gain(best["application_gain"])
        console.print(f"worth offloading: {_options(best)}, the application {gain} as fast")
    if once is not None and (best is None or best["functions"] != once["functions"]):
        gain = _gain(once["application_gain_once"])
        beside = "once configured" if best else "worth offloading only once configured"
        console.print(f"{beside}: {_options(once)}, the application {gain} as fast")
    if best is None and once is None:
        console.print("nothing is worth offloading to this platform")


def _options(row: dict[str, Any]) -> str:
    return shlex.join(word for name in row["functions"] for word in ("--offload", name))


def _gain(gain: float | None) -> str:
    return "" if gain is None else f"{gain:.2f}x" if gain >= 0.01 else f"{gain:.1g}x"
