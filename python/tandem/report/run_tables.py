# SPDX-License-Identifier: Apache-2.0
"""The tables of a run's page: where its time goes, and its figures."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tandem.report.baselines import (
    spread_text,
)
from tandem.report.page import bar, pipeline
from tandem.report.run_figures import COLDER, configuration_dominates, data_of
from tandem.report.times import time_text


def pace(kernel: dict[str, Any]) -> str:
    """Cycles a call and a byte, then the pipeline's figures, if it is one."""
    name = escape(kernel["name"])
    size_bytes, kind = data_of(kernel)
    if not kernel["cycles"]:
        return f"{name}: {kernel['calls']:,} calls; {pipeline(kernel)}"
    a_byte = f"{kernel['cycles'] / size_bytes:.3g} cycles a byte of {kind}, " if size_bytes else ""
    a_call = f"{kernel['cycles'] / max(1, kernel['calls']):,.0f} cycles a call, "
    return f"{name}: {a_call}{a_byte}{pipeline(kernel)}"


def breakdown_table(run: dict[str, Any], console: Console) -> Table:
    table = Table(box=None, pad_edge=False)
    hides = any(run["busy_s"][c] > s for c, s in run["breakdown_s"].items())
    for title in ("", "time", "share", "", "bytes", "rate", *(["busy"] if hides else [])):
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    sizes = {
        "transfer_in": run["bytes_in"],
        "transfer_out": run["bytes_out"],
        "compute": run["bytes_in"],
    }
    says_nothing = configuration_dominates(run)
    for category, seconds in run["breakdown_s"].items():
        if category == "host" and not run["busy_s"]["host"]:
            continue
        share = seconds / run["total_s"] if run["total_s"] and not says_nothing else 0.0
        moved = sizes.get(category, 0)
        rate = _rate(moved, run["busy_s"][category])
        table.add_row(
            category.replace("_", " "),
            time_text(seconds),
            "" if says_nothing else f"{share:.1%}",
            bar(share, console),
            f"{moved:,}" if moved else "",
            rate,
            *([time_text(run["busy_s"][category])] if hides else []),
        )
    return table


def figures_table(run: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column(f"rate of {run['data_kind']}", justify="right", no_wrap=True)
    table.add_column("runs differ", justify="right", no_wrap=True)
    for name in run["baselines_s"]:
        table.add_column(f"vs {name}", justify="right")
    size = run["data_bytes"]
    rows = [
        ("total", "total"),
        ("without configuration", "no_config"),
        ("device only", "device"),
    ]
    for title, key in rows if run["mode"] != "native" else []:
        seconds = run[f"{key}_s"]
        gains = [f"{run['speedups'][n].get(key, 0):.2f}x" for n in run["baselines_s"]]
        table.add_row(title, time_text(seconds), _rate(size, seconds), "", *gains)
    for name, seconds in run["baselines_s"].items():
        spread = spread_text(run["baseline_spreads"][name])
        table.add_row(f"{name}, measured here", time_text(seconds), _rate(size, seconds), spread)
    name, seconds = next(iter(run["baselines_s"].items()))
    cold = run["software_cold_s"]
    if cold > COLDER * seconds:
        table.add_row(f"{name}, caches cold", time_text(cold), _rate(size, cold), "")
    return table


def _rate(size: int, seconds: float) -> str:
    return f"{size / seconds / 1e6:,.1f} MB/s" if size and seconds else ""
