# SPDX-License-Identifier: Apache-2.0
"""narrow-widths: every operation only as wide as the bits that somebody reads.

The builder already narrows by what is known of the operands' bits; this pass adds what is demanded
of the results, and between which numbers they lie (`analysis.ranges`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tandem.analysis.demanded import demanded_bits, parameter_sources
from tandem.analysis.ranges import full, ranges_of
from tandem.ir import wiring
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    Access,
    Logic,
    Mul,
    Op,
    Range,
    Select,
    Shl,
    Sum,
    constant,
    mask,
)
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.parameters import Shortening
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "narrow-widths"
SUMMARY = "drop the bits of operations and block parameters that nobody reads"

LOW_BITS_ONLY = (Sum, Mul, Shl)
"""Operations whose low result bits depend on the same low operand bits only."""


def run(kernel: Kernel) -> bool:
    """Narrows operations and parameters; whether there were any to narrow."""
    ranges = ranges_of(kernel)
    needed = _needed_widths(kernel, ranges)
    demanded = demanded_bits(kernel)
    is_narrower = _narrow_parameters(kernel, demanded, needed)
    if is_narrower:
        demanded = demanded_bits(kernel)

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        wanted = demanded.get(op, 0)
        if isinstance(op, Access):
            kept = min(operands[0].width, kernel.index_bits(op))
            operands = [builder.extract(operands[0], 0, kept), *operands[1:]]
        low, high = ranges.get(op) or full(op)
        if op.pure and low == high:
            return constant(low, op.width)
        count = needed.get(op, op.width) if op.pure else op.width
        wanted &= mask(count)
        if op.width and wanted and wanted != mask(op.width):
            made = _narrowed(builder, op, operands, wanted)
        else:
            made = remake(builder, op, operands)
        if made is None or count == op.width:
            return made
        return builder.resize(builder.extract(made, 0, count), op.width)

    return refold_and_tidy(kernel, change) or is_narrower


def _needed_widths(kernel: Kernel, ranges: Mapping[Op, Range]) -> dict[Op, int]:
    """How many bits the values of each operation and parameter take. What a counter is next has as
    many as the counter: modulo fewer, it is no sum of it any more."""
    needed = {op: high.bit_length() or 1 for op, (_, high) in ranges.items()}
    for op, width in index_widths(kernel).items():
        if op in needed:
            needed[op] = max(needed[op], min(op.width, width))
    for counter, following in _counted(kernel):
        if counter in needed and following in needed:
            needed[following] = max(needed[following], needed[counter])
    return needed


def _counted(kernel: Kernel) -> Iterator[tuple[Op, Op]]:
    """Parameters, with the sums of themselves that they are next."""
    for parameter, sources in parameter_sources(kernel).items():
        for source in sources:
            if isinstance(source, Sum) and parameter in source.operands:
                yield parameter, source


def index_widths(kernel: Kernel) -> dict[Op, int]:
    """What the indices of a pipeline are made of stays as wide as they are: extended by zeros, a
    sum in the iterations is none any more for `analysis.linear`, and accesses could meet."""
    kept: dict[Op, int] = {}
    for block in (block for block in kernel.blocks if block.is_loop):
        following = block.back_edge.given
        own = {*block.parameters, *block.ops}
        accesses = (op for op in block.ops if isinstance(op, Access))
        work = [(access.index, kernel.index_bits(access)) for access in accesses]
        while work:
            op, width = work.pop()
            if op in own and kept.get(op, 0) < width:
                kept[op] = width
                behind = [*op.operands, *filter(None, [following.get(op)])]
                work += [(value, width) for value in behind]
    return kept


def _narrowed(builder: Builder, op: Op, operands: list[Op], wanted: int) -> Op | None:
    kept = wanted.bit_length()
    if isinstance(op, (Logic, Select)):
        fixed = 1 if isinstance(op, Select) else 0
        data = operands[:fixed] + [_keep(builder, o, wanted) for o in operands[fixed:]]
        return builder.build(type(op), data, op.width)
    if isinstance(op, LOW_BITS_ONLY) and kept < op.width:
        low = [builder.extract(operands[0], 0, kept)]
        low.append(operands[1] if isinstance(op, Shl) else builder.extract(operands[1], 0, kept))
        made = builder.build(type(op), low, kept)
        return builder.resize(made, op.width)
    return remake(builder, op, operands)


def _keep(builder: Builder, value: Op, wanted: int) -> Op:
    """The value with zeros where nobody looks."""
    return builder.wire(tuple(b if wanted >> i & 1 else 0 for i, b in enumerate(bits_of(value))))


def _narrow_parameters(kernel: Kernel, demanded: dict[Op, int], needed: Mapping[Op, int]) -> bool:
    """Parameters lose the high bits that nobody reads, and those that are always 0; whether there
    were any."""
    predecessors = kernel.predecessors()
    shortening = Shortening(kernel)
    for block in kernel.blocks[1:]:
        ways = predecessors[block]
        for i, parameter in enumerate(block.parameters):
            kept = max(1, demanded.get(parameter, 0).bit_length())
            kept = min(kept, needed.get(parameter, parameter.width))
            incoming = [e.arguments[i] for _, e in ways if e.arguments[i] is not parameter]
            kept = min(kept, _known_width(parameter, map(shortening.bits_of, incoming)))
            if kept < parameter.width:
                shortening.shorten(block, i, 0, kept, ways)
    return shortening.end()


def _known_width(parameter: Op, incoming: Iterable[Bits]) -> int:
    """Bits that can be 1, of what comes in but for the parameter itself."""
    widths = [parameter.width - wiring.leading_zeros(bits) for bits in incoming]
    return max(1, *widths) if widths else parameter.width
