# SPDX-License-Identifier: Apache-2.0
"""strip-zeros: block parameters without the low bits that are always 0.

A pointer that moves by 64 elements an iteration is a multiple of 64 if it was one before the loop:
as a shorter number with six zeros behind it every pass sees that, and no register holds them.

Requires: simplify.
"""

from __future__ import annotations

from tandem.ir.kernel import Kernel, Op
from tandem.ir.wiring import bits_of, segments
from tandem.passes.parameters import Shortening
from tandem.passes.simplify import tidy

SLUG = "strip-zeros"
SUMMARY = "keep the low zeros of block parameters out of registers"


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
    while True:
        values: dict[Op, int] = dict(counts)
        for _, op in kernel.ops():
            values[op] = _of_operation(op, values)
        following = dict(counts)
        for block in kernel.blocks:
            for edge in block.end.edges:
                for p, argument in zip(edge.block.parameters, edge.arguments, strict=True):
                    following[p] = min(following[p], _of_value(argument, values))
        if following == counts:
            return counts
        counts = following


def _of_value(value: Op, values: dict[Op, int]) -> int:
    """Low zeros of a value through its wiring."""
    count = 0
    for source, low, width in segments(bits_of(value)):
        if source is None:
            known = (low & -low).bit_length() - 1 if low else width
        else:
            known = max(0, values.get(source, 0) - low)
        count += min(known, width)
        if known < width:
            break
    return count


def _of_operation(op: Op, values: dict[Op, int]) -> int:
    counts = [_of_value(o, values) for o in op.operands]
    if op.kind in ("add", "sub", "and", "or", "xor"):
        low = max(counts) if op.kind == "and" else min(counts)
    elif op.kind == "select":
        low = min(counts[1:])
    elif op.kind == "mul":
        low = sum(counts)
    elif op.kind == "shl":
        low = counts[0]
    else:
        low = 0
    return min(low, op.width)
