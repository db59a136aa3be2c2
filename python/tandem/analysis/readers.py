# SPDX-License-Identifier: Apache-2.0
"""Who reads a value, and what it is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op


def count_readers(kernel: Kernel) -> Counter[Op]:
    """How often each operation is read."""
    return Counter(value for block in kernel.blocks for value in read_by(block))


def read_by(block: Block, but: Container[Op] = ()) -> Iterator[Op]:
    """The values that a block reads, as often as it does, without what some operations of it do."""
    for op in block.ops:
        if op not in but:
            yield from op.operands
    yield from block.end.inputs()
    if block.trip_count is not None:
        yield block.trip_count


def values_behind(kernel: Kernel, body: Collection[Block]) -> set[Op]:
    """What is read where a loop has been left, or on the way out of it."""
    outside = {value for block in kernel.blocks if block not in body for value in read_by(block)}
    leaving = (e for block in body for e in block.end.edges if e.block not in body)
    return outside.union(*(edge.arguments for edge in leaving))


def is_read_behind(kernel: Kernel, made: Iterable[Block], body: Collection[Block]) -> bool:
    """Whether what some blocks of a loop make is read where it has been left."""
    values = {op for block in made for op in [*block.parameters, *block.ops]}
    return not values.isdisjoint(values_behind(kernel, body))


def made_of(
    values: Iterable[Op], own: Container[Op], following: Mapping[Op, Op] | None = None
) -> set[Op]:
    """Those of some operations that decide about values, directly and through others of them.
    `following`: the next value of each parameter of a loop, for all of its iterations."""
    found: set[Op] = set()
    work = list(values)
    while work:
        op = work.pop()
        if op in own and op not in found:
            found.add(op)
            work += op.operands
            if following and op in following:
                work.append(following[op])
    return found


def changing(loop: Block) -> set[Op]:
    """The values of a loop of one block that may be others in the next iteration."""
    found = set(loop.parameters)
    for op in loop.ops:
        if not op.pure or not found.isdisjoint(op.operands):
            found.add(op)
    return found
