# SPDX-License-Identifier: Apache-2.0
"""Nests that could run along diagonals: which ones, and how steep.

Iteration j of an inner loop and i of the loop around it are on the diagonal  slope * i + j.  Where
one comes to an element that another has come to in an earlier row, and one of them writes it, the
later one must be on a later diagonal. Then the iterations on one diagonal need nothing of each
other.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from tandem import policy
from tandem.analysis.meetings import Meetings
from tandem.analysis.nest_of_two import NestOfTwo, moving
from tandem.analysis.nests import Nests
from tandem.analysis.readers import is_read_behind, made_of
from tandem.ir.ops import Access, Load, Op, Store
from tandem.passes.carried import Carried, InMemory


@dataclass(frozen=True)
class Diagonals:
    """A nest, the slope of its diagonals, the values of its inner loop that are `needed`, what of
    them it carries, the steps of its counters, how much further each begins in the next outer
    iteration (`paces`), and the steps of the outer loop's."""

    nest: NestOfTwo
    slope: int
    needed: set[Op]
    carried: list[Carried]
    steps: dict[Op, int]
    paces: dict[Op, int]
    outer_steps: dict[Op, int]


def diagonals_of(nests: Nests, nest: NestOfTwo) -> Diagonals | None:
    """How a nest could run along diagonals, if anything is gained by that."""
    inner, outer = nests.loops.get(nest.inner), nests.loops.get(nest.header)
    if inner is None or outer is None or inner.trips is None or outer.trips is None:
        return None
    if nest.inner.trip_count is None or not _is_plain(nests, nest):
        return None
    needed = _needed(nest)
    steps = {p: step for p, step in inner.affine.steps.items() if p in needed}
    outer_steps = outer.affine.steps
    if len(outer_steps) != len(nest.header.parameters):
        return None
    starts = nest.entry.given
    forms = {counter: outer.affine.form(starts[counter]) for counter in steps}
    paces = {counter: form.step for counter, form in forms.items() if form is not None}
    if len(paces) != len(steps) or not _is_as_long(nests, nest):
        return None
    if nest.is_guarded and nest.header.end.condition in moving(nest.before, outer_steps):
        return None
    memory = InMemory(nests, nest.inner, nest.entry, steps)
    carried = memory.carried(needed)
    read_first = {op for block in nest.before for op in block.ops if isinstance(op, Load)}
    if carried is None or any(starts[one.parameter] not in read_first for one in carried):
        return None
    kept = {starts[one.parameter] for one in carried}
    if not _are_read_at_any_time(nest, read_first - kept, starts):
        return None
    slope = _slope(nests, nest, memory, carried)
    if slope is None:
        return None
    return Diagonals(nest, slope, needed, carried, steps, paces, outer_steps)


def _needed(nest: NestOfTwo) -> set[Op]:
    """What of the inner loop's values is stored, or decides about that; not what counts it."""
    block = nest.inner
    stored = [value for op in block.ops if isinstance(op, Store) for value in op.operands]
    return made_of(stored, {*block.parameters, *block.ops}, block.back_edge.given)


def _is_plain(nests: Nests, nest: NestOfTwo) -> bool:
    """Whether only the inner loop stores, and that is all that is left of the nest."""
    before, after = ([op for b in part for op in b.ops] for part in (nest.before, nest.after))
    if not all(op.pure or isinstance(op, Access) for op in [*before, *nest.inner.ops]):
        return False
    if not all(op.pure for op in after) or any(isinstance(op, Store) for op in before):
        return False
    if any(op.enable is not None for op in before if isinstance(op, Access)):
        return False
    return not is_read_behind(nests.kernel, nest.blocks, nest.blocks)


def _is_as_long(nests: Nests, nest: NestOfTwo) -> bool:
    """Whether the inner loop runs as often in every outer iteration."""
    assert nest.inner.trip_count is not None
    trips = nests.form(nest.inner.trip_count)
    return trips is not None and not trips.narrow and nest.header not in trips.steps


def _are_read_at_any_time(nest: NestOfTwo, loads: Set[Op], starts: dict[Op, Op]) -> bool:
    """Whether what is read before the inner loop may as well be read in any of its iterations."""
    own = {op for block in [*nest.before, nest.inner] for op in block.ops}
    following = nest.inner.back_edge.arguments
    read = made_of([*nest.inner.ops, *following, *starts.values()], own)
    written = {op.memory.name for op in nest.inner.ops if isinstance(op, Store)}
    return all(load.memory.name not in written for load in loads & read)


def _slope(nests: Nests, nest: NestOfTwo, memory: InMemory, carried: list[Carried]) -> int | None:
    """The least slope; None where there is none, or no iteration waits for another one."""
    places = [
        (op.memory.name, op.index, isinstance(op, Store))
        for op in nest.inner.ops
        if isinstance(op, Access)
    ]
    itself = {counter: counter for counter in memory.steps}
    for one in carried:
        places.append((one.access.memory.name, memory.index(one.access, -one.lag, itself), False))
    written = {name for name, _, is_store in places if is_store}
    if not any(name in written and not is_store for name, _, is_store in places):
        return None
    meetings = Meetings(nests)

    def is_in_order(slope: int) -> bool:
        return all(
            meetings.never_across(one, other, nest.header, nest.inner, slope)
            for a, one, is_stored in places
            for b, other, is_other_stored in places
            if a == b and (is_stored or is_other_stored)
        )

    return next(filter(is_in_order, policy.SLOPES), None)
