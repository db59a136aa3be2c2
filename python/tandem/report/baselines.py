# SPDX-License-Identifier: Apache-2.0
"""Software beside the pair: how long it takes, how sure that is, and from which size the pair wins.

A baseline is a pair (least, greatest) of seconds for the same work. The least is the baseline: that
is fair to software. The greatest tells how far its own runs differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PS = 1e12
NOTICEABLE = 0.05
"""Two sizes that differ by less are shown as one."""

Spread = tuple[float, float]


def software_spread(report: dict[str, Any]) -> Spread:
    """(least, greatest) seconds of processor time of the C function over the run, as in a program
    that calls it alone: long calls as they were, short ones by their samples."""
    tallies = [kernel["software"] for kernel in report["kernels"]]
    least, greatest = (
        sum(tally["long_ps"] + _short_ps(tally, which) for tally in tallies)
        for which in ("least_ps", "greatest_ps")
    )
    return least / PS, greatest / PS


def cold_s(report: dict[str, Any]) -> float:
    """The same where each call was made, its data and code gone from the caches."""
    tallies = [kernel["software"] for kernel in report["kernels"]]
    return sum(tally["long_ps"] + tally["short_ps"] for tally in tallies) / PS


def _short_ps(tally: dict[str, Any], which: str) -> float:
    """The time of short calls: a straight line over the kernel's cycles through their samples."""
    samples = [(row["cycles"], row[which]) for row in tally["samples"]]
    if not samples or not tally["short_calls"]:
        return tally["short_ps"]
    each, growing = _line(samples)
    return each * tally["short_calls"] + growing * tally["short_cycles"]


def _line(samples: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """(time at no cycles, time a cycle), neither below 0, with the least squares of errors in parts
    of each time."""
    rows = [(cycles, time, 1 / max(1, time) ** 2) for cycles, time in samples]
    weight = sum(w for _, _, w in rows)
    x = sum(w * cycles for cycles, _, w in rows) / weight
    y = sum(w * time for _, time, w in rows) / weight
    spread = sum(w * (cycles - x) ** 2 for cycles, _, w in rows)
    if not spread:
        return y, 0.0
    slope = sum(w * (cycles - x) * (time - y) for cycles, time, w in rows) / spread
    if slope < 0:
        return y, 0.0
    if y < slope * x:
        square = sum(w * cycles**2 for cycles, _, w in rows)
        return 0.0, sum(w * cycles * time for cycles, time, w in rows) / square
    return y - slope * x, slope


def break_even(
    run: dict[str, Any], spreads: Mapping[str, Spread]
) -> dict[str, dict[str, float | None]]:
    """Baseline -> the input size in bytes from which one call wins, with and without configuration;
    None where it never does. `..._from` are the sizes if software takes its greatest time. The
    run's own fixed and proportional parts give two straight lines."""
    size = run["data_bytes"]
    if run["mode"] == "native" or not size:
        return {}
    fixed, total, calls = run["fixed_s"], run["total_s"], max(1, run["calls"])
    growing = (total - sum(fixed.values())) / size
    once = fixed["configure"]
    each = (sum(fixed.values()) - once) / calls

    def wins(cost_s: float, seconds: float) -> float | None:
        gain = seconds / size - growing
        return cost_s / gain if gain > 0 else None

    return {
        name: {
            "total": wins(once + each, least),
            "total_from": wins(once + each, greatest),
            "no_config": wins(each, least),
            "no_config_from": wins(each, greatest),
        }
        for name, (least, greatest) in spreads.items()
    }


def break_even_text(sizes: dict[str, float | None]) -> str:
    """Both break-even sizes of a baseline, each as a range where software's time leaves one."""
    total = _range(sizes["total_from"], sizes["total"])
    once_configured = _range(sizes["no_config_from"], sizes["no_config"])
    return f"{total}; {once_configured} once configured"


def spread_text(spread: dict[str, float]) -> str:
    """How far the runs of a baseline differ, in percent of the least."""
    least, greatest = spread["least_s"], spread["greatest_s"]
    return f"+{(greatest - least) / least:.0%}" if least and greatest > least else ""


def _range(first: float | None, last: float | None) -> str:
    if first is None:
        return "never (software needs less time a byte)"
    if last is None:
        return f"never to {size_text(first)} (software's own times differ that much)"
    if last - first <= NOTICEABLE * last:
        return size_text(last)
    return f"{size_text(first)} to {size_text(last)}"


def size_text(size: float) -> str:
    """So many bytes, as people read them."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} bytes"
