# SPDX-License-Identifier: Apache-2.0
"""exit-look-ahead: whether a loop goes on is computed at its head, where nothing in it decides.

`i + 1 == n` behind a row of a nest takes an addition and a comparison, and the next row waits for
both. What they need is known as the row begins, and they are made while something else is.

Only where the counter is not read behind the loop's first block: what is one more then takes its
registers. Last of all, as nothing else looks for a counter's step behind the head.
"""

from __future__ import annotations

from tandem.analysis.readers import made_of, read_by
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Op

SLUG = "exit-look-ahead"
SUMMARY = "compute at the head of a loop whether it goes on, where nothing in it decides"


def run(kernel: Kernel) -> bool:
    """Whether anything has moved."""
    changed = False
    for header, body in natural_loops(kernel).items():
        latches = [block for block in body if header in block.successors]
        if len(latches) == 1 and latches[0] is not header:
            changed |= _move(latches[0], header, body)
    return changed


def _move(latch: Block, header: Block, body: set[Block]) -> bool:
    """Moves what decides at the latch to the header; whether there is anything that can be."""
    condition = latch.end.condition
    if condition is None:
        return False
    needed = made_of([condition], set(latch.ops))
    if not needed or not all(op.pure for op in needed):
        return False
    inside = {op for block in body if block is not header for op in (*block.parameters, *block.ops)}
    sources = {operand for op in needed for operand in op.operands} - needed
    if sources & inside or sources & _read_behind(header, body, needed):
        return False
    header.ops += [op for op in latch.ops if op in needed]
    latch.ops = [op for op in latch.ops if op not in needed]
    return True


def _read_behind(header: Block, body: set[Block], but: set[Op]) -> set[Op]:
    """The parameters of a loop that others than some operations read behind its header."""
    others = (block for block in body if block is not header)
    read = {value for block in others for value in read_by(block, but)}
    return read.intersection(header.parameters)
