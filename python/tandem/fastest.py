# SPDX-License-Identifier: Apache-2.0
"""The fastest kernel that was tried, where another one was kept for its area: what it would have
taken is told."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

from tandem.diagnostics import Diagnostic
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import MANY, UNKNOWN, expected_cycles
from tandem.schedule.scheduled import KernelSchedule

WORTH_TELLING = 0.9
"""What part of the time a faster kernel may take at most to be worth a line."""

NEARLY = 0.1
"""By how much cycles may differ between two guesses of how often loops run, and be told."""


@dataclass(frozen=True)
class Figures:
    """What a kernel is estimated to take. `cycles` of a call are those where loops whose count is
    not known run as often as `UNKNOWN` and `MANY` say."""

    clock_ps: int
    cycles: tuple[float, float]
    lut4: int
    ff: int

    @classmethod
    def of(cls, schedule: KernelSchedule) -> Figures:
        """Those of a schedule."""
        area = estimate_area(schedule)
        cycles = expected_cycles(schedule, UNKNOWN), expected_cycles(schedule, MANY)
        return cls(schedule.clock_ps, cycles, area["lut4"], area["ff"])

    @property
    def times_ps(self) -> tuple[float, float]:
        """What a call takes."""
        return self.cycles[0] * self.clock_ps, self.cycles[1] * self.clock_ps

    @property
    def is_known(self) -> bool:
        """Whether all loops' counts are; what is seldom entered counts little."""
        return isclose(*self.cycles, rel_tol=NEARLY)


def told_fastest(kept: KernelSchedule, fastest: Figures) -> Diagnostic | None:
    """That a kernel which was tried is faster than the one that was kept, with what it takes; None
    where that is not worth a line, or depends on how often loops run."""
    now = Figures.of(kept)
    parts = [a / b for a, b in zip(fastest.times_ps, now.times_ps, strict=True)]
    if max(parts) > WORTH_TELLING:
        return None
    if now.is_known and fastest.is_known and now.clock_ps == fastest.clock_ps:
        time = f"about {fastest.cycles[0]:,.0f} cycles a call, not {now.cycles[0]:,.0f},"
    else:
        time = f"{1 - max(parts):.0%} less time a call"
    name = kept.kernel.name
    return Diagnostic(
        "faster",
        f"a faster `{name}` was tried, and not kept as it is larger: it takes {time} and "
        f"{fastest.lut4:,} LUT4 and {fastest.ff:,} FF, not {now.lut4:,} and {now.ff:,} (estimated)",
        kept.kernel.place(kept.kernel.entry.line),
        "use --optimise time, which weighs time alone: what it finds may be larger still",
        severity="note",
    )
