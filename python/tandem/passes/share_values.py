# SPDX-License-Identifier: Apache-2.0
"""share-values: what a block computes that one before it has computed is that value.

A row's address may be made once where the row begins and, from the same operands, once more where
its loop begins. They are one number, but nothing that compares indices would see that: operands
are compared by what makes them.

Requires: licm, which moves such values out of loops. Of blocks that control comes to from one
other only.
"""

from __future__ import annotations

from typing import Any

from tandem.ir.blocks import Block, reverse_postorder
from tandem.ir.builder import meaning
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op
from tandem.passes.simplify import substitute, tidy

SLUG = "share-values"
SUMMARY = "take a value that a block before has computed of the same operands"

Made = dict[Any, Op]


def run(kernel: Kernel) -> bool:
    """Takes every such value; whether there was any."""
    before = _blocks_before(kernel)
    replace: dict[Op, Op] = {}
    made: dict[Block, Made] = {}
    for block in reverse_postorder(kernel.entry):
        made[block] = own = {}
        for op in (op for op in block.ops if op.pure and op.width):
            operands = [replace.get(o, o) for o in op.operands]
            what = meaning(type(op), operands, op.width, op.attributes)
            earlier = _found(what, block, made, before)
            if earlier is None:
                own[what] = op
            else:
                replace[op] = earlier
    if replace:
        substitute(kernel, replace)
        tidy(kernel)
    return bool(replace)


def _blocks_before(kernel: Kernel) -> dict[Block, Block]:
    """The one block that control comes from, where nothing else runs between them."""
    ways = kernel.predecessors().items()
    return {b: of[0][0] for b, of in ways if len(of) == 1 and not of[0][0].hands_over}


def _found(
    what: Any, block: Block, made: dict[Block, Made], before: dict[Block, Block]
) -> Op | None:
    while what not in made[block]:
        if block not in before:
            return None
        block = before[block]
    return made[block][what]
