# SPDX-License-Identifier: Apache-2.0
"""What is told of the kernels that were tried: what each step to a better one has given and cost,
and what the fastest takes where another one was kept for its area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isclose

from tandem.diagnostics import Diagnostic
from tandem.ir.deeds import Deed
from tandem.ir.lines import LoopId
from tandem.passes import (
    expand_division,
    flatten_nests,
    interchange,
    interleave,
    keep_pivots,
    line_buffers,
    part_sums,
    plane_buffers,
    scalar_replacement,
    skew,
    split_loops,
    store_forwarding,
)
from tandem.passes.shape import COUNTED, SETS, Shape
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import MANY, SOME_INSIDE, UNKNOWN, expected_cycles
from tandem.schedule.scheduled import KernelSchedule

WORTH_TELLING = 0.9
"""What part of the time a faster kernel may take at most to be worth a line."""

GUESSES = (UNKNOWN, MANY, SOME_INSIDE)
"""Of how often loops run: what is told holds for each."""
NEARLY = 0.1
"""By how much cycles may differ between two guesses of how often loops run, and be told."""

SLUGS = {
    "flattened": flatten_nests.SLUG,
    "split": split_loops.SLUG,
    "parted": part_sums.SLUG,
    "interchanged": interchange.SLUG,
    "keeping_pivots": keep_pivots.SLUG,
    "skewed": skew.SLUG,
    "interleaved": interleave.TURNS,
    "keeping_rows": line_buffers.SLUG,
    "reading_ahead": line_buffers.SLUG,
    "keeping_planes": plane_buffers.SLUG,
    "reread": scalar_replacement.SLUG,
    "forwarded": store_forwarding.SLUG,
    "divided": expand_division.SLUG,
}
"""What the deed is called for which a shape has a member."""


@dataclass(frozen=True)
class Figures:
    """What a kernel is estimated to take. `cycles` of a call are those where loops whose count is
    not known run as often as each of `GUESSES` says."""

    clock_ps: int
    cycles: tuple[float, ...]
    lut4: int
    ff: int

    @classmethod
    def of(cls, schedule: KernelSchedule) -> Figures:
        """Those of a schedule."""
        area = estimate_area(schedule)
        cycles = tuple(expected_cycles(schedule, guess) for guess in GUESSES)
        return cls(schedule.clock_ps, cycles, area["lut4"], area["ff"])

    @property
    def area(self) -> dict[str, int]:
        """What it takes, by the names of what devices have."""
        return {"lut4": self.lut4, "ff": self.ff}

    @property
    def times_ps(self) -> tuple[float, ...]:
        """What a call takes."""
        return tuple(cycles * self.clock_ps for cycles in self.cycles)

    @property
    def cells(self) -> int:
        """Its area in one number."""
        return self.lut4 + self.ff

    @property
    def is_known(self) -> bool:
        """Whether all loops' counts are; what is seldom entered counts little."""
        return isclose(min(self.cycles), max(self.cycles), rel_tol=NEARLY)


@dataclass(frozen=True)
class Step:
    """From one kernel that was the best to another one that is better."""

    before: Shape
    after: Shape
    figures: tuple[Figures, Figures]

    @property
    def change(self) -> tuple[str, LoopId] | None:
        """The deed by which they differ, and its loop, if they differ by one."""
        found = {
            (name, one)
            for name in (*SETS, *COUNTED)
            for one in getattr(self.before, name) ^ getattr(self.after, name)
        }
        if len(found) != 1:
            return None
        ((name, one),) = found
        is_new = one in getattr(self.after, name)
        loop = one[0] if isinstance(one, tuple) else one
        return (SLUGS[name], loop) if is_new and name in SLUGS else None

    def gain(self) -> str:
        """What it has given and cost, in words."""
        before, after = self.figures
        area = f"{after.lut4:,} LUT4 in place of {before.lut4:,}"
        if before.clock_ps == after.clock_ps and before.is_known and after.is_known:
            cycles = (f"{one.cycles[0]:,.0f}" for one in (after, before))
            return f"about {' cycles a call in place of '.join(cycles)}, {area}"
        return f"{_share(before, after)}, {area}" if _share(before, after) else area


def _share(before: Figures, after: Figures) -> str:
    """How much less time a call takes, or more, whether loops run seldom or often; empty where that
    depends on it."""
    shares = sorted(b / a - 1 for a, b in zip(before.times_ps, after.times_ps, strict=True))
    if shares[0] * shares[-1] < 0:
        return ""
    ends = sorted((shares[0], shares[-1]), key=abs)
    texts = dict.fromkeys(f"{abs(share):.0%}" for share in ends)
    return f"{' to '.join(texts)} {'less' if shares[0] < 0 else 'more'} time a call"


def with_gains(deeds: Sequence[Deed], steps: Sequence[Step]) -> list[Deed]:
    """Deeds with what they have given and cost, as far as that is known."""
    gains = {step.change: step.gain() for step in _joined(steps) if step.change}
    return [replace(deed, gain=gains.get((deed.slug, deed.loop), "")) for deed in deeds]


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Those in a row as one that are about one deed."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and step.change is not None and last.change == step.change:
            found[-1] = replace(last, figures=(last.figures[0], step.figures[1]))
        else:
            found.append(step)
    return found


def told_fastest(kept: KernelSchedule, fastest: Figures) -> Diagnostic | None:
    """That a kernel which was tried is faster than the one that was kept, with what it takes; None
    where that is not worth a line, depends on how often loops run, or is more than a device has."""
    now, device = Figures.of(kept), kept.target.resources
    if any(many > device.get(name, many) for name, many in fastest.area.items()):
        return None
    parts = [a / b for a, b in zip(fastest.times_ps, now.times_ps, strict=True)]
    if max(parts) > WORTH_TELLING or fastest.cells <= now.cells:
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
