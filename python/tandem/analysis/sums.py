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
from tandem.analysis.nest_of_two import NestOfTwo, moving
from tandem.analysis.nests import Loop, Nests
from tandem.analysis.readers import is_read_behind, made_of, read_by
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Compare, Constant, Equality, Op, Select, SLt, Store, ULt, mask
from tandem.ir.wiring import bits_of, extended_from

MOST_SUMS = 4096
"""Places that the memory for sums has at most."""


@dataclass(frozen=True)
class Sums:
    """A nest that can be interchanged. `sums`: the inner loop's parameters that are no counters,
    and what each is next; `ends`: what counters are next -> these; `steps`: by how much they grow,
    and those of the outer loop, which runs `most` times at most. `is_triangle`: the n-th outer
    iteration has n inner ones, else all have as many."""

    nest: NestOfTwo
    sums: dict[Op, Op]
    ends: dict[Op, Op]
    steps: dict[Op, int]
    outer_steps: dict[Op, int]
    most: int
    is_triangle: bool


def sums_of(nests: Nests, nest: NestOfTwo) -> Sums | None:
    """What a nest sums up, if its terms can be added in another order of the loops."""
    ops = [op for block in nest.blocks for op in block.ops]
    if not all(op.pure or isinstance(op, Access) for op in ops) or nest.inner.trip_count is None:
        return None
    if any(
        isinstance(op, Store) or (isinstance(op, Access) and op.enable) for op in nest.inner.ops
    ):
        return None
    outer, inner = nests.loops.get(nest.header), nests.loops.get(nest.inner)
    if outer is None or inner is None or outer.trips is None or inner.trips is None:
        return None
    most = nests.most_trips(nest.header)
    sums, ends, steps = _sums(nest, inner)
    outer_steps = outer.affine.steps
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


def _sums(nest: NestOfTwo, inner: Loop) -> tuple[dict[Op, Op], dict[Op, Op], dict[Op, int]]:
    """What the inner loop sums up, and what each sum is next; what counters are next; and their
    steps: as far as anybody reads them."""
    block = nest.inner
    following = block.back_edge.given
    own = {*block.ops, *block.parameters}
    read = [v for b in nest.after for v in read_by(b)] + block.exit_edge.arguments
    needed = made_of([v for v in read if v in own], own, following)
    counted = inner.affine.steps
    sums = {p: following[p] for p in block.parameters if p in needed and p not in counted}
    steps = {p: step for p, step in counted.items() if p in needed}
    return sums, {following[p]: p for p in steps}, steps


def _kind(nests: Nests, nest: NestOfTwo, inner: Loop) -> bool | None:
    """Whether the n-th outer iteration has n inner ones; None if neither that nor all as many."""
    assert inner.trips is not None
    form = nests.form(_count(inner.trips))
    if form is None or form.narrow:
        return None
    step = form.steps.get(nest.header)
    if step is None:
        return False
    is_n = isinstance(step, Constant) and step.value == 1 and isinstance(form.base, Constant)
    starts = is_n and form.base.value == 0 and len(form.steps) == 1
    return True if starts and _is_for_the_first(nests, nest) else None


def _count(trips: Op) -> Op:
    """How often a loop runs that is entered, without saying that it is once at least."""
    choice = extended_from(bits_of(trips))
    if choice is None or not isinstance(choice, Select):
        return trips
    condition, value, one = choice.operands
    is_it = isinstance(one, Constant) and one.value == 1 and isinstance(condition, (ULt, SLt))
    return value if is_it and condition.operands == [one, value] else trips


def _is_for_the_first(nests: Nests, nest: NestOfTwo) -> bool:
    """Whether the inner loop is passed by in the first outer iteration, and in no other."""
    condition, most = nest.header.end.condition, nests.most_trips(nest.header)
    if (
        not nest.is_guarded
        or condition is None
        or not isinstance(condition, Compare)
        or most is None
    ):
        return False
    forms = [nests.loops[nest.header].affine.form(operand) for operand in condition.operands]
    left, right = forms
    if left is None or right is None or left.terms != right.terms or most > MOST_SUMS:
        return False
    if left.terms and not isinstance(condition, Equality):
        return False
    evaluate = type(condition).evaluate
    assert evaluate is not None
    past = nest.header.end.edges[0].block is nest.latch

    def is_past(n: int) -> bool:
        values = [(f.constant + f.step * n) & mask(f.width) for f in (left, right)]
        return evaluate(values, [left.width] * 2, 1) == past

    return is_past(0) and not any(is_past(n) for n in range(1, most))


def _is_more_read(kernel: Kernel, nest: NestOfTwo, ends: set[Op]) -> bool:
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
        [op for b in part for op in b.ops if isinstance(op, Access)]
        for part in (nest.before, [nest.inner], nest.after)
    )
    if found.is_triangle:  # the first sum alone has no terms: nothing is before it
        before = [op for op in before if op.enable is None or op.enable is not guard]
    all_before_others = all(
        meetings.never_later(late.index, early.index, nest.header)
        for early in before
        for late in [*inner, *after]
        if early.memory is late.memory and (isinstance(early, Store) or isinstance(late, Store))
    )
    return all_before_others and all(
        meetings.never_too_soon(store.index, load.index, nest.header, nest.inner)
        if found.is_triangle
        else meetings.never_later(store.index, load.index, nest.header)
        for store in after
        for load in inner
        if isinstance(store, Store) and store.memory is load.memory
    )


def _is_known_before(found: Sums) -> bool:
    """Whether a square's inner loop, and whether it runs, do not depend on the outer one."""
    if found.is_triangle:
        return True
    nest = found.nest
    asked = {nest.inner.trip_count, nest.header.end.condition if nest.is_guarded else None}
    return asked.isdisjoint(moving(nest.before, found.outer_steps))


def places_of(nest: NestOfTwo, final: Op) -> list[int]:
    """Which of the latch's parameters the end of a sum is."""
    last = nest.inner if len(nest.after) == 1 else nest.after[0]
    arriving = next(e for e in last.end.edges if e.block is nest.latch)
    return [i for i, value in enumerate(arriving.arguments) if value is final]
