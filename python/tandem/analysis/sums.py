# SPDX-License-Identifier: Apache-2.0
"""Sums that are made in a loop inside another one, and could be made term by term for all of the
outer loop's iterations: the terms that an inner iteration adds to each, before those of the next.

An outer iteration's n-th term then comes after all n-th ones of those before it, and what it does
before its sum comes before all terms. That nothing is read too soon, or stored out of order, is
asked of `meetings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Loop, Nests
from tandem.analysis.readers import is_read_behind, made_of, read_by
from tandem.ir.kernel import Block, Edge, Kernel, Op
from tandem.ir.lines import NO_LOOP
from tandem.ir.operations import COMPARE, OPERATIONS, mask
from tandem.ir.wiring import bits_of, extended_from

MOST_SUMS = 4096
"""Places that the memory for sums has at most."""


def moving(before: list[Block], steps: dict[Op, int]) -> set[Op]:
    """What may differ between outer iterations, before their sums."""
    found = {parameter for parameter, step in steps.items() if step}
    for op in (op for block in before for op in block.ops):
        if not op.pure or not found.isdisjoint(op.operands):
            found.add(op)
    return found


@dataclass(frozen=True)
class SumNest:
    """An outer iteration goes through the blocks `before`, the `inner` loop, and those `after` it;
    from the first block to the last one where the inner loop does not run (`is_guarded`)."""

    before: list[Block]
    inner: Block
    after: list[Block]

    @property
    def header(self) -> Block:
        return self.before[0]

    @property
    def latch(self) -> Block:
        return self.after[-1]

    @property
    def blocks(self) -> list[Block]:
        return [*self.before, self.inner, *self.after]

    @property
    def is_guarded(self) -> bool:
        return self.latch in self.header.successors

    @property
    def entry(self) -> Edge:
        """The way into the inner loop."""
        return next(e for e in self.before[-1].end.edges if e.block is self.inner)


def nest_of(header: Block, body: set[Block], inner: Block) -> SumNest | None:
    """The nest, if its blocks lie as they must."""
    before, after = [header], [inner.exit_edge.block]
    onward = [s for s in header.successors if s in body]
    if inner not in onward:
        between = [b for b in onward if b.successors == [inner]]
        before += between[:1]
    if header not in after[0].successors:
        after += [s for s in after[0].successors if s in body][:1]
    nest = SumNest(before, inner, after)
    ways = {before[1] if len(before) > 1 else inner, nest.latch}
    is_whole = body == set(nest.blocks) and len(body) == len(nest.blocks)
    has_edges = inner in before[-1].successors and header in nest.latch.successors
    leads_on = set(header.successors) <= ways
    is_plain = all(b.end.kind in ("jump", "branch") for b in nest.blocks)
    ends = len(nest.latch.successors) == 2 and len(inner.successors) == 2
    joins = len(after) == 1 or after[0].successors == [nest.latch]
    is_left_to_us = not any(b.parameters for b in before[1:]) and all(
        b.wanted_ii is None and not b.is_to_be_copied for b in (header, inner)
    )
    is_it = is_whole and has_edges and leads_on and is_plain and ends and joins and is_left_to_us
    return nest if is_it and NO_LOOP not in (header.loop, inner.loop) else None


@dataclass(frozen=True)
class Sums:
    """A nest that can be interchanged. `sums`: the inner loop's parameters that are no counters,
    and what each is next; `ends`: what counters are next -> these; `steps`: by how much they grow,
    and those of the outer loop, which runs `most` times at most. `is_triangle`: the n-th outer
    iteration has n inner ones, else all have as many."""

    nest: SumNest
    sums: dict[Op, Op]
    ends: dict[Op, Op]
    steps: dict[Op, int]
    outer_steps: dict[Op, int]
    most: int
    is_triangle: bool


def sums_of(nests: Nests, nest: SumNest) -> Sums | None:
    """What a nest sums up, if its terms can be added in another order of the loops."""
    ops = [op for block in nest.blocks for op in block.ops]
    if not all(op.pure or op.is_access for op in ops) or nest.inner.trip_count is None:
        return None
    if any(op.kind == "store" or (op.is_access and op.enable) for op in nest.inner.ops):
        return None
    outer, inner = nests.loops.get(nest.header), nests.loops.get(nest.inner)
    if outer is None or inner is None or outer.trips is None or inner.trips is None:
        return None
    most = nests.most_trips(nest.header)
    sums, ends, steps = _sums(nest, inner)
    outer_steps = {p: s for p, s in outer.affine.increments.items() if s is not None}
    kind = _kind(nests, nest, inner)
    if most is None or not 1 < most <= MOST_SUMS or not sums or kind is None:
        return None
    if not {*nest.inner.ops}.issuperset(sums.values()):
        return None
    if len(outer_steps) != len(nest.header.parameters):
        return None
    if _is_more_read(nests.kernel, nest, {*sums.values(), *ends}):
        return None
    found = Sums(nest, sums, ends, steps, outer_steps, most, kind)
    return found if _is_in_order(nests, found) and _is_known_before(found) else None


def _sums(nest: SumNest, inner: Loop) -> tuple[dict[Op, Op], dict[Op, Op], dict[Op, int]]:
    """What the inner loop sums up, and what each sum is next; what counters are next; and their
    steps: as far as anybody reads them."""
    block = nest.inner
    following = block.back_edge.given
    own = {*block.ops, *block.parameters}
    read = [v for b in nest.after for v in read_by(b)] + block.exit_edge.arguments
    needed = made_of([v for v in read if v in own], own, following)
    counted = {p: step for p, step in inner.affine.increments.items() if step is not None}
    sums = {p: following[p] for p in block.parameters if p in needed and p not in counted}
    steps = {p: step for p, step in counted.items() if p in needed}
    return sums, {following[p]: p for p in steps}, steps


def _kind(nests: Nests, nest: SumNest, inner: Loop) -> bool | None:
    """Whether the n-th outer iteration has n inner ones; None if neither that nor all as many."""
    assert inner.trips is not None
    form = nests.form(_count(inner.trips))
    if form is None or form.narrow:
        return None
    step = form.steps.get(nest.header)
    if step is None:
        return False
    is_n = step.kind == "constant" and step.value == 1 and form.base.kind == "constant"
    starts = is_n and form.base.value == 0 and len(form.steps) == 1
    return True if starts and _is_for_the_first(nests, nest) else None


def _count(trips: Op) -> Op:
    """How often a loop runs that is entered, without saying that it is once at least."""
    choice = extended_from(bits_of(trips))
    if choice is None or choice.kind != "select":
        return trips
    condition, value, one = choice.operands
    is_it = one.kind == "constant" and one.value == 1 and condition.kind in ("ult", "slt")
    return value if is_it and condition.operands == [one, value] else trips


def _is_for_the_first(nests: Nests, nest: SumNest) -> bool:
    """Whether the inner loop is passed by in the first outer iteration, and in no other."""
    condition, most = nest.header.end.condition, nests.most_trips(nest.header)
    if not nest.is_guarded or condition is None or condition.kind not in COMPARE or most is None:
        return False
    forms = [nests.loops[nest.header].affine.form(operand) for operand in condition.operands]
    left, right = forms
    if left is None or right is None or left.terms != right.terms or most > MOST_SUMS:
        return False
    if left.terms and condition.kind not in ("eq", "ne"):
        return False
    evaluate = OPERATIONS[condition.kind].evaluate
    assert evaluate is not None
    past = nest.header.end.edges[0].block is nest.latch

    def is_past(n: int) -> bool:
        values = [(f.constant + f.step * n) & mask(f.width) for f in (left, right)]
        return evaluate(values, [left.width] * 2, 1) == past

    return is_past(0) and not any(is_past(n) for n in range(1, most))


def _is_more_read(kernel: Kernel, nest: SumNest, ends: set[Op]) -> bool:
    """Whether anything but its ends is read of the inner loop, or behind the nest of what is before
    it."""
    inside = set(nest.inner.ops) | set(nest.inner.parameters)
    after = [v for b in nest.after for v in read_by(b)] + nest.inner.exit_edge.arguments
    if not (inside & set(after)) <= ends:
        return True
    return is_read_behind(kernel, [*nest.before, nest.inner], nest.blocks)


def _is_in_order(nests: Nests, found: Sums) -> bool:
    """Whether nothing is read too soon, or stored out of order."""
    nest, meetings = found.nest, Meetings(nests)
    has_none = nest.header.end.edges[0].block is nest.latch
    guard = nest.header.end.condition if has_none else None
    before, inner, after = (
        [op for b in part for op in b.ops if op.is_access]
        for part in (nest.before, [nest.inner], nest.after)
    )
    if found.is_triangle:  # the first sum alone has no terms: nothing is before it
        before = [op for op in before if op.enable is None or op.enable is not guard]
    all_before_others = all(
        meetings.never_later(late.index, early.index, nest.header)
        for early in before
        for late in [*inner, *after]
        if early.memory == late.memory and "store" in (early.kind, late.kind)
    )
    return all_before_others and all(
        meetings.never_too_soon(store.index, load.index, nest.header, nest.inner)
        if found.is_triangle
        else meetings.never_later(store.index, load.index, nest.header)
        for store in after
        for load in inner
        if store.kind == "store" and store.memory == load.memory
    )


def _is_known_before(found: Sums) -> bool:
    """Whether a square's inner loop, and whether it runs, do not depend on the outer one."""
    if found.is_triangle:
        return True
    nest = found.nest
    asked = {nest.inner.trip_count, nest.header.end.condition if nest.is_guarded else None}
    return asked.isdisjoint(moving(nest.before, found.outer_steps))


def places_of(nest: SumNest, final: Op) -> list[int]:
    """Which of the latch's parameters the end of a sum is."""
    last = nest.inner if len(nest.after) == 1 else nest.after[0]
    arriving = next(e for e in last.end.edges if e.block is nest.latch)
    return [i for i, value in enumerate(arriving.arguments) if value is final]
