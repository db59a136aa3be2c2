# SPDX-License-Identifier: Apache-2.0
"""Who reads a value, and what it is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from tandem.ir.kernel import Kernel, Op


def count_readers(kernel: Kernel) -> Counter[Op]:
    """How often each operation is read."""
    values = [o for _, op in kernel.ops() for o in op.operands]
    for block in kernel.blocks:
        values += block.end.inputs()
        values += [block.trip_count] if block.trip_count is not None else []
    return Counter(values)


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
