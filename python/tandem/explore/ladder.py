# SPDX-License-Identifier: Apache-2.0
"""The way from a kernel as the C has it to what the compiler makes of it, a refinement at a time.

The compiler's own kernel says which refinements there are to take; in which order is found by
trying: from the base on each is built on what is there, and the one that gains most is taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tandem import progress
from tandem.compiler.builds import PointBuilds
from tandem.compiler.compile import Compiled
from tandem.compiler.goals import Goal
from tandem.compiler.point import Point, Refinement, Spot
from tandem.diagnostics import Infeasible, UserError
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.ops import Load
from tandem.ir.printer import print_kernel
from tandem.passes import interleave
from tandem.passes.refinements import (
    APART,
    COPY_TABLE,
    FLATTEN,
    KERNEL,
    KINDS,
    PIPELINE,
    SHARE_MULTIPLIERS,
    START_SELDOM,
    UNROLL,
)
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import MANY, cycles_of_blocks, expected_cycles, expected_entries
from tandem.schedule.scheduled import KernelSchedule

LEAST_GAIN = 1.05
"""Times what is gained by a refinement that another one makes superfluous, to be a step."""


@dataclass(frozen=True)
class Figures:
    """What a kernel takes: `cycles` of a call whose loops run often, LUT4s and flip-flops as
    estimated, and the rest as `tandem build` tells it."""

    cycles: float
    clock_ps: int
    reachable_ps: int
    ii: int | None
    latency_cycles: int | None
    lut4: int
    ff: int
    dsp: int
    rom_bits: int
    ram_bits: int
    bram: int

    @classmethod
    def of(cls, schedule: KernelSchedule) -> Figures:
        """Those of a schedule."""
        area = estimate_area(schedule)
        return cls(
            cycles=expected_cycles(schedule, MANY),
            clock_ps=schedule.clock_ps,
            reachable_ps=schedule.reachable_clock_ps,
            ii=schedule.ii,
            latency_cycles=schedule.latency_cycles,
            bram=_block_rams(schedule),
            **{name: area[name] for name in ("lut4", "ff", "dsp", "rom_bits", "ram_bits")},
        )

    def worth(self, goal: Goal) -> float:
        """What it costs by the measure of a goal: less is better."""
        return goal.worth(self.cycles * self.clock_ps, self.lut4 + self.ff)


def _block_rams(schedule: KernelSchedule) -> int:
    """How many of them memories take: for each port that reads one, a copy of it."""
    memories = schedule.kernel.memories
    reading = {
        (op.memory.name, port)
        for made in schedule.blocks.values()
        for op, port in made.ports.items()
        if isinstance(op, Load)
    }
    return sum(schedule.target.blocks(memories[name]) for name, _ in reading)


@dataclass(frozen=True)
class Item:
    """What cycles are told of: an iteration of the loop at `spot`, or a call. A call whose loops
    run often has `count` of them."""

    spot: Spot | None
    count: float

    @property
    def words(self) -> str:
        return (
            "a call"
            if self.spot is None
            else f"an iteration of loop {self.spot.line}:{self.spot.column}"
        )


@dataclass(frozen=True)
class Rung:
    """A point and what it makes; `taken`: the refinements that the one before does not have."""

    point: Point
    taken: tuple[Refinement, ...]
    figures: Figures


@dataclass(frozen=True)
class Ladder:
    """From the base, the first of the `rungs`, to the last; `dropped`: what the compiler does too
    and makes no difference here."""

    item: Item
    rungs: tuple[Rung, ...]
    own: Figures
    dropped: tuple[Refinement, ...]
    plainly: frozenset[Refinement]
    """Those for which `pipeline` and `unroll` in the source do the same as `refine`."""


def climb(compiled: Compiled, goal: Goal) -> Ladder:
    """The ladder of what was compiled. Raises UserError and Infeasible where the base cannot be."""
    builds = compiled.builds
    trial = _Trial(builds, goal)
    name = compiled.kernel.name
    base = Point(name).also(*builds.said())
    every = base.also(*_taken_by(compiled))
    needed, dropped = _needed(trial, base, every)
    rungs = [Rung(base, (), trial.figures(base))]
    left = [r for r in needed.refinements if r not in base.refinements]
    on_the_way = [r for r in dropped if trial.found(base.also(r)) != rungs[0].figures]
    while left:
        rung = _next(trial, rungs[-1], left, on_the_way)
        rungs.append(rung)
        left = [r for r in left if r not in rung.taken]
        on_the_way = [r for r in on_the_way if r not in rung.taken]
    item = _item(trial, base, rungs[-1].point)
    own = Figures.of(compiled.schedule)
    return Ladder(item, tuple(rungs), own, tuple(dropped), _plain(trial, rungs))


def _plain(trial: _Trial, rungs: Sequence[Rung]) -> frozenset[Refinement]:
    """The refinements for which an older directive does the same, now and at the end: it also keeps
    passes from what they would do to its loop."""
    plainly: frozenset[Refinement] = frozenset()
    for rung in rungs:
        for one in rung.taken:
            wanted = plainly | {one}
            if one.kind not in (PIPELINE, UNROLL) or not trial.is_told(one):
                continue
            if all(
                trial.found(_without(r.point, wanted), wanted) == r.figures
                for r in (rung, rungs[-1])
            ):
                plainly = wanted
    return plainly


def _taken_by(compiled: Compiled) -> Iterator[Refinement]:
    """The refinements that the compiler has taken, or may have."""
    builds = compiled.builds
    kernel, shape = compiled.kernel, compiled.lineage.options.shape
    loops = {b.loop for b in kernel.blocks if b.is_loop}
    joined = {d.loop for d in kernel.deeds if d.slug == FLATTEN}
    by_loop = {
        PIPELINE: loops | joined,
        UNROLL: set(kernel.unrolled) - loops,
        FLATTEN: joined | shape.flattened,
    }
    for kind in KINDS.values():
        if kind.about == KERNEL and not kind.counts:
            yield Refinement(kind.name)
        elif kind.shape and kind.counts:
            rows = sorted(getattr(shape, kind.shape))
            yield from (
                Refinement(kind.name, s, "", n) for x, n in rows for s in builds.spots.of_all([x])
            )
        else:
            found = getattr(shape, kind.shape) if kind.shape else by_loop.get(kind.name, ())
            yield from (Refinement(kind.name, spot) for spot in sorted(builds.spots.of_all(found)))
    yield from (
        Refinement(APART, None, n) for n in sorted(shape.apart - compiled.lineage.imported.apart)
    )
    yield from (Refinement(COPY_TABLE, None, n) for n in sorted(builds.tables))
    if shape.multipliers is not None:
        yield Refinement(SHARE_MULTIPLIERS, count=shape.multipliers)
    if shape.least_ii > 1:
        yield Refinement(START_SELDOM, count=shape.least_ii)


def _needed(trial: _Trial, base: Point, every: Point) -> tuple[Point, list[Refinement]]:
    """A point without those refinements that make no difference to what all of them make, and
    these."""
    wanted, left = trial.figures(every), every
    dropped: list[Refinement] = []
    for one in every.refinements:
        if one not in base.refinements and trial.found(left.without(one)) == wanted:
            left = left.without(one)
            dropped.append(one)
    return left, dropped


def _next(
    trial: _Trial, now: Rung, left: Sequence[Refinement], on_the_way: Sequence[Refinement]
) -> Rung:
    """The rung behind another one: with the refinement that gains most, or loses least. Where none
    alone makes a difference, those that do together. One `on_the_way` makes none in the end, as
    another one does more, and is taken only for what it gains here."""
    ways: list[tuple[Refinement, ...]] = [(one,) for one in left]
    ways += [(one, other) for i, one in enumerate(left) for other in left[:i]]
    rungs: list[Rung] = []
    for way in ways:
        if len(way) > 1 and rungs:
            break
        point = now.point.also(*way)
        figures = trial.found(point)
        if figures is not None and figures != now.figures:
            rungs.append(Rung(point, way, figures))
    enough = now.figures.worth(trial.goal) / LEAST_GAIN
    for one in on_the_way:
        point = now.point.also(one)
        figures = trial.found(point)
        if figures is not None and figures.worth(trial.goal) < enough:
            rungs.append(Rung(point, (one,), figures))
    if not rungs:
        point = now.point.also(*left)
        return Rung(point, tuple(left), trial.figures(point))
    return min(rungs, key=lambda rung: rung.figures.worth(trial.goal))


def _without(point: Point, some: Collection[Refinement]) -> Point:
    """A point as it is where the source asks for some of its refinements in other words."""
    for one in some:
        point = point.without(one)
    return point


def _item(trial: _Trial, base: Point, last: Point) -> Item:
    """What cycles are told of: the loop of the C that takes most of the last kernel's time, and how
    many iterations of it the base runs."""
    first, best = trial.schedule(base), trial.schedule(last)
    times = cycles_of_blocks(best, MANY)
    hot = max(best.kernel.blocks, key=lambda block: times[block])
    if not hot.is_loop or hot.loop == NO_LOOP:
        return Item(None, 1)
    spots = trial.builds.spots
    spot = spots.of(_innermost(best.kernel, hot.loop))
    count = _iterations(first.kernel, {x for x in first.kernel.loops if spots.of(x) == spot})
    return Item(spot, count) if count else Item(None, 1)


def _innermost(kernel: Kernel, loop: LoopId) -> LoopId:
    """The loop whose iterations those of another one are, which has become one with it."""
    joined = {d.other: d.loop for d in kernel.deeds if d.slug in (FLATTEN, interleave.TURNS)}
    while loop in joined:
        loop = joined.pop(loop)
    return loop


def _iterations(kernel: Kernel, loops: Collection[LoopId]) -> float:
    """How many iterations of some loops there are in a call whose loops run often."""
    entries = expected_entries(kernel, MANY)
    found = 0.0
    for block in kernel.blocks:
        if block.loop in loops:
            own = (block.known_trips or MANY.loops) if block.is_loop else 1
            found += entries[block] * own
    return found


@dataclass
class _Trial:
    """What points make, each made once: two whose kernels are the same text have one schedule."""

    builds: PointBuilds
    goal: Goal
    known: dict[tuple[frozenset[Refinement], ...], Figures | None] = field(default_factory=dict)
    of_text: dict[bytes, Figures | None] = field(default_factory=dict)

    def found(self, point: Point, plainly: frozenset[Refinement] = frozenset()) -> Figures | None:
        """The figures of a point; None where it makes nothing. `plainly`: see `PointBuilds`."""
        key = frozenset(point.refinements), plainly
        if key not in self.known:
            progress.step(f"{len(self.known) + 1} kernels built")
            self.known[key] = self._found(point, plainly)
        return self.known[key]

    def figures(self, point: Point) -> Figures:
        """The same. Raises UserError and Infeasible where it makes nothing."""
        return self.found(point) or Figures.of(self.schedule(point))

    def is_told(self, one: Refinement) -> bool:
        """Whether other directives reach the loop that a refinement is about."""
        return one.spot is not None and self.builds.spots.is_told(one.spot)

    def schedule(self, point: Point) -> KernelSchedule:
        return self.builds.fit(point)[0].schedule

    def _found(self, point: Point, plainly: frozenset[Refinement]) -> Figures | None:
        try:
            kernel, _, _ = self.builds.kernel(point, plainly=plainly)
            text = hashlib.sha256(print_kernel(kernel).encode()).digest()
            if text not in self.of_text:
                self.of_text[text] = None
                self.of_text[text] = Figures.of(self.builds.scheduled(kernel))
            return self.of_text[text]
        except (Infeasible, UserError):  # one refinement without another
            return None
