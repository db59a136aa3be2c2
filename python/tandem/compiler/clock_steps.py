# SPDX-License-Identifier: Apache-2.0
"""Which clocks are tried, of those between a fastest and a slowest one. `limits`: of every
operation the clock with which it is not split, by length: between two of them as much is split, and
the faster one is better."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from tandem import policy


def apart(fastest_ps: int, slowest_ps: float) -> Iterator[int]:
    """Clocks that are two steps apart, without the first one."""
    clock_ps = fastest_ps * policy.SLOWER_CLOCK**2
    while clock_ps <= slowest_ps:
        yield round(clock_ps)
        clock_ps *= policy.SLOWER_CLOCK**2


def last_between(limits: list[int], low_ps: int, high_ps: int) -> int:
    """The last limit up to a clock that is well apart from one before: with all from there on as
    much is split. The clock itself where there is none."""
    up_to = bisect_right(limits, high_ps)
    found = limits[up_to - 1] if up_to else 0
    return found if found > low_ps * policy.CLOCKS_APART else high_ps


def around(limits: list[int], tried: list[int], best_ps: int) -> list[int]:
    """Of clocks that have been tried: limits halfway from the best one to its neighbours."""
    at = tried.index(best_ps)
    found: list[int] = []
    for low_ps, high_ps in pairwise(tried[max(0, at - 1) : at + 2]):
        middle_ps = round((low_ps * high_ps) ** 0.5)
        if high_ps > middle_ps * policy.CLOCKS_APART:
            found.append(last_between(limits, low_ps, middle_ps))
    return found
