# SPDX-License-Identifier: Apache-2.0
"""What a kernel may take of a device, and the search for it of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Room:
    """Look-up tables of 4 inputs, flip-flops and multiplier blocks, as `tandem build` estimates
    them; None: as many as there are."""

    lut4: int | None = None
    ff: int | None = None
    dsp: int | None = None

    @property
    def most(self) -> dict[str, int]:
        """Resource -> how many, of those that are limited."""
        return {name: most for name, most in asdict(self).items() if most is not None}

    def missing(self, area: Mapping[str, int]) -> dict[str, int]:
        """Resource -> how many an area takes that are not there."""
        return {name: area[name] - most for name, most in self.most.items() if area[name] > most}

    def excess(self, area: Mapping[str, int]) -> float:
        """How many times the room an area takes where it takes most; 1 if all fits."""
        return max([1.0, *(area[name] / max(1, self.most[name]) for name in self.missing(area))])


UNLIMITED = Room()
BUDGET_S = 120.0
"""Seconds after which no further way to build a kernel is tried, unless none fits yet; most kernels
take few."""
MOST_FUNCTIONS = 12
"""Functions that are compiled to find out which are worth offloading, those with the most time, if
nobody says how many."""
