# SPDX-License-Identifier: Apache-2.0
"""What a run took and why: the figures of a run's JSON, and the page that shows them.

Reads a run's data only; knows neither compiler nor engine.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tandem.installation import IS_DEFAULT
from tandem.report.annotations import needed_annotations, show_annotations
from tandem.report.baselines import (
    Spread,
    break_even,
    break_even_text,
    cold_s,
    software_spread,
)
from tandem.report.chains import chain_texts
from tandem.report.fifos import show_fifos
from tandem.report.loops import show_loops_of_run
from tandem.report.page import show_table
from tandem.report.run_figures import PS, bottleneck, data_of, latency, speedups
from tandem.report.run_tables import breakdown_table, figures_table, pace
from tandem.report.times import time_text
from tandem.written import function_name

CATEGORIES = (
    "configure",
    "host",
    "call",
    "copy",
    "transfer_in",
    "compute",
    "transfer_out",
    "wait",
)


def host_reasons(host_calls: dict[str, Any]) -> str:
    """Why calls ran on the host, and where the first of each reason met it."""
    return "; ".join(
        row["reason"] + (f" (first: {row['example']})" if row["example"] else "")
        for row in host_calls["reasons"]
    )


def served_with(host_calls: dict[str, Any]) -> list[str]:
    """The directives with which the device serves calls that ran on the host."""
    rows = (row["directive"].partition(": ") for row in host_calls["reasons"] if row["directive"])
    return list(dict.fromkeys(f"{function_name(kernel)}: {words}" for kernel, _, words in rows))


def served_options(host_calls: dict[str, Any]) -> str:
    """The same as options of the command line."""
    return shlex.join(w for words in served_with(host_calls) for w in ("--directive", words))


def _show_served(run: dict[str, Any], console: Console) -> None:
    """What has the device serve them, and whether that was tried."""
    options = served_options(run["host_calls"])
    if options and run["served"]:
        left = run["served"]["host_calls"]
        console.print(f"with {options} {left} calls are left on the host (tried)", highlight=False)
    elif options:
        console.print(f"{options} has the device serve them; --advise tries it", highlight=False)


def run_json(
    report: dict[str, Any],
    baselines: Mapping[str, Spread],
    note: str = "",
    flags: str = "-O3",
    loops: Mapping[str, list[dict[str, Any]]] | None = None,
) -> dict[str, Any]:
    """The result of `tandem run --json` from the engine's report (docs/trace.md) and the software
    baselines (name -> least and greatest seconds for the same work). Times in seconds, sizes in
    bytes. `flags`: those that the C was compiled with; `loops` of each kernel, as its package has
    them."""
    spreads = {f"C at {flags}": software_spread(report), **baselines}
    result = {
        "format": "tandem-run-result",
        "format_version": 1,
        "mode": report["mode"],
        **_platform_json(report["platform"] or {}),
        "kernels": [_with_changes(k, (loops or {}).get(k["name"])) for k in report["kernels"]],
        "calls": report["calls"],
        "host_calls": report["host_calls"],
        **_times_json(report),
        "program_percent": report["program_percent"],
        "configurations": report["configurations"],
        "latency_s": latency(report["latency_ps"]),
        "components": [
            {"name": row["component"], "busy_s": row["busy_ps"] / PS}
            for row in report["components"]
        ],
        **_bytes_json(report),
        "clock_mhz": 1e6 / report["clock_ps"] if report["clock_ps"] else None,
        "checked_calls": report["checked_calls"],
        "stepped_calls": report["stepped_calls"],
        "mismatches": report["mismatches"],
        "software_s": report["software_ps"] / PS,
        "software_cold_s": cold_s(report),
        **_baselines_json(spreads),
        "baseline_flags": flags,
        "annotations": [row for kernel in report["kernels"] for row in needed_annotations(kernel)],
        "transfers": {"mode": report["transfer_mode"], "streamed_calls": report["streamed_calls"]},
        "memory": _memory_json(report["memory"]),
        "unmet": report["unmet"],
        "wrong_results": report["wrong_results"],
        "note": note,
    }
    result["speedups"] = speedups(result)
    result["bottleneck"] = bottleneck(result)
    result["break_even_bytes"] = break_even(result, spreads)
    return result


def _platform_json(platform: dict[str, Any]) -> dict[str, Any]:
    return {
        "platform": platform.get("name"),
        "platform_title": platform.get("title"),
        "platform_chip": platform.get("chip"),
    }


def _times_json(report: dict[str, Any]) -> dict[str, Any]:
    return {
        "total_s": report["total_ps"] / PS,
        "no_config_s": report["no_config_ps"] / PS,
        "device_s": report["device_ps"] / PS,
        "cycles": report["cycles"],
        "breakdown_s": {c: report["breakdown_ps"][c] / PS for c in CATEGORIES},
        "fixed_s": {c: report["fixed_ps"][c] / PS for c in CATEGORIES},
        "busy_s": {c: report["busy_ps"][c] / PS for c in CATEGORIES},
    }


def _bytes_json(report: dict[str, Any]) -> dict[str, Any]:
    sizes = [data_of(kernel) for kernel in report["kernels"]]
    return {
        "data_bytes": sum(size for size, _ in sizes),
        "data_kind": " and ".join(sorted({kind for _, kind in sizes})),
        "bytes_in": report["bytes_in"],
        "bytes_out": report["bytes_out"],
    }


def _baselines_json(spreads: Mapping[str, Spread]) -> dict[str, Any]:
    return {
        "baselines_s": {name: least for name, (least, _) in spreads.items()},
        "baseline_spreads": {
            name: {"least_s": least, "greatest_s": greatest}
            for name, (least, greatest) in spreads.items()
        },
    }


def _memory_json(memory: dict[str, Any]) -> dict[str, Any]:
    return {
        "capacity_bytes": memory["capacity_bytes"],
        "cut_batches": memory["cut_batches"],
        "pieces": memory["pieces"],
        "waits": memory["waits"],
        "waits_s": memory["waits_ps"] / PS,
    }


TOLD_BY_PACKAGES = ("part", "changes", "column", "elsewhere")
"""What packages know of a loop that a run does not tell."""
NOTHING_TOLD = {"part": "", "changes": []}


def _with_changes(kernel: dict[str, Any], loops: list[dict[str, Any]] | None) -> dict[str, Any]:
    """A kernel's row with what its package tells of each loop's making; nothing of a package that
    is not there."""
    told = loops or [{}] * len(kernel["loops"])
    rows = [
        {**row, **NOTHING_TOLD, **{key: made[key] for key in TOLD_BY_PACKAGES if key in made}}
        for row, made in zip(kernel["loops"], told, strict=True)
    ]
    return {**kernel, "loops": rows}


def _show_advice(run: dict[str, Any], console: Console) -> None:
    advice: list[dict[str, Any]] = run.get("advice", [])
    if advice:
        table = Table("what would help, each tried", "total", "gain", "once configured", "gain")
        for row in advice:
            times = (time_text(row[name]) for name in ("total_s", "no_config_s"))
            gains = (f"{row[name]:.2f}x" for name in ("gain", "gain_no_config"))
            table.add_row(
                row["name"], *(text for pair in zip(times, gains, strict=True) for text in pair)
            )
        show_table(table, console)
        for row in advice:
            console.print(f"{row['name']}: {shlex.join(row['options'])}", markup=False)
        for text in chain_texts(run):
            console.print(f"calls depend on each other: {text}", markup=False)
    for name in run.get("advice_untried", []):
        console.print(f"not tried, for want of time (--budget): {name}", markup=False)


def show_run(run: dict[str, Any], console: Console, is_default: bool = False) -> None:
    """The run as a page of text. `is_default`: nobody named its platform."""
    _show_head(run, console, is_default)
    if run["mode"] != "native":
        show_table(breakdown_table(run, console), console)
    _show_shares(run, console)
    for kernel in run["kernels"]:
        show_loops_of_run(kernel, console)
    show_table(figures_table(run), console)
    _show_calls(run, console)
    for kernel in run["kernels"]:
        show_annotations(kernel, console)
        show_fifos(kernel["fifos"], console)
    console.print(f"bottleneck: {run['bottleneck']}")
    _show_advice(run, console)
    for name, sizes in run["break_even_bytes"].items():
        text = f"break-even against {name}, in bytes of {run['data_kind']}"
        console.print(f"{text}: {break_even_text(sizes)}", soft_wrap=True)


def _show_head(run: dict[str, Any], console: Console, is_default: bool) -> None:
    """What ran where, and what is to be known of that."""
    names = escape(", ".join(k["name"] for k in run["kernels"]))
    where = run["platform_title"] or "this machine"
    if is_default and run["platform_title"]:
        where += f" {IS_DEFAULT}"
    console.print(f"\n[bold]{names}[/bold] on {where}, mode {run['mode']}", soft_wrap=True)
    for kernel in run["kernels"]:
        console.print(pace(kernel))
    if run["platform_chip"]:
        families = ", ".join(dict.fromkeys(k["target"] for k in run["kernels"]))
        console.print(
            f"scheduled with the delays of {families}, for those of {run['platform_chip']}"
        )
    if run["note"]:
        console.print(f"note: {run['note']}")
    for text in run["unmet"]:
        console.print(f"note: {escape(text)}")
    if run["wrong_results"]:
        console.print(f"wrong results: {escape(run['wrong_results'])}")


def _show_shares(run: dict[str, Any], console: Console) -> None:
    """What the program and its calls take beside the parts of the table."""
    if run["program_percent"]:
        percent = run["program_percent"]
        console.print(f"the program's own work counts {percent} % of the time that it takes here")
    loads, least = (run["configurations"][name] for name in ("loads", "least_loads"))
    if len(run["kernels"]) > 1 and least is not None:
        console.print(f"kernels were loaded {loads} times; {least} times were needed")
    if run["latency_s"] and run["calls"] > 1:
        half, most = (time_text(run["latency_s"][name]) for name in ("p50", "p99"))
        console.print(f"a call takes {half}; 99 of 100 take at most {most}")


def _show_calls(run: dict[str, Any], console: Console) -> None:
    """How calls were checked, and which the host served."""
    if run["mode"] == "simulate":
        console.print(
            f"checked: {run['checked_calls']} calls against the C, {run['mismatches']} wrong"
        )
    if run["stepped_calls"]:
        console.print(f"stepped with the clock: {run['stepped_calls']} calls")
    if run["host_calls"]["calls"]:
        reasons = host_reasons(run["host_calls"])
        console.print(f"on the host: {run['host_calls']['calls']} calls ({reasons})")
        _show_served(run, console)
