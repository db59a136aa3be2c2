# SPDX-License-Identifier: Apache-2.0
"""share-accesses: accesses of a block of which at most one happens become one.

What the branches of an `if` or the cases of a `switch` load or store is loaded or stored once, at
the place and with the value of the one that was taken. The memory's port is then needed once. A
store moves to the last of those it is merged with, a load to the first; nothing on that way may
reach its element. Loads of one place are merged even if several of them happen.

A load is not made to wait: those that are merged have as many loads on the way to where and whether
they load.

Accesses of one place are merged as soon as if-convert has brought them together. Those of different
places come after bind-arguments and reuse: what is known of each index alone (extents, distances)
is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tandem.analysis.predicates import ALWAYS, NEVER, Condition, Predicates
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Constant, Load, Op, Rom, Select, Store
from tandem.ir.wiring import bits_of
from tandem.passes.simplify import substitute

SLUG = "share-accesses"
SUMMARY = "merge accesses of which at most one happens"


def run(kernel: Kernel, anywhere: bool = True) -> bool:
    """Merges accesses in every block; whether there were any. Without `anywhere` only those at one
    place."""
    replace: dict[Op, Op] = {}
    changed = False
    for block in kernel.blocks:
        if sum(isinstance(op, Access) and op.enable is not None for op in block.ops) > 1:
            groups = _Groups(block, anywhere)
            found = [group.cases for group in groups.all if len(group.cases) > 1]
            replace |= _rewrite(kernel, block, groups.predicates, found) if found else {}
            changed |= bool(found)
    if replace:
        substitute(kernel, replace)
    return changed


@dataclass
class _Case:
    """A load or store, and when it happens."""

    op: Op
    condition: Condition


@dataclass(eq=False)
class _Group:
    """Accesses that come to one place. `passed`: the groups of stores whose place is behind the
    first of its loads, before which any other load has to come too; some of those stores may have
    been in front of it."""

    cases: list[_Case]
    passed: set[_Group] = field(default_factory=set)


class _Groups:
    """Accesses of a block that can move to one place: stores to that of the last one of their
    group, loads to that of the first."""

    def __init__(self, block: Block, anywhere: bool) -> None:
        self.anywhere = anywhere
        self.predicates = Predicates()
        self.all: list[_Group] = []
        self._open: list[_Group] = []
        """Those that every access that came after them passes."""
        self._loads: dict[Op, int] = {}
        """How many loads are on the way to a value."""
        self._held: dict[Op, int] = {}
        """The number of the last operation on the way to a value that has a place of its own."""
        for number, op in enumerate(block.ops):
            before = max((self._loads.get(o, 0) for o in op.operands), default=0)
            self._loads[op] = before + (isinstance(op, (Load, Rom)))
            held = max((self._held.get(o, -1) for o in op.operands), default=-1)
            self._held[op] = held if op.pure else number
            if isinstance(op, Access):
                self._see(op)

    def _see(self, op: Op) -> None:
        """The next access in program order."""
        case = _Case(op, ALWAYS if op.enable is None else self.predicates.read(op.enable))
        self._open = [group for group in self._open if self._passes(group, case)]
        home = self._home(case)
        home.cases.append(case)
        if isinstance(op, Store):
            for group in self._open:
                if group.cases[0].op.memory is op.memory:
                    group.passed.add(home)

    def _passes(self, group: _Group, case: _Case) -> bool:
        first = group.cases[0].op
        if first.memory is not case.op.memory or (
            isinstance(first, Load) and isinstance(case.op, Load)
        ):
            return True
        return self._excludes(case, group.cases)

    def _excludes(self, case: _Case, others: Iterable[_Case]) -> bool:
        return all(self.predicates.both(c.condition, case.condition) == NEVER for c in others)

    def _home(self, case: _Case) -> _Group:
        found = next((group for group in self._open if self._may_join(group, case)), None)
        if found is None:
            found = _Group([])
            self.all.append(found)
            self._open.append(found)
        return found

    def _may_join(self, group: _Group, case: _Case) -> bool:
        one, other = group.cases[0].op, case.op
        if one.memory is not other.memory or type(one) is not type(other):
            return False
        alike = all(bits_of(c.op.index) == bits_of(other.index) for c in group.cases)
        if isinstance(other, Store):
            return self.anywhere or alike
        if not alike and not (self.anywhere and self._excludes(case, group.cases)):
            return False
        return (
            self._waits(one) == self._waits(other)
            and all(self._excludes(case, stores.cases) for stores in group.passed)
            and self._may_come_first(one, other)
        )

    def _waits(self, load: Op) -> int:
        return max(self._loads.get(operand, 0) for operand in load.operands)

    def _may_come_first(self, first: Op, load: Op) -> bool:
        """Whether nothing on the way to a load that comes after `first` has a place of its own."""
        held = max(self._held.get(operand, -1) for operand in load.operands)
        return held <= self._held[first]


def _rewrite(
    kernel: Kernel, block: Block, predicates: Predicates, groups: list[list[_Case]]
) -> dict[Op, Op]:
    """Puts one access in the place of each group; returns what its loads become."""
    gone = {case.op for cases in groups for case in cases}
    place = {cases[-1 if isinstance(cases[0].op, Store) else 0].op: cases for cases in groups}
    order = {op: number for number, op in enumerate(block.ops)}
    left = set(order)
    block.ops = []
    builder = Builder(kernel, block)
    replace: dict[Op, Op] = {}
    for op in order:
        if op in place:
            cases = place[op]
            earlier = made_of((o for case in cases for o in case.op.operands), left)
            left -= earlier
            block.ops += sorted(earlier, key=order.__getitem__)
            builder.line = op.line
            made = _merge(builder, predicates, cases)
            replace |= {case.op: made for case in cases if made.width}
        elif op in left and op not in gone:
            block.ops.append(op)
        left.discard(op)
    return replace


def _merge(builder: Builder, predicates: Predicates, cases: list[_Case]) -> Op:
    first = cases[0].op
    index = max((case.op.index for case in cases), key=lambda index: index.width)
    operands = [[(c.condition, builder.resize(c.op.index, index.width)) for c in cases]]
    if isinstance(first, Store):
        operands.append([(c.condition, c.op.stored) for c in cases])
    chosen = [_chosen(builder, predicates, each) for each in operands]
    any_of = predicates.either(case.condition for case in cases)
    if any_of != ALWAYS:
        chosen.append(predicates.build(builder, any_of))
    attributes: dict[str, Any] = {"memory": first.memory}
    apart = min(case.op.attributes.get("apart", 0) for case in cases)
    if apart:
        attributes["apart"] = apart
    for known in ("in_step", "alone"):
        told = {case.op.attributes.get(known, "") for case in cases}
        if told != {""} and len(told) == 1:
            attributes[known] = told.pop()
    return builder.raw(type(first), chosen, first.width, **attributes)


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
    chosen = builder.build(Select, [test, value, otherwise], value.width)
    return predicates.either((one, other)), chosen


def _distinct(
    predicates: Predicates, cases: list[tuple[Condition, Op]]
) -> Iterator[tuple[Condition, Op]]:
    """Each value once, under the conditions of all its cases."""
    found: dict[object, tuple[Op, list[Condition]]] = {}
    for condition, value in cases:
        key = (value.value, value.width) if isinstance(value, Constant) else value
        found.setdefault(key, (value, []))[1].append(condition)
    for value, conditions in found.values():
        yield predicates.either(conditions), value
