# SPDX-License-Identifier: Apache-2.0
"""Functions of a kernel that have blocks of their own: what is called, and what calls it.

A call is how a block ends: control goes into the function, and when that returns, on to where the
caller goes on. The callers' blocks and the function's are one graph, in which a call leads to both:
so what a value is made of, and which values are there, is told the same way everywhere. Between a
function and its callers go parameters of its first block and `result`; it reads no value of theirs,
since what a loop of a caller counts changes from one call to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from tandem.ir.blocks import Block, Call, Return
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Store


def entries(kernel: Kernel) -> dict[str, Block]:
    """Name of each function that is called -> its first block, callers before what they call."""
    return {block.end.callee: block.end.edges[0].block for block in kernel.blocks if block.calls}


def calls(kernel: Kernel) -> Counter[str]:
    """How many calls there are of each function."""
    return Counter(block.end.callee for block in kernel.blocks if isinstance(block.end, Call))


def blocks_of(entry: Block) -> list[Block]:
    """The blocks of the function that starts with `entry`, without those of what it calls."""
    found = {entry: None}
    work = [entry]
    while work:
        for following in work.pop().successors:
            if following not in found:
                found[following] = None
                work.append(following)
    return list(found)


def reached_by(kernel: Kernel, name: str) -> set[Block]:
    """The blocks of a function, and of all that it calls."""
    functions, found = entries(kernel), set[Block]()
    work = [name]
    for function in work:
        found.update(blocks_of(functions[function]))
        work += {b.end.callee for b in found if b.calls}.difference(work)
    return found


def calls_in_a_circle(kernel: Kernel) -> list[str]:
    """Names of functions that call themselves, directly or through others."""
    found = entries(kernel)
    reached = {
        name: {block.end.callee for block in blocks_of(entry) if block.calls}
        for name, entry in found.items()
    }
    for _ in found:
        reached = {
            name: inner.union(*(reached[n] for n in inner)) for name, inner in reached.items()
        }
    return [name for name, inner in reached.items() if name in inner]


def returned(kernel: Kernel, function: str) -> list[Block]:
    """The blocks with which a function ends."""
    return [b for b in blocks_of(entries(kernel)[function]) if isinstance(b.end, Return)]


def stored_by_calls(kernel: Kernel) -> dict[str, set[str]]:
    """Name of each function that is called -> the memories that a call of it may store to."""
    found = entries(kernel)
    bodies = {name: blocks_of(entry) for name, entry in found.items()}
    stored: dict[str, set[str]] = {}
    while len(stored) < len(found):
        for name, body in bodies.items():
            inner = [block.end.callee for block in body if block.calls]
            if all(callee in stored for callee in inner):
                own = {
                    op.memory.name for block in body for op in block.ops if isinstance(op, Store)
                }
                stored[name] = own.union(*(stored[callee] for callee in inner))
    return stored


def stored_in(kernel: Kernel, body: Collection[Block]) -> set[str]:
    """The memories that blocks, and what they call, may store to."""
    by_calls = stored_by_calls(kernel)
    found = {op.memory.name for block in body for op in block.ops if isinstance(op, Store)}
    return found.union(*(by_calls[block.end.callee] for block in body if block.calls))
