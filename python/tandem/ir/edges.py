# SPDX-License-Identifier: Apache-2.0
"""Blocks that are put on the edges of a kernel."""

from __future__ import annotations

from tandem.ir.blocks import Block, Edge, Jump
from tandem.ir.kernel import Kernel
from tandem.ir.names import unused_name


def put_on(kernel: Kernel, edge: Edge, name: str) -> tuple[Block, Edge]:
    """Puts an empty block on an edge, under the name or a longer one; with its own edge, which
    carries what that one did."""
    made = Block(block_name(kernel, name), line=edge.block.line)
    onward = Edge(edge.block, edge.arguments, edge.seldom)
    made.end = Jump(edges=[onward])
    kernel.blocks.insert(kernel.blocks.index(edge.block), made)
    edge.block, edge.arguments = made, []
    return made, onward


def block_name(kernel: Kernel, name: str) -> str:
    """The name, made longer until no block has it."""
    return unused_name(name, {block.name for block in kernel.blocks})
