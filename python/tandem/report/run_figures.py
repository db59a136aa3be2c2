# SPDX-License-Identifier: Apache-2.0
"""What the figures of a run tell: how many bytes it was about, and what holds it back."""

from __future__ import annotations

from typing import Any

from tandem.report.times import time_text

FIGURES = ("total", "no_config", "device")
PS = 1e12
DOMINANT = 0.99
INPUT, RESULTS = "input", "results"
MANY_INPUTS = 32
"""More bytes in than this for one out are what a call is for, where none grow with the work."""
COLDER = 1.1
"""Cold caches that cost less are not told."""


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


def latency(quantiles_ps: dict[str, int] | None) -> dict[str, float] | None:
    return {name: ps / PS for name, ps in quantiles_ps.items()} if quantiles_ps else None


def speedups(run: dict[str, Any]) -> dict[str, dict[str, float]]:
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
