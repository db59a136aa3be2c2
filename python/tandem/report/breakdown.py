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
    spread_text,
)
from tandem.report.chains import chain_texts
from tandem.report.fifos import show_fifos
from tandem.report.loops import show_loops_of_run
from tandem.report.page import bar, pipeline, show_table
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
FIGURES = ("total", "no_config", "device")
PS = 1e12
DOMINANT = 0.99
INPUT, RESULTS = "input", "results"
MANY_INPUTS = 32
"""More bytes in than this for one out are what a call is for, where none grow with the work."""
COLDER = 1.1
"""Cold caches that cost less are not told."""


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


def data_of(kernel: dict[str, Any]) -> tuple[int, str]:
    """The bytes that a kernel's calls are for, and which these are: of the arrays that grow with
    the work, what goes in, or else what comes out; contexts and tables are in neither. Where none
    grows it is the results, unless they are so few that they are a sum or a verdict of the rest."""
    arrays = [r for r in kernel["arguments"]["rows"] if r["kind"] not in ("scalar", "place")]
    grown = [row for row in arrays if row["grows"]]
    read = sum(row["bytes"] for row in grown or arrays if row["reads"])
    written = sum(row["bytes"] for row in grown or arrays if row["direction"] != "in")
    is_input = read if grown else read > MANY_INPUTS * written
    return (read, INPUT) if is_input else (written, RESULTS)


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
        "latency_s": _latency(report["latency_ps"]),
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
    result["speedups"] = _speedups(result)
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


def _with_changes(kernel: dict[str, Any], loops: list[dict[str, Any]] | None) -> dict[str, Any]:
    """A kernel's row with what its package tells of each loop's making; nothing of a package that
    is not there."""
    told = loops or [{}] * len(kernel["loops"])
    rows = [
        {**row, "part": made.get("part", ""), "changes": made.get("changes", [])}
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


def _latency(quantiles_ps: dict[str, int] | None) -> dict[str, float] | None:
    return {name: ps / PS for name, ps in quantiles_ps.items()} if quantiles_ps else None


def _speedups(run: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Baseline -> figure -> how many times faster the pair is."""
    return {
        name: {f: seconds / run[f"{f}_s"] for f in FIGURES if run[f"{f}_s"]}
        for name, seconds in run["baselines_s"].items()
    }


def configuration_dominates(run: dict[str, Any]) -> bool:
    """Whether configuration is so much of the time that the other shares say nothing."""
    return run["breakdown_s"]["configure"] >= DOMINANT * run["total_s"] > 0


def bottleneck(run: dict[str, Any]) -> str:
    """One sentence: what most of the time goes to, and what the kernel's own share is."""
    if run["mode"] == "native" or not run["total_s"]:
        return "Everything runs on the host; nothing is offloaded."
    parts, total = run["breakdown_s"], run["total_s"]
    if configuration_dominates(run):
        return (
            f"Configuring the device dominates: {time_text(parts['configure'])} of "
            f"{time_text(total)}. This run is too short to say more; give it more work."
        )
    link = parts["transfer_in"] + parts["transfer_out"]
    shares = {
        "configuring the device": parts["configure"],
        "the program's own work": parts["host"],
        "the calls' own cost": parts["call"],
        "copies on the host": parts["copy"],
        "the link": link,
        "the kernel": parts["compute"],
        "waiting": parts["wait"],
    }
    worst = max(shares, key=shares.__getitem__)
    text = f"{worst[0].upper()}{worst[1:]} takes {shares[worst] / total:.0%} of the time"
    if worst != "the kernel":
        text += f"; the kernel computes for {parts['compute'] / total:.1%} of it"
    rest = total - parts["configure"]
    if worst == "configuring the device" and rest:
        second = max((s for s in shares if s != worst), key=shares.__getitem__)
        text += f". Once configured, {second} takes {shares[second] / rest:.0%}"
    return text + "."


def show_run(run: dict[str, Any], console: Console, is_default: bool = False) -> None:
    """The run as a page of text. `is_default`: nobody named its platform."""
    _show_head(run, console, is_default)
    if run["mode"] != "native":
        show_table(_breakdown_table(run, console), console)
    _show_shares(run, console)
    for kernel in run["kernels"]:
        show_loops_of_run(kernel, console)
    show_table(_figures_table(run), console)
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
        console.print(_pace(kernel))
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


def _pace(kernel: dict[str, Any]) -> str:
    """Cycles a call and a byte, then the pipeline's figures, if it is one."""
    name = escape(kernel["name"])
    size_bytes, kind = data_of(kernel)
    if not kernel["cycles"]:
        return f"{name}: {kernel['calls']:,} calls; {pipeline(kernel)}"
    a_byte = f"{kernel['cycles'] / size_bytes:.3g} cycles a byte of {kind}, " if size_bytes else ""
    a_call = f"{kernel['cycles'] / max(1, kernel['calls']):,.0f} cycles a call, "
    return f"{name}: {a_call}{a_byte}{pipeline(kernel)}"


def _breakdown_table(run: dict[str, Any], console: Console) -> Table:
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


def _figures_table(run: dict[str, Any]) -> Table:
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
