# SPDX-License-Identifier: Apache-2.0
"""Blocks that run once before a loop."""

from __future__ import annotations

from tandem.analysis.affine import AffineLoop
from tandem.analysis.trips import trip_count
from tandem.ir.blocks import Block, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.edges import block_name, put_on
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, parameter_like


def preheader(kernel: Kernel, source: Block, entry: Edge) -> tuple[Block, Edge]:
    """A block that runs once before a loop and only there, and its edge to the loop; `entry` is the
    loop's only way in, from `source`."""
    if isinstance(source.end, Jump):
        return source, entry
    return put_on(kernel, entry, f"{entry.block.name}_before")


def trips_before(
    kernel: Kernel, header: Block, body: set[Block], latch: Block
) -> tuple[Builder, Op]:
    """How often a loop runs of which that is known on entry, made in a block that runs once before
    it, and what makes values there."""
    source = before_loop(kernel, header, body)
    (entry,) = (edge for edge in source.end.edges if edge.block is header)
    builder = Builder(kernel, source)
    trips = trip_count(builder, AffineLoop(header, list(entry.arguments), body), latch, header)
    assert trips is not None
    return builder, trips


def before_loop(kernel: Kernel, header: Block, body: set[Block]) -> Block:
    """A block that runs once before a loop."""
    entries = [(b, e) for b, e in kernel.predecessors()[header] if b not in body]
    if len(entries) == 1:
        return preheader(kernel, *entries[0])[0]
    joining = Block(block_name(kernel, f"{header.name}_entry"), line=header.line)
    joining.parameters = [parameter_like(p) for p in header.parameters]
    for _, edge in entries:
        edge.block = joining
    onward = Edge(header, list(joining.parameters))
    joining.end = Jump(edges=[onward], line=header.line)
    kernel.blocks = reverse_postorder(kernel.entry)
    return joining
