# SPDX-License-Identifier: Apache-2.0
"""Block parameters that carry fewer bits."""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Edge, Kernel, Op
from tandem.ir.wiring import bits_of, zeros
from tandem.passes.simplify import substitute


def shorten(
    kernel: Kernel, block: Block, place: int, low: int, width: int, ways: list[tuple[Block, Edge]]
) -> None:
    """The parameter at a place of `block`, all of whose bits are 0 but for `width` ones from bit
    `low` on, carries these only. `ways`: the edges to the block and the blocks they leave."""
    old = block.parameters[place]
    new = Op("parameter", (), width, dict(old.attributes), old.line, old.name)
    head = Builder(kernel, Block("head"))
    whole = head.wire((*zeros(low), *bits_of(new), *zeros(old.width - low - width)))
    block.parameters[place] = new
    for source, edge in ways:
        builder = Builder(kernel, source)
        edge.arguments[place] = builder.extract(edge.arguments[place], low, width)
    block.ops = head.block.ops + block.ops
    substitute(kernel, {old: whole})
