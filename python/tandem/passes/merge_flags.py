# SPDX-License-Identifier: Apache-2.0
"""merge-flags: a loop's flag that is always the same as another one, or its opposite, is that one.

Of pointers that are exchanged with each round of a loop each becomes a flag that says which array
it is into. Made of one flag, it is seen that they never are into the same one.

Requires: narrow-widths (a flag has one bit).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tandem.analysis.predicates import upright
from tandem.ir.blocks import Block, Edge
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Op, Xor, constant
from tandem.ir.wiring import Bit, bits_of
from tandem.passes.simplify import substitute, tidy

SLUG = "merge-flags"
SUMMARY = "make one of flags that are always the same, or opposites"


def run(kernel: Kernel) -> bool:
    """Whether there was such a flag."""
    predecessors = kernel.predecessors()
    replace: dict[Op, Op] = {}
    for header in natural_loops(kernel):
        found = dict(_merged(header, [edge for _, edge in predecessors[header]]))
        header.ops = [*(op for op in found.values() if isinstance(op, Xor)), *header.ops]
        replace |= found
    if replace:
        substitute(kernel, replace)
        tidy(kernel)
    return bool(replace)


def _merged(header: Block, edges: list[Edge]) -> Iterator[tuple[Op, Op]]:
    """Flags of a loop, and what each is of one before it."""
    merged: set[Op] = set()
    flags = [parameter for parameter in header.parameters if parameter.width == 1]
    for first, second in combinations(flags, 2):
        ways = [way for way in (True, False) if all(_hold(e, first, second, way) for e in edges)]
        if ways and merged.isdisjoint((first, second)):
            merged.add(second)
            yield second, first if ways[0] else _opposite(first, second)


def _hold(edge: Edge, first: Op, second: Op, is_same: bool) -> bool:
    """Whether two flags are the same, or opposites, behind an edge if they have been so before."""
    given = edge.given

    def told(flag: Op) -> tuple[Bit, bool]:
        bit, is_plain = upright(bits_of(given[flag])[0], True)
        if type(bit) is int:
            return 1, bool(bit) == is_plain
        return ((first, 0), is_plain == is_same) if bit[0] is second else (bit, is_plain)

    (bit, is_plain), (other, is_other) = told(first), told(second)
    return bit == other and (is_plain == is_other) == is_same


def _opposite(flag: Op, named: Op) -> Op:
    return Xor([flag, constant(1, 1)], 1, {}, named.line, named.name)
