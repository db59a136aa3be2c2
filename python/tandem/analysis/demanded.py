# SPDX-License-Identifier: Apache-2.0
"""Which bits of each value can reach something that lasts."""

from __future__ import annotations

from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Constant, Op, mask


def demanded_bits(kernel: Kernel) -> dict[Op, int]:
    """For each value, a mask of the bits that can reach an effect."""
    demanded: dict[Op, int] = {}
    work: list[Op] = []

    def want(op: Op, bits: int) -> None:
        before = demanded.get(op, 0)
        more = bits & mask(op.width) & ~before
        if more and not isinstance(op, Constant):
            demanded[op] = before | more
            work.append(op)

    for block in kernel.blocks:
        for op in (block.end.condition, block.end.value, block.trip_count):
            if op is not None:
                want(op, mask(op.width))
        for op in (op for op in block.ops if not op.pure):
            for operand, bits in zip(op.operands, _access_demands(kernel, op), strict=True):
                want(operand, bits)
    sources = parameter_sources(kernel)
    while work:
        op = work.pop()
        for source in sources.get(op, []):
            want(source, demanded[op])
        for operand, bits in zip(op.operands, op.demands(demanded[op]), strict=True):
            want(operand, bits)
    return demanded


def _access_demands(kernel: Kernel, op: Op) -> list[int]:
    demands = [mask(o.width) for o in op.operands]
    if isinstance(op, Access):
        demands[0] = mask(kernel.index_bits(op))
    return demands


def parameter_sources(kernel: Kernel) -> dict[Op, list[Op]]:
    """What may come into each parameter."""
    sources: dict[Op, list[Op]] = {}
    for block in kernel.blocks:
        for edge in block.end.edges:
            for parameter, argument in zip(edge.block.parameters, edge.arguments, strict=True):
                sources.setdefault(parameter, []).append(argument)
    return sources
