# SPDX-License-Identifier: Apache-2.0
"""strip-zeros: block parameters without the low bits that are always 0.

A pointer that moves by 64 elements an iteration is a multiple of 64 if it was one before the loop:
as a shorter number with six zeros behind it every pass sees that, and no register holds them.

Requires: simplify.
"""

from __future__ import annotations

from tandem.analysis.readers import made_of
from tandem.ir.blocks import Edge
from tandem.ir.kernel import Kernel
from tandem.ir.ops import WIRING, And, Logic, Mul, Op, Select, Shl, Sum
from tandem.ir.wiring import bits_of, segments
from tandem.passes.parameters import Shortening
from tandem.passes.simplify import tidy

SLUG = "strip-zeros"
SUMMARY = "keep the low zeros of block parameters out of registers"

FOLLOWED = (Sum, Logic, Select, Mul, Shl)
"""Operations whose low zeros follow from those of their operands; others have none."""

Runs = list[tuple[Op | None, int, int]]
"""A value's runs of bits, lowest first, as `wiring.segments` has them."""


def run(kernel: Kernel) -> bool:
    """Whether any parameter has become shorter."""
    found = {p: count for p, count in _low_zeros(kernel).items() if 0 < count < p.width}
    predecessors = kernel.predecessors()
    shortening = Shortening(kernel)
    for block in kernel.blocks[1:]:
        for place, parameter in enumerate(block.parameters):
            if parameter in found:
                low = found[parameter]
                shortening.shorten(block, place, low, parameter.width - low, predecessors[block])
    if shortening.end():
        tidy(kernel)
    return bool(found)


def _low_zeros(kernel: Kernel) -> dict[Op, int]:
    """Low zeros of every parameter: first all of them are taken to be zeros, then as many as what
    comes along their edges leaves, until that holds together."""
    counts = {p: p.width for block in kernel.blocks[1:] for p in block.parameters}
    edges = [edge for block in kernel.blocks for edge in block.end.edges]
    entering = [(p, _runs(argument)) for edge in edges for p, argument in edge.given.items()]
    followed = [(op, [_runs(o) for o in op.operands]) for op in _followed(kernel, edges)]
    while True:
        values: dict[Op, int] = dict(counts)
        for op, operands in followed:
            values[op] = _of_operation(op, [_of_runs(runs, values) for runs in operands])
        following = dict(counts)
        for p, runs in entering:
            following[p] = min(following[p], _of_runs(runs, values))
        if following == counts:
            return counts
        counts = following


def _followed(kernel: Kernel, edges: list[Edge]) -> list[Op]:
    """Those of the operations that what comes along edges follows from, in their order."""
    own = {op for _, op in kernel.ops() if isinstance(op, (FOLLOWED, WIRING))}
    found = made_of((argument for edge in edges for argument in edge.arguments), own)
    return [op for _, op in kernel.ops() if op in found and isinstance(op, FOLLOWED)]


def _runs(value: Op) -> Runs:
    return list(segments(bits_of(value)))


def _of_runs(runs: Runs, values: dict[Op, int]) -> int:
    """Low zeros of a value through its wiring."""
    count = 0
    for source, low, width in runs:
        if source is None:
            known = (low & -low).bit_length() - 1 if low else width
        else:
            known = max(0, values.get(source, 0) - low)
        count += min(known, width)
        if known < width:
            break
    return count


def _of_operation(op: Op, counts: list[int]) -> int:
    """Low zeros of one of the operations that are `FOLLOWED`, by those of its operands."""
    if isinstance(op, Select):
        low = min(counts[1:])
    elif isinstance(op, Mul):
        low = sum(counts)
    elif isinstance(op, Shl):
        low = counts[0]
    else:
        low = max(counts) if isinstance(op, And) else min(counts)
    return min(low, op.width)
