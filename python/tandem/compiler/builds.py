# SPDX-License-Identifier: Apache-2.0
"""The kernel of a design point: nothing is tried, all follows from the point and the C."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tandem.compiler.clock_facts import facts_of
from tandem.compiler.fits import Fit
from tandem.compiler.point import Point, Refinement, Things, require_things
from tandem.compiler.source import Spots
from tandem.frontend.imported import Imported
from tandem.ir.blocks import NO_PIPELINE
from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.memory import MemoryKind
from tandem.passes.pipelines import FOR_CLOCK, After, Options, run_pipeline
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
    Kind,
)
from tandem.passes.shape import Shape
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule
from tandem.schedule.scheduler import schedule_kernel

MADE_OF_ONE = 2
"""Loops that passes make of one of the C beside it (`ir.loops.another`), at most."""


@dataclass
class PointBuilds:
    """Kernels of one function at points. `options`: what is known of extents; its shape counts for
    nothing but the limit of copies."""

    imported: Imported
    options: Options
    target: Target
    clock_ps: int
    _stored: dict[frozenset[str], Imported] = field(default_factory=dict)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The constant tables that the function reads."""
        kernel = self.imported.with_stored(None).kernel
        return frozenset(
            m.name for m in kernel.memories.values() if m.kind is MemoryKind.RAM and m.contents
        )

    @cached_property
    def things(self) -> Things:
        """What points may be about."""
        return Things(self.spots.all, self.imported.repeated.several, self.tables)

    @cached_property
    def spots(self) -> Spots:
        """Where its loops stand."""
        return Spots(self.imported.kernel)

    def said(self) -> Iterator[Refinement]:
        """The refinements that directives in the source ask for."""
        for placed in self.imported.directives:
            said = placed.directive
            if said.name != "refine":
                continue
            file, line = Path(placed.where.file).name, placed.where.line
            kind = KINDS[said.refinement]
            if kind.about != "loop":
                yield Refinement(kind.name, None, said.array, said.number)
                continue
            here = [s for s in self.things.spots if (s.file, s.line) == (file, line)]
            if here:
                yield Refinement(kind.name, min(here), "", said.number)

    def kernel(
        self, point: Point, after: After | None = None, plainly: Collection[Refinement] = ()
    ) -> tuple[Kernel, Options, Imported]:
        """The kernel of a point before it is scheduled, what its passes were told, and what they
        started from. `after` is told of every pass. What stands `plainly` in the source is asked
        for by `pipeline` and `unroll`."""
        require_things(point, self.things)
        found = self._imported(point)
        kernel = clone(found.kernel)
        options = self.told(point, kernel)
        for one in plainly:
            _ask_plainly(kernel, one.kind, set(self._loops_at(one, kernel)))
        order_schedule(kernel, options.shape)
        run_pipeline(kernel, options, after=after)
        split = replace(options, facts=facts_of(self.target, self.clock_ps))
        run_pipeline(kernel, split, FOR_CLOCK, after)
        start_one_by_one(kernel, options)
        return kernel, options, found

    def fit(self, point: Point, after: After | None = None) -> tuple[Fit, Options, Imported]:
        """The same with its schedule. Raises Infeasible and UserError as a build does."""
        kernel, options, found = self.kernel(point, after)
        return Fit(self.scheduled(kernel), self.clock_ps, options.shape), options, found

    def scheduled(self, kernel: Kernel) -> KernelSchedule:
        return schedule_kernel(kernel, self.target, self.clock_ps)

    def told(self, point: Point, kernel: Kernel) -> Options:
        """What the passes are told for a point, whose kernel has been imported."""
        rows = [kind for kind in KINDS.values() if kind.about == KERNEL]
        left_out = frozenset(s for kind in rows if not point.has(kind.name) for s in kind.steps)
        pipelined = self._at(point, PIPELINE, kernel)
        shape = self._shape(point, kernel)
        return replace(self.options, shape=shape, left_out=left_out, pipelined=pipelined)

    def _imported(self, point: Point) -> Imported:
        stored = self.tables - point.names(COPY_TABLE)
        if stored not in self._stored:
            self._stored[stored] = self.imported.with_stored(stored)
        return self._stored[stored].again(self.imported.apart | point.names(APART))

    def _shape(self, point: Point, kernel: Kernel) -> Shape:
        every = frozenset(x for loop in kernel.loops for x in _made_of(loop))
        flattened = self._at(point, FLATTEN, kernel)
        shape = Shape(
            apart=point.names(APART),
            rolled=every - self._at(point, UNROLL, kernel),
            flattened=flattened,
            kept_apart=every - flattened,
            unroll_limit=self.options.shape.unroll_limit,
            multipliers=_count(point, SHARE_MULTIPLIERS) or None,
            least_ii=_count(point, START_SELDOM) or 1,
        )
        members = {k.shape: self._member(point, k, kernel) for k in KINDS.values() if k.shape}
        return replace(shape, **members)

    def _member(self, point: Point, kind: Kind, kernel: Kernel) -> frozenset[Any]:
        """What a member of the shape is: loops, or loops with a number each."""
        if not kind.counts:
            return self._at(point, kind.name, kernel)
        rows = ((r, self._loops_at(r, kernel)) for r in point.of(kind.name))
        return frozenset((loop, r.count) for r, loops in rows for loop in loops)

    def _at(self, point: Point, kind: str, kernel: Kernel) -> frozenset[LoopId]:
        """The loops that refinements of a kind are about."""
        return frozenset(loop for r in point.of(kind) for loop in self._loops_at(r, kernel))

    def _loops_at(self, one: Refinement, kernel: Kernel) -> Iterator[LoopId]:
        """The loops that stand where a refinement is about, and what passes may make of them."""
        for loop in kernel.loops:
            if self.spots.of(loop) == one.spot:
                yield from _made_of(loop)


def _ask_plainly(kernel: Kernel, kind: str, loops: Collection[LoopId]) -> None:
    """Has loops be as if that directive stood in the source."""
    for block in kernel.blocks:
        if block.loop in loops and kind == PIPELINE:
            block.wanted_ii = 0
        elif block.loop in loops and kind == UNROLL:
            block.copies = 0


def _made_of(loop: LoopId) -> Iterator[LoopId]:
    yield loop
    for n in range(1, MADE_OF_ONE + 1):
        yield replace(loop, ordinal=-n)


def _count(point: Point, kind: str) -> int:
    return max((r.count for r in point.of(kind)), default=0)


def order_schedule(kernel: Kernel, shape: Shape) -> None:
    """Has the schedule do its part of a shape."""
    kernel.multipliers, kernel.least_ii = shape.multipliers, shape.least_ii


def start_one_by_one(kernel: Kernel, options: Options) -> None:
    """Has an iteration of the loops that are not to be pipelines start when the one before has
    ended; once all passes are done, as those leave alone what directives are about."""
    pipelined = options.pipelined
    if pipelined is None:
        return
    pipelined = pipelined | {d.other for d in kernel.deeds if d.loop in pipelined} - {NO_LOOP}
    for block in kernel.blocks:
        is_ours = block.loop in pipelined or (block.loop == NO_LOOP and pipelined)
        if block.is_loop and block.wanted_ii is None and not is_ours:
            block.wanted_ii = NO_PIPELINE
