# SPDX-License-Identifier: Apache-2.0
"""The parameters of loops that count: by how much in each iteration, and up to which number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.predicates import NEVER, Predicates
from tandem.analysis.range_inputs import REDONE_DEPTH
from tandem.ir.blocks import Block, Edge
from tandem.ir.ops import Add, Concat, Constant, Eq, Equality, Logic, Op, mask, signed

Way = tuple[Block, Edge]
"""From which block, and by which edge, control comes to one."""
Ways = dict[Block, list[Way]]
"""All of each block."""


@dataclass(frozen=True)
class Limit:
    """A loop's parameter counts by ones from `start` up to `end`, which is fixed when the loop is
    entered from `source`, by the edge `entry`; the last iteration has the `end`, or the number
    before it."""

    source: Block
    entry: Edge
    start: Op
    end: Op
    has_end: bool


def find_steps(order: list[Block], predecessors: Ways) -> dict[Op, int]:
    """By how much each parameter of a counted loop changes in an iteration, as a signed number."""
    counted = (
        block
        for block in order
        if block.is_loop and block.trip_count is not None and len(predecessors[block]) == 2
    )
    return {
        parameter: signed(step & mask(parameter.width), parameter.width)
        for block in counted
        for parameter, step in AffineLoop(block, [None] * len(block.parameters)).steps.items()
    }


def find_limits(loops: Mapping[Block, set[Block]], predecessors: Ways) -> dict[Op, Limit]:
    """The parameters of loops that stay while one more is not the end."""
    return {
        counter: limit
        for body, way_in, way_back in with_two_ways(loops, predecessors)
        for counter, limit in _limits_of(body, way_in, way_back)
    }


def find_companions(loops: Mapping[Block, set[Block]], predecessors: Ways) -> dict[Op, Linear]:
    """The parameters of loops that go on by the same number as an earlier one, and what they are
    of it."""
    sums, found = Sums(), dict[Op, Linear]()
    for body, (_, entry), _ in with_two_ways(loops, predecessors):
        starts, first = entry.given, dict[tuple[int, int], Op]()
        steps = AffineLoop(entry.block, [None] * len(starts), body).steps
        for parameter, step in steps.items():
            other = first.setdefault((parameter.width, step), parameter)
            more = sums.gap(starts[parameter], starts[other])
            if other is not parameter and more is not None:
                found[parameter] = Linear(parameter.width, terms={other: 1}).plus(more)
    return found


def with_two_ways(
    loops: Mapping[Block, set[Block]], predecessors: Ways
) -> Iterator[tuple[set[Block], Way, Way]]:
    """The loops that have but one way in and one back: the blocks of each, and both."""
    for header, body in loops.items():
        entries, backs = ways_of(body, predecessors[header])
        if len(entries) == len(backs) == 1:
            yield body, entries[0], backs[0]


def ways_of(body: set[Block], ways: Iterable[Way]) -> tuple[list[Way], list[Way]]:
    """Those to a loop's header by which it is entered, and those by which it goes on."""
    parts: tuple[list[Way], list[Way]] = [], []
    for way in ways:
        parts[way[0] in body].append(way)
    return parts


def _limits_of(body: set[Block], way_in: Way, way_back: Way) -> Iterator[tuple[Op, Limit]]:
    """Those of one loop, which has but one way in and one back."""
    (source, entry), (latch, back) = way_in, way_back
    if latch.end.condition is None:
        return
    following = back.given
    starts = entry.given
    moving = {op for block in body for op in (*block.parameters, *block.ops)}
    for sides in _unequal(latch.end.condition, back is latch.end.edges[0]):
        for side, end in (sides, sides[::-1]):
            counter, has_end = _counting(_unextended(side), following)
            if counter is not None and _is_fixed(end, moving, REDONE_DEPTH):
                yield counter, Limit(source, entry, starts[counter], end, has_end)


def _unextended(op: Op) -> Op:
    """The value of which another is an extension by zeros."""
    zeros = all(isinstance(o, Constant) and not o.value for o in op.operands[:-1])
    return op.operands[-1] if isinstance(op, Concat) and zeros else op


def _counting(value: Op, following: Mapping[Op, Op]) -> tuple[Op | None, bool]:
    """The parameter of a loop that counts by ones of which a value is the number that the next
    iteration has, or this one has; and whether it is this one's."""
    if value in following:
        return (value if _one_less(following[value]) is value else None), True
    counter = _one_less(value)
    return (counter if counter and following.get(counter) is value else None), False


def _unequal(condition: Op, holds: bool) -> Iterator[list[Op]]:
    """Pairs of values that differ where a condition holds, or does not."""
    predicates = Predicates()
    given = predicates.read(condition, holds)
    work, seen = [condition], set[Op]()
    while work:
        op = work.pop()
        if op in seen:
            continue
        seen.add(op)
        if isinstance(op, Logic) and op.width == 1:
            work += op.operands
        elif isinstance(op, Equality):
            are_equal = predicates.of(op, isinstance(op, Eq))
            if predicates.both(given, are_equal) == NEVER:
                yield op.operands


def _is_fixed(value: Op, moving: Collection[Op], depth: int) -> bool:
    """Whether a value is made of what is not `moving`."""
    if value not in moving:
        return True
    made = depth and value.operands and value.pure
    return bool(made) and all(_is_fixed(o, moving, depth - 1) for o in value.operands)


def _one_less(value: Op) -> Op | None:
    """What a value is one more than."""
    if not isinstance(value, Add) or not isinstance(value.operands[1], Constant):
        return None
    return value.operands[0] if value.operands[1].value == 1 else None
