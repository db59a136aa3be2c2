# SPDX-License-Identifier: Apache-2.0
"""Times as people read them."""

from __future__ import annotations


def in_unit(seconds: float) -> tuple[float, str]:
    """A time in the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return seconds / scale, unit
    return seconds * 1e9, "ns"


def time_text(seconds: float) -> str:
    """A time of a table."""
    value, unit = in_unit(seconds)
    if unit == "ns":
        return f"{value:.1f} ns" if seconds else "0"
    return f"{value:.3f} {unit}"
