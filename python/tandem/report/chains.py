# SPDX-License-Identifier: Apache-2.0
"""Whether calls need what earlier ones have left in memory: how many can be handed over together,
and run beside each other."""

from __future__ import annotations

from typing import Any


def most_together(report: dict[str, Any]) -> int | None:
    """How many calls of a run can be handed over together at most: none of them reads what another
    one has written. None where nothing that comes and goes stands in the way."""
    distances = (kernel["chained_calls"]["distance"] for kernel in report["kernels"])
    return min((d for d in distances if d is not None), default=None)


def stays_chained(report: dict[str, Any]) -> bool:
    """Whether calls read what others leave in the device's memory: they can be handed over
    together, and take turns."""
    return any(kernel["chained_calls"]["staying"] for kernel in report["kernels"])


def chain_texts(report: dict[str, Any]) -> list[str]:
    """A sentence for each kernel of which calls need what earlier ones have written."""
    return [_text(k) for k in report["kernels"] if k["chained_calls"]["calls"]]


def _text(kernel: dict[str, Any]) -> str:
    chained = kernel["chained_calls"]
    calls, distance = chained["calls"], chained["distance"]
    nearest = "right" if distance == 1 else f"{distance} calls"
    written = f"written, the nearest {nearest} before"
    where = "left in the device's memory" if distance is None else written
    of = f"{calls:,} of {kernel['calls']:,} calls of `{kernel['name']}`"
    return f"{of} read what earlier ones have {where}"
