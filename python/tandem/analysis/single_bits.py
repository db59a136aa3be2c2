# SPDX-License-Identifier: Apache-2.0
"""Values of which no more than one bit is ever set: powers of two, what these are shifted to, and
the parameters of loops that double or halve them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import partial

from tandem.analysis.range_rules import full
from tandem.ir.kernel import Kernel
from tandem.ir.ops import WIRING, And, Constant, LShr, Op, Parameter, Range, Select, Shl
from tandem.ir.wiring import Bits, bits_of


def single_bits(kernel: Kernel, ranges: Mapping[Op, Range]) -> set[Op]:
    """All of them but constants. All values are taken to be so until those are left out that do not
    follow from others."""
    given: dict[Op, list[Op]] = {}
    for block in kernel.blocks:
        for edge in block.end.edges:
            for parameter, value in edge.given.items():
                given.setdefault(parameter, []).append(value)
    found = {op for _, op in kernel.ops() if op.pure} | given.keys()
    follows = partial(_follows, given=given, single=found, ranges=ranges)
    while wrong := {op for op in found if not follows(op)}:
        found -= wrong
    return found


def _follows(
    op: Op,
    given: Mapping[Op, Sequence[Op]],
    single: Set[Op],
    ranges: Mapping[Op, Range],
) -> bool:
    """Whether a value has at most one bit where others do."""

    def is_single(value: Op) -> bool:
        return value in single or (isinstance(value, Constant) and value.value.bit_count() < 2)

    bits = ranges.get(op, full(op))[1].bit_length()
    if isinstance(op, Parameter):
        return all(is_single(o) or _are_of_one(bits_of(o), bits, single) for o in given[op])
    if isinstance(op, (Shl, LShr)):
        return is_single(op.operands[0])
    if isinstance(op, And):
        return any(map(is_single, op.operands))
    if isinstance(op, Select):
        return all(map(is_single, op.operands[1:]))
    return isinstance(op, WIRING) and _are_of_one(bits_of(op), bits, single)


def _are_of_one(bits: Bits, low: int, single: Set[Op]) -> bool:
    """Whether bits are different ones of one such value, among zeros, as all but so many low ones
    are."""
    zeros = {0, *bits[low:]}
    others = [bit for bit in bits if bit not in zeros]
    sources = {None if type(bit) is int else bit[0] for bit in others}
    return len({*others}) == len(others) and len(sources) < 2 and sources <= single
