# SPDX-License-Identifier: Apache-2.0
"""Values of loops that follow from constants alone, gone through iteration by iteration until the
loop ends: `for (half = 1; half != n; half *= 2)` has 1, 2, 4 and so on, and no number between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tandem.analysis.counters import Ways
from tandem.ir.blocks import Block, Edge
from tandem.ir.ops import Add, Constant, Op, Parameter, Range, computed, is_computable

MOST_ITERATIONS = 64
"""As many as a number has bits: what doubles, or halves, comes to its end in so many."""
MOST_OPERATIONS = 64
"""Of an iteration."""


def exhaustive_ranges(
    loops: Mapping[Block, set[Block]], predecessors: Ways, entries: Ways
) -> dict[Op, Range]:
    """The least and the greatest number of each parameter of a loop that is left after a few
    iterations, whatever else happens there; but of loops in which all such parameters only count,
    of which others know that."""
    found: dict[Op, Range] = {}
    for header, body in loops.items():
        backs = [way for way in predecessors[header] if way[0] in body]
        if len(entries[header]) == len(backs) == 1:
            found.update(_Course(header, entries[header][0][1], *backs[0]).ranges())
    return found


@dataclass
class _Course:
    """Of one loop, which has but one way in and one back."""

    header: Block
    entry: Edge
    latch: Block
    back: Edge

    def ranges(self) -> Iterator[tuple[Op, Range]]:
        condition = self.latch.end.condition
        starts = {
            parameter: start.value
            for parameter, start in self.entry.given.items()
            if isinstance(start, Constant)
        }
        following = self.back.given
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
        seen = self._run(starts, order, condition) if len(order) <= MOST_OPERATIONS else []
        for parameter in starts if seen else ():
            numbers = [values[parameter] for values in seen]
            yield parameter, (min(numbers), max(numbers))

    def _run(self, starts: dict[Op, int], order: list[Op], condition: Op) -> list[dict[Op, int]]:
        """The parameters in each iteration; none where there are too many."""
        found, following = [starts], self.back.given
        stays = self.back is self.latch.end.edges[0]
        while len(found) <= MOST_ITERATIONS:
            values = dict(found[-1])

            def value(op: Op, values: dict[Op, int] = values) -> int:
                return op.value if isinstance(op, Constant) else values[op]

            for op in order:
                values[op] = computed(op, [value(o) for o in op.operands])
            if bool(value(condition)) != stays:
                return found
            found.append({p: value(following[p]) for p in starts})
        return []


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
