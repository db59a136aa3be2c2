# SPDX-License-Identifier: Apache-2.0
"""share-accesses: stores of a block of which at most one happens become one.

What the branches of an `if` or the cases of a `switch` store is stored once, after them, at the
place and with the value of the one that was taken. The memory's port is then needed once. A store
moves to the last of those it is merged with; nothing on that way may reach its element.

Stores at one place are merged as soon as if-convert has brought them together. Those at different
places come after bind-arguments and reuse: what is known of each index alone (extents, distances)
is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.wiring import bits_of
from tandem.passes.predicates import ALWAYS, NEVER, Condition, Predicates

SLUG = "share-accesses"
SUMMARY = "merge stores of which at most one happens"


def run(kernel: Kernel, anywhere: bool = True) -> bool:
    """Merges stores in every block; whether there were any. Without `anywhere` only those at one
    place."""
    changed = False
    for block in kernel.blocks:
        if sum(op.kind == "store" and op.enable is not None for op in block.ops) > 1:
            changed |= _share(kernel, block, anywhere)
    return changed


@dataclass
class _Case:
    """A load or store, and when it happens."""

    op: Op
    condition: Condition


def _share(kernel: Kernel, block: Block, anywhere: bool) -> bool:
    groups = _Groups(anywhere)
    for op in block.ops:
        if op.is_access:
            groups.see(op)
    found = [group for group in groups.all if len(group) > 1]
    if found:
        _rewrite(kernel, block, groups.predicates, found)
    return bool(found)


class _Groups:
    """Stores that can move to the place of the last one of their group."""

    def __init__(self, anywhere: bool) -> None:
        self.anywhere = anywhere
        self.predicates = Predicates()
        self.all: list[list[_Case]] = []
        self._open: list[list[_Case]] = []
        """Those whose stores exclude every access that came after them."""

    def see(self, op: Op) -> None:
        """The next access in program order."""
        case = _Case(op, ALWAYS if op.enable is None else self.predicates.read(op.enable))
        self._open = [group for group in self._open if self._passes(group, case)]
        if op.kind == "store":
            self._home(op).append(case)

    def _passes(self, group: list[_Case], case: _Case) -> bool:
        if group[0].op.memory != case.op.memory:
            return True
        return all(self.predicates.both(c.condition, case.condition) == NEVER for c in group)

    def _home(self, store: Op) -> list[_Case]:
        found = next((g for g in self._open if self._alike(g[0].op, store)), None)
        if found is None:
            found = []
            self.all.append(found)
            self._open.append(found)
        return found

    def _alike(self, one: Op, other: Op) -> bool:
        same_place = bits_of(one.index) == bits_of(other.index)
        return one.memory == other.memory and (self.anywhere or same_place)


def _rewrite(
    kernel: Kernel, block: Block, predicates: Predicates, groups: list[list[_Case]]
) -> None:
    """Puts one store in the place of the last of each group."""
    last = {cases[-1].op: cases for cases in groups}
    gone = {case.op for cases in groups for case in cases}
    ops, block.ops = block.ops, []
    builder = Builder(kernel, block)
    for op in ops:
        if op in last:
            builder.line = op.line
            _merge(builder, predicates, last[op])
        elif op not in gone:
            block.ops.append(op)


def _merge(builder: Builder, predicates: Predicates, cases: list[_Case]) -> None:
    first = cases[0].op
    index = max((case.op.index for case in cases), key=lambda index: index.width)
    places = [(c.condition, builder.resize(c.op.index, index.width)) for c in cases]
    values = [(c.condition, c.op.stored) for c in cases]
    any_of = predicates.either(case.condition for case in cases)
    operands = [_chosen(builder, predicates, each) for each in (places, values)]
    if any_of != ALWAYS:
        operands.append(predicates.build(builder, any_of))
    builder.raw("store", operands, 0, memory=first.memory)


def _chosen(builder: Builder, predicates: Predicates, cases: list[tuple[Condition, Op]]) -> Op:
    """The value of the case that holds, by a tree of selects over those that differ."""
    different = list(_distinct(predicates, cases))
    while len(different) > 1:
        pairs = [different[i : i + 2] for i in range(0, len(different), 2)]
        different = [_pair(builder, predicates, pair) for pair in pairs]
    return different[0][1]


def _pair(
    builder: Builder, predicates: Predicates, pair: list[tuple[Condition, Op]]
) -> tuple[Condition, Op]:
    if len(pair) == 1:
        return pair[0]
    (one, value), (other, otherwise) = pair
    test = predicates.build(builder, one)
    chosen = builder.build("select", [test, value, otherwise], value.width)
    return predicates.either((one, other)), chosen


def _distinct(
    predicates: Predicates, cases: list[tuple[Condition, Op]]
) -> Iterator[tuple[Condition, Op]]:
    """Each value once, under the conditions of all its cases."""
    found: dict[object, tuple[Op, list[Condition]]] = {}
    for condition, value in cases:
        key = (value.value, value.width) if value.kind == "constant" else value
        found.setdefault(key, (value, []))[1].append(condition)
    for value, conditions in found.values():
        yield predicates.either(conditions), value
