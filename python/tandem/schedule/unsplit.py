# SPDX-License-Identifier: Apache-2.0
"""A kernel as it was before anything was split for its clock: what is known of its loops and
accesses then holds afterwards too, when indices and counters in pieces tell less."""

from __future__ import annotations

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel


def block_before(kernel: Kernel, block: Block) -> Block | None:
    """What a block was; None where nothing has been split, or the block came about later."""
    if kernel.unsplit is None:
        return None
    facts = kernel.unsplit.facts
    if "blocks" not in facts:
        facts["blocks"] = {block.name: block for block in kernel.unsplit.blocks}
    return facts["blocks"].get(block.name)


def blocks_before(kernel: Kernel) -> dict[Block, Block] | None:
    """What all blocks were; None where that is not known of each."""
    found = {block: block_before(kernel, block) for block in kernel.blocks}
    known = {block: before for block, before in found.items() if before is not None}
    return known if len(known) == len(found) else None
