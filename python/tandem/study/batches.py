# SPDX-License-Identifier: Apache-2.0
"""What a batch, a call and a byte cost, from runs with batches of several sizes; and the batch that
this makes the best, which is then tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tandem.diagnostics import user_error
from tandem.host.launch import emulated
from tandem.host.prepare import Prepared
from tandem.report.chains import chain_texts, most_together
from tandem.study.confidence import student_95

PS = 1e12
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
PARTS = ("batch", "call", "byte")
OVERHEAD = Fraction(1, 10)
"""What a batch itself may take of the rest: larger batches gain little and cost latency."""
ALONE = ("configuration.preload=yes", "batch.ahead=0", "batch.adaptive=no")
"""Batches one by one, on a configured device: only so do their times tell what they cost."""

Vector = list[Fraction]
"""A row of a matrix."""


@dataclass(frozen=True)
class Cost:
    """A time for each batch, call or byte. `low`, `high`: with 95 % it lies between them. All None
    where these runs do not tell: calls that all have one size say nothing of bytes."""

    seconds: float | None
    low: float | None = None
    high: float | None = None


def batches(
    build: Prepared,
    arguments: Sequence[str],
    within_s: float | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """The costs, how far the straight line through them is off, each run beside it, and the best
    batch (docs/schemas/batches.json). The application runs once for each size, and is not heard.
    `within_s`: no call may take longer; without it, the best batch is the smallest with which
    batches themselves take less than a tenth.

    No batch is larger than calls allow that read what earlier ones have written.

    Raises UserError for an application with fewer than two calls that can be handed over
    together."""
    runs = {1: _run(build, arguments, 1, progress)}
    calls: int = runs[1]["calls"]
    chained = most_together(runs[1])
    most = min(calls, chained or calls)
    _require_several(runs[1], most)
    for size in sorted({min(size, most) for size in SIZES} - {1}):
        runs[size] = _run(build, arguments, size, progress)
    sums = _sums(list(runs.values()))
    costs, off = _fitted(sums)
    bytes_a_call = sums["bytes"] / sums["calls"]
    fixed, a_call = _line(costs, bytes_a_call)
    best = _best(fixed, a_call, within_s)
    while best is not None:
        best = min(best, most)
        if best not in runs:
            runs[best] = _run(build, arguments, best, progress)
        took_s = runs[best]["latency_ps"]["most"] / PS
        if within_s is None or took_s <= within_s:
            break
        # Calls differ: those of a batch may be larger than most.
        best = min(best - 1, int(best * within_s / took_s)) or None
    return {
        "format": "tandem-batches",
        "format_version": 1,
        "platform": runs[1]["platform"]["name"],
        "calls": calls,
        "most_together": chained,
        "bytes_a_call": float(bytes_a_call),
        "costs_s": {name: vars(costs[name]) for name in PARTS},
        "typical_error": off,
        "within_s": within_s,
        "best": best,
        "runs": [_row(size, calls, runs[size], fixed, a_call) for size in sorted(runs)],
    }


def _require_several(run: dict[str, Any], most: int) -> None:
    """Raises UserError where no two calls of a run can be handed over together."""
    if run["calls"] < 2:
        raise user_error(
            "batches",
            f"the application makes {run['calls']} calls on the device; batches need several",
            help="give it more to do, or offload what it calls more often",
        )
    if most < 2:
        raise user_error(
            "batches",
            f"calls cannot be handed over together: {'; '.join(chain_texts(run))}",
            help="let a call do the work of several: what each leaves for the next stays inside",
        )


def _run(
    build: Prepared, arguments: Sequence[str], size: int, progress: Callable[[str], None]
) -> dict[str, Any]:
    progress(f"batches of {size}")
    return emulated(build, arguments, (*ALONE, f"batch.calls={size}"))


def _sums(reports: Sequence[dict[str, Any]]) -> dict[str, Fraction]:
    rows = [report["batches"] for report in reports]
    return {name: Fraction(sum(int(row[name]) for row in rows)) for name in rows[0]}


def _fitted(sums: dict[str, Fraction]) -> tuple[dict[str, Cost], float]:
    """The costs, and how far the line is off: the root of the mean square of
    the differences, as a part of the mean time of a batch."""
    s = sums
    matrix = [
        [s["batches"], s["calls"], s["bytes"]],
        [s["calls"], s["calls_calls"], s["calls_bytes"]],
        [s["bytes"], s["calls_bytes"], s["bytes_bytes"]],
    ]
    right = [s["ps"], s["calls_ps"], s["bytes_ps"]]
    for count in (3, 2, 1):
        inverse = _inverse([row[:count] for row in matrix[:count]])
        if inverse is not None:
            break
    else:
        raise ArithmeticError("batches without calls")
    found = [sum((a * b for a, b in zip(row, right, strict=False)), Fraction()) for row in inverse]
    squares = s["ps_ps"] - sum((f * r for f, r in zip(found, right, strict=False)), Fraction())
    free = int(s["batches"]) - count
    variance = max(squares, Fraction()) / free if free else None
    costs = {name: Cost(None) for name in PARTS}
    for index in range(count):
        seconds = float(found[index]) / PS
        if variance is None:
            costs[PARTS[index]] = Cost(seconds)
            continue
        width = student_95(free) * math.sqrt(variance * inverse[index][index]) / PS
        costs[PARTS[index]] = Cost(seconds, seconds - width, seconds + width)
    off = math.sqrt(max(squares, Fraction()) / s["batches"]) / float(s["ps"] / s["batches"])
    return costs, off


def _inverse(matrix: list[Vector]) -> list[Vector] | None:
    """By Gauss and Jordan, exactly; None of a singular one."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next((r for r in range(column, size) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [value / head for value in rows[column]]
        for r in range(size):
            factor = rows[r][column]
            if r != column and factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [row[size:] for row in rows]


def _line(costs: dict[str, Cost], bytes_a_call: Fraction) -> tuple[float, float]:
    """A batch's own time, and that of each call in it."""
    of = {name: costs[name].seconds or 0.0 for name in PARTS}
    return of["batch"], of["call"] + of["byte"] * float(bytes_a_call)


def _best(fixed_s: float, a_call_s: float, within_s: float | None) -> int | None:
    """How many calls; None where not even one ends in that time."""
    if within_s is not None:
        if fixed_s + a_call_s > within_s:
            return None
        return int((within_s - fixed_s) / a_call_s) if a_call_s > 0 else None
    if fixed_s <= 0 or a_call_s <= 0:
        return 1
    return max(1, math.ceil(fixed_s / (float(OVERHEAD) * a_call_s)))


def _row(
    size: int, calls: int, report: dict[str, Any], fixed_s: float, a_call_s: float
) -> dict[str, Any]:
    """A run: how long a call takes of the device's time, as measured and as the line has it, and
    how long it takes until it is there."""
    latency = report["latency_ps"]
    return {
        "calls": size,
        "a_call_s": report["no_config_ps"] / calls / PS,
        "predicted_s": -(-calls // size) * fixed_s / calls + a_call_s,
        "p50_s": latency["p50"] / PS,
        "p99_s": latency["p99"] / PS,
        "most_s": latency["most"] / PS,
    }
