# SPDX-License-Identifier: Apache-2.0
"""Values of loops that follow from constants alone, gone through iteration by iteration until the
loop ends: `for (half = 1; half != n; half *= 2)` has 1, 2, 4 and so on, and no number between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from tandem.analysis.counters import Way, Ways, with_two_ways
from tandem.ir.blocks import Block
from tandem.ir.ops import Add, Constant, Op, Parameter, Range, computed, is_computable

MOST_ITERATIONS = 64
"""As many as a number has bits: what doubles, or halves, comes to its end in so many."""
MOST_OPERATIONS = 64
"""Of an iteration."""

Decision = tuple[Op, int]
"""What decides whether another iteration follows, and its value where one does."""


def numbers_of(
    starts: Mapping[Op, int], following: Mapping[Op, Op], order: Sequence[Op], decision: Decision
) -> Iterator[Mapping[Op, int]]:
    """The numbers that some of a loop's parameters are in each iteration, of those that they start
    with; `order`: the operations that make of them what they are next, and what decides."""
    condition, stays_when = decision
    current = starts
    while True:
        values = dict(current)
        for op in order:
            values[op] = computed(op, [_number(values, o) for o in op.operands])
        yield current
        if _number(values, condition) != stays_when:
            return
        current = {p: _number(values, following[p]) for p in current}


def _number(values: Mapping[Op, int], op: Op) -> int:
    return op.value if isinstance(op, Constant) else values[op]


def exhaustive_ranges(loops: Mapping[Block, set[Block]], predecessors: Ways) -> dict[Op, Range]:
    """The least and the greatest number of each parameter of a loop that is left after a few
    iterations, whatever else happens there; but of loops in which all such parameters only count,
    of which others know that."""
    return {
        parameter: range_
        for _, way_in, way_back in with_two_ways(loops, predecessors)
        for parameter, range_ in _ranges(way_in, way_back)
    }


def _ranges(way_in: Way, way_back: Way) -> Iterator[tuple[Op, Range]]:
    """Of one loop."""
    (_, entry), (latch, back) = way_in, way_back
    condition, following = latch.end.condition, back.given
    given = entry.given.items()
    starts = {parameter: start.value for parameter, start in given if isinstance(start, Constant)}
    if condition is None or all(_only_counts(p, following[p]) for p in starts):
        return
    makers = _makers(starts, following)
    while len(makers) < len(starts):  # what followed from one that goes, goes too
        starts = {p: starts[p] for p in makers}
        makers = _makers(starts, following)
    decides = _made_of(condition, starts)
    if decides is None:
        return
    order = list(dict.fromkeys(op for ops in (decides, *makers.values()) for op in ops))
    if len(order) > MOST_OPERATIONS:
        return
    decision = condition, int(back is latch.end.edges[0])
    seen = list(islice(numbers_of(starts, following, order, decision), MOST_ITERATIONS + 1))
    for parameter in starts if len(seen) <= MOST_ITERATIONS else ():
        numbers = [values[parameter] for values in seen]
        yield parameter, (min(numbers), max(numbers))


def _makers(starts: Mapping[Op, int], following: Mapping[Op, Op]) -> dict[Op, list[Op]]:
    """The operations that make what is next of parameters, of those that follow from these."""
    return {p: ops for p in starts if (ops := _made_of(following[p], starts)) is not None}


def _only_counts(parameter: Op, following: Op) -> bool:
    """Whether a parameter says nothing, stays, or is a constant more each time."""
    if parameter.width == 1 or following is parameter:
        return True
    counts = isinstance(following, Add) and isinstance(following.operands[1], Constant)
    return counts and following.operands[0] is parameter


def _made_of(value: Op, known: Mapping[Op, int]) -> list[Op] | None:
    """The operations that make a value of known ones, each behind those that it reads; None where
    others go into it, or there are many."""
    order: dict[Op, None] = {}
    work = [value]
    while work:
        op = work[-1]
        if op in order or _is_there(op, known):
            work.pop()
        elif isinstance(op, Parameter) or not is_computable(op) or len(order) > MOST_OPERATIONS:
            return None
        else:
            missing = [o for o in op.operands if o not in order and not _is_there(o, known)]
            work += missing
            if not missing:
                order[work.pop()] = None
    return [*order]


def _is_there(op: Op, known: Mapping[Op, int]) -> bool:
    return op in known or isinstance(op, Constant)
