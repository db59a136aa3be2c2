# SPDX-License-Identifier: Apache-2.0
"""turned-bits: which of a number and its partner is less is told by the bit that they differ in.

Sorting networks and transforms take each pair of elements once, by `partner = i ^ span` and `if (i
< partner)`. With one bit in `span` that asks whether `i` lacks it, `!(i & span)`, without carries.
And where it does the partner is `i | span`, of which it is known that it never is an `i`.

Requires: drop-signs (of what is never negative the order is that of numbers without a sign).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from tandem.analysis.masks import disjoint
from tandem.analysis.range_rules import full
from tandem.analysis.ranges import ranges_of
from tandem.analysis.single_bits import single_bits
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    Access,
    And,
    Compare,
    Eq,
    Equality,
    Ne,
    Op,
    Or,
    Range,
    Xor,
    constant,
)
from tandem.ir.wiring import Bits, bits_of, leading_zeros, segments
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import tidy

SLUG = "turned-bits"
SUMMARY = "tell a number from itself with one bit turned over by that bit"


def run(kernel: Kernel) -> bool:
    """Whether there was such a comparison, or an access of a partner."""
    changed = _compare_by_bits(kernel)
    return _set_bits(kernel) or changed


# -- comparisons ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Order:
    """A comparison of a number with itself, the bits of a mask, an operand of `turned`, turned
    over. `is_first`: the number itself is the first operand."""

    turned: Op
    mask: int
    is_first: bool

    def bits_of_mask(self, ranges: Mapping[Op, Range]) -> Range:
        """The range of the mask."""
        mask = self.turned.operands[self.mask]
        return ranges.get(mask, full(mask))


def _compare_by_bits(kernel: Kernel) -> bool:
    asked = [op for _, op in kernel.ops() if _may_be_order(op)]
    if not asked:
        return False
    ranges = ranges_of(kernel)
    single = single_bits(kernel, ranges)
    orders: dict[Op, _Order] = {}
    for op in asked:
        found = _order(op, ranges)
        if found is not None and found.turned.operands[found.mask] in single:
            orders[op] = found
    if orders:
        _ask_for_bits(kernel, orders, ranges)
    return bool(orders)


def _may_be_order(op: Op) -> TypeGuard[Compare]:
    is_order = isinstance(op, Compare) and not isinstance(op, Equality)
    return is_order and any(_turned(o) for o in op.operands)


def _turned(value: Op) -> tuple[Op, int] | None:
    """A number with bits turned over that are the lowest of another one, and how many of them."""
    source, low, width = next(segments(bits_of(value)))
    is_turned = isinstance(source, Xor) and len(source.operands) == 2 and not low
    return (source, width) if source is not None and is_turned else None


def _order(op: Compare, ranges: Mapping[Op, Range]) -> _Order | None:
    """How a comparison asks for the order of a number and that with bits turned over; None where
    it does not, or has signs."""
    for place in (1, 0):
        value, other = op.operands[1 - place], op.operands[place]
        turned, width = _turned(other) or (None, 0)
        if turned is None or leading_zeros(bits_of(other)) < other.width - width:
            continue
        kept = [bits_of(o)[:width] for o in turned.operands]
        least = bits_of(value)[:width]
        if least not in kept or ranges.get(value, full(value))[1] >> width:
            continue
        found = _Order(turned, 1 - kept.index(least), is_first=place == 1)
        told = width - (op.is_signed and width == other.width)  # a sign would be another order
        if not found.bits_of_mask(ranges)[1] >> told:
            return found
    return None


def _ask_for_bits(kernel: Kernel, orders: dict[Op, _Order], ranges: Mapping[Op, Range]) -> None:
    new_of: dict[Op, list[Op]] = {}
    turned = {order.turned for order in orders.values()}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op in turned:
            new_of[op] = operands
        order = orders.get(op)
        if order is None or not isinstance(op, Compare):
            return remake(builder, op, operands)
        common = builder.logic(And, parts := new_of[order.turned])
        none = constant(0, common.width)
        is_below = builder.compare(Eq, common, none)
        if order.is_first != op.holds_of_equals and not order.bits_of_mask(ranges)[0]:
            differ = builder.compare(Ne, parts[order.mask], none)
            is_below = builder.logic(And, [is_below, differ])
        return is_below if order.is_first else builder.invert(is_below)

    rebuild(kernel, change)
    tidy(kernel)


# -- accesses -------------------------------------------------------------------------------------


def _set_bits(kernel: Kernel) -> bool:
    """Has accesses that happen only where a number lacks bits have them set in it, where they are
    turned over in their index."""
    changed = False
    for block in kernel.blocks:
        found = dict(_lacking(op for op in block.ops if isinstance(op, Access)))
        builder, ops, block.ops = Builder(kernel, block), block.ops, []
        for op in ops:
            turned, width = found.get(op, (None, 0))
            if turned is not None:
                builder.line = op.line
                low = bits_of(builder.logic(Or, list(turned.operands)))[:width]
                place = builder.wire((*low, *bits_of(op.index)[width:]))
                op.read([place, *op.operands[1:]])
            block.ops.append(op)
        changed |= bool(found)
    if changed:
        tidy(kernel)
    return changed


def _lacking(accesses: Iterable[Op]) -> Iterator[tuple[Op, tuple[Op, int]]]:
    """Those of accesses whose index is a number with bits turned over that it then lacks, and what
    `_turned` says of it."""
    for access in accesses:
        found = _turned(access.index) if access.enable is not None else None
        pair = {*map(bits_of, found[0].operands)} if found else set[Bits]()
        if found and any({*map(bits_of, both)} == pair for both in disjoint(access.enable)):
            yield access, found
