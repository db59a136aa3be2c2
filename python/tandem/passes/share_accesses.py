# SPDX-License-Identifier: Apache-2.0
"""share-accesses: accesses of one memory that exclude each other become one.

What the branches of an `if` or the cases of a `switch` store is stored once, after them, at the
place and with the value of the one that was taken. The memory's port is then needed once.

Requires: if-convert, reuse. A store moves to the last of those it is merged with; nothing on that
way may reach its element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Kernel, Op
from tandem.passes.predicates import NEVER, Condition, Predicates

SLUG = "share-accesses"
SUMMARY = "merge stores of which at most one happens"


def run(kernel: Kernel) -> None:
    """Merges stores in every block."""
    for block in kernel.blocks:
        if sum(op.kind == "store" and op.enable is not None for op in block.ops) > 1:
            _share(kernel, block)


@dataclass
class _Case:
    """A store on its way to others, and when it happens."""

    op: Op
    condition: Condition


def _share(kernel: Kernel, block: Block) -> None:
    predicates = Predicates()
    groups: dict[str, list[_Case]] = {}
    merged: dict[Op, list[_Case]] = {}
    for op in block.ops:
        if not op.is_access:
            continue
        case = None if op.enable is None else _Case(op, predicates.read(op.enable))
        group = groups.get(op.memory, [])
        if case is None or not _exclude(predicates, group, case.condition):
            groups[op.memory] = group = []
        if op.kind == "store" and case is not None:
            merged.pop(group[-1].op, None) if group else None
            group.append(case)
            groups[op.memory] = group
            merged[op] = list(group)
    _rewrite(kernel, block, predicates, [cases for cases in merged.values() if len(cases) > 1])


def _exclude(predicates: Predicates, group: list[_Case], condition: Condition) -> bool:
    return all(predicates.both(case.condition, condition) == NEVER for case in group)


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
    operands = [
        _chosen(builder, predicates, list(places)),
        _chosen(builder, predicates, list(values)),
        predicates.build(builder, any_of),
    ]
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
