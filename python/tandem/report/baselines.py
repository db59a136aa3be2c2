# SPDX-License-Identifier: Apache-2.0
"""Software beside the pair: how long it takes, how sure that is, and from which size the pair wins.

A baseline is a pair (least, greatest) of seconds for the same work. The least is the baseline: that
is fair to software. The greatest tells how far its own runs differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PS = 1e12
NOTICEABLE = 0.05
"""Two sizes that differ by less are shown as one."""

Spread = tuple[float, float]


def software_spread(report: dict[str, Any]) -> Spread:
    """(least, greatest) seconds of the C function over the run: its runs in place, scaled by how
    its timed calls differ when they are run again."""
    least_ps = greatest_ps = 0.0
    for kernel in report["kernels"]:
        samples, software_ps = kernel["software_samples"], kernel["software_ps"]
        first_ps = samples["first_ps"] or 1
        is_sampled = samples["first_ps"] > 0
        least_ps += software_ps * (samples["least_ps"] / first_ps if is_sampled else 1)
        greatest_ps += software_ps * (samples["greatest_ps"] / first_ps if is_sampled else 1)
    return least_ps / PS, greatest_ps / PS


def break_even(
    run: dict[str, Any], spreads: Mapping[str, Spread]
) -> dict[str, dict[str, float | None]]:
    """Baseline -> the input size in bytes from which one call wins, with and without configuration;
    None where it never does. `..._from` are the sizes if software takes its greatest time. The
    run's own fixed and proportional parts give two straight lines."""
    size = run["bytes_in"] or run["bytes_out"]
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
        return f"never to {_size(first)} (software's own times differ that much)"
    if last - first <= NOTICEABLE * last:
        return _size(last)
    return f"{_size(first)} to {_size(last)}"


def _size(size: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} bytes"
