# SPDX-License-Identifier: Apache-2.0
"""join-stores: what is written before a way round and again behind it is written once, where the
two ways meet.

    c[i] = 0; if (n > 0) { for (k < n) sum += ...; c[i] = sum; }

One of both values is stored: a loop around has one store an iteration in place of two, and where
its iterations take turns in the loop inside it, a port is asked once.

Requires: sink-stores (a sum is stored behind its loop). Nothing on the way reaches the memory, and
no way leads anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.analysis.linear import Sums
from tandem.ir.blocks import Block, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.dominators import dominates, immediate_dominators
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory
from tandem.ir.ops import Access, Op, Parameter, Store

SLUG = "join-stores"
SUMMARY = "write once what is written before a way round and again behind it"


@dataclass(frozen=True)
class _Ways:
    """A way from a block straight to another one, and a way round, which ends with a third one."""

    split: Block
    straight: Edge
    last: Block
    join: Block


def run(kernel: Kernel) -> bool:
    """Whether any two stores have become one."""
    changed = False
    for ways in list(_ways(kernel)):
        while _join(kernel, ways):
            changed = True
    return changed


def _ways(kernel: Kernel) -> Iterator[_Ways]:
    """In their order, inner ones before those around them: what is joined may be joined again."""
    dominators, predecessors = immediate_dominators(kernel), kernel.predecessors()
    for join in kernel.blocks:
        for (split, straight), (last, _) in _pairs(predecessors[join]):
            is_round = split is not last and dominates(split, last, dominators)
            if is_round and isinstance(last.end, Jump) and dominates(split, join, dominators):
                yield _Ways(split, straight, last, join)


def _pairs(arriving: list[tuple[Block, Edge]]) -> list[list[tuple[Block, Edge]]]:
    """Two edges, in both orders, where there are just these."""
    return [arriving, arriving[::-1]] if len(arriving) == 2 else []


def _join(kernel: Kernel, ways: _Ways) -> bool:
    """Makes one store of two; whether there were two."""
    for memory in dict.fromkeys(op.memory for op in ways.last.ops if isinstance(op, Store)):
        first, second = (_last_access(block, memory) for block in (ways.split, ways.last))
        if first is None or second is None or not _is_one(first, second):
            continue
        if _is_reached_between(ways, memory, second):
            continue
        value = Parameter((), second.operands[1].width, line=second.line)
        ways.join.parameters.append(value)
        ways.straight.arguments.append(first.operands[1])
        ways.last.end.edges[0].arguments.append(second.operands[1])
        ways.split.ops.remove(first)
        ways.last.ops.remove(second)
        builder = Builder(kernel, Block("store"), second.line)
        builder.raw(Store, [first.index, value], 0, memory=memory)
        ways.join.ops[:0] = builder.block.ops
        return True
    return False


def _last_access(block: Block, memory: Memory) -> Op | None:
    """The last access of a block to a memory, if that is a store."""
    found = [op for op in block.ops if isinstance(op, Access) and op.memory is memory]
    return found[-1] if found and isinstance(found[-1], Store) else None


def _is_one(first: Op, second: Op) -> bool:
    """Whether two stores always write the same element, and nothing is said of either alone."""
    if first.enable is not None or second.enable is not None:
        return False
    is_alike = first.attributes == second.attributes
    return is_alike and Sums().difference(first.index, second.index) == 0


def _is_reached_between(ways: _Ways, memory: Memory, second: Op) -> bool:
    """Whether anything on the way round may reach a memory, or the way leads elsewhere."""
    between, work = set[Block](), [e.block for e in ways.split.end.edges if e is not ways.straight]
    while work:
        block = work.pop()
        if block is ways.join or block in between:
            continue
        if block is ways.split or block.calls or not block.successors:
            return True
        between.add(block)
        work += block.successors
    accesses = [
        op for b in between for op in b.ops if isinstance(op, Access) and op.memory is memory
    ]
    return accesses != [second]
