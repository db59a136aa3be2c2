# SPDX-License-Identifier: Apache-2.0
"""Which values are no less than others, and where their difference and what lies between is then.

`while (low < high) { middle = low + (high - low) / 2; ... }` never subtracts more than there is,
and the middle is below the end, however far apart both may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tandem.analysis.counters import Ways
from tandem.analysis.range_inputs import comparisons, one_run
from tandem.ir.blocks import Block, Edge
from tandem.ir.ops import Add, Constant, Op, Range, SLe, SLt, Sub, ULe, ULt, mask

Pair = tuple[Op, Op]
"""(what is less, what is more)."""
Order = tuple[int, bool]
"""(how much less at least, whether as numbers with a sign)."""
Orders = Mapping[Pair, Order]


@dataclass(frozen=True)
class Between:
    """An operation on two values of which one is less: their difference, or a number between them.
    `gap`: how much less at least; `is_signed`: as numbers with a sign."""

    less: Op
    more: Op
    gap: int
    is_signed: bool
    is_difference: bool

    def bounds(self, less: Range, more: Range) -> Range | None:
        """Between which numbers it is, by where both are; None where nothing is known of it."""
        most = mask(self.less.width) >> self.is_signed
        if less[1] > most or less[0] + self.gap > min(more[1], most):
            return None
        least, most = max(more[0], less[0] + self.gap), min(more[1], most)
        if more[0] > most:
            return None
        if self.is_difference:
            return max(self.gap, least - less[1]), most - less[0]
        return less[0], most - self.gap


def find_between(blocks: Sequence[Block], predecessors: Ways, entries: Ways) -> dict[Op, Between]:
    """The differences, and what lies between, of values whose order is known where they are made.
    `entries`: of the ways to blocks, those without ways back."""
    known: dict[Block, Orders] = {}
    found: dict[Op, Between] = {}
    for block in blocks:
        ways = entries[block]
        is_only = len(ways) == 1 and ways[0][0] in known
        orders = {**known[ways[0][0]], **_told(*ways[0])} if is_only else {}
        if len(predecessors[block]) > 1 and len(block.parameters) > 1:
            orders |= _of_parameters(block, predecessors[block])
        known[block] = orders
        for op in block.ops if orders else ():
            found.update(_made_of(op, orders))
    return found


def _told(source: Block, edge: Edge) -> dict[Pair, Order]:
    """What the condition of an edge says of orders."""
    condition = source.end.condition
    if condition is None:
        return {}
    holds = edge is source.end.edges[0]
    return {
        (a, b): (int(kind in (ULt, SLt)), kind in (SLt, SLe))
        for kind, a, b in comparisons(condition, holds)
        if kind in (ULt, ULe, SLt, SLe)
    }


def _of_parameters(block: Block, ways: Sequence[tuple[Block, Edge]]) -> dict[Pair, Order]:
    """The orders of a block's parameters that hold on all ways to it."""
    told = [(edge.arguments, _told(source, edge)) for source, edge in ways]
    return {
        (block.parameters[i], block.parameters[j]): order
        for given, orders in told
        for (i, j), order in _places(given, orders)
        if all(_holds(values[i], values[j], others, order) for values, others in told)
    }


def _places(given: Sequence[Op], orders: Orders) -> Iterator[tuple[tuple[int, int], Order]]:
    """Which two of some arguments have an order."""
    place = {a: i for i, a in enumerate(given)}
    for (less, more), order in orders.items():
        if less in place and more in place:
            yield (place[less], place[more]), order


def _holds(less: Op, more: Op, orders: Orders, order: Order) -> bool:
    """Whether two values have an order: by a condition, or as numbers without a sign bit."""
    if orders.get((less, more)) == order:
        return True
    are_known = isinstance(less, Constant) and isinstance(more, Constant)
    return are_known and less.value + order[0] <= more.value <= mask(more.width) >> 1


def _made_of(op: Op, orders: Orders) -> Iterator[tuple[Op, Between]]:
    """An operation on two values that have an order."""
    if isinstance(op, Sub):
        more, less = op.operands
        if (less, more) in orders:
            yield op, Between(less, more, *orders[less, more], is_difference=True)
    for less, part in (op.operands, op.operands[::-1]) if isinstance(op, Add) else ():
        more = _part_of_difference(part, less)
        if more is not None and (less, more) in orders:
            yield op, Between(less, more, *orders[less, more], is_difference=False)


def _part_of_difference(value: Op, less: Op) -> Op | None:
    """From what `less` is subtracted, where a value is a half of that difference, or a quarter."""
    run = one_run(value)
    if run is None or not isinstance(run[0], Sub) or run[0].operands[1] is not less:
        return None
    return run[0].operands[0] if run[1] and run[2] == run[0].width else None
