# SPDX-License-Identifier: Apache-2.0
"""if-convert: both sides of a small branch are computed, and a select keeps the right one.

Requires: simplify. Loads and stores of a side take effect only when the side is taken.
"""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Edge, Kernel, Op, Terminator, reverse_postorder
from tandem.passes.simplify import substitute

SLUG = "if-convert"
SUMMARY = "turn small branches into selects and conditional accesses"

SIDE_LIMIT = 64


def run(kernel: Kernel) -> bool:
    """Converts every branch that qualifies; whether there was any."""
    changed = False
    while any(_convert(kernel, block) for block in kernel.blocks):
        kernel.blocks = reverse_postorder(kernel.entry)
        changed = True
    return changed


def _convert(kernel: Kernel, block: Block) -> bool:
    end = block.end
    if end.kind != "branch" or block.is_loop:
        return False
    predecessors = kernel.predecessors()
    yes, no = end.edges
    sides = [e for e in (yes, no) if _is_side(e.block, block, len(predecessors[e.block]))]
    joins = {e.block.successors[0] if e in sides else e.block for e in (yes, no)}
    if not sides or len(joins) != 1:
        return False
    join = joins.pop()
    if join is block or any(e.block is join for e in sides):
        return False
    _merge(kernel, block, sides, join)
    return True


def _is_side(side: Block, head: Block, ways_in: int) -> bool:
    if ways_in != 1 or side.end.kind != "jump" or side is head or side.successors[0] is side:
        return False
    return len(side.ops) <= SIDE_LIMIT and all(op.kind not in ("pop", "push") for op in side.ops)


def _merge(kernel: Kernel, block: Block, sides: list[Edge], join: Block) -> None:
    end = block.end
    assert end.condition is not None
    builder = Builder(kernel, block)
    builder.line = end.line
    arguments = []
    for edge in end.edges:
        if edge in sides:
            condition = end.condition
            if edge is end.edges[1]:
                condition = builder.invert(condition)
            substitute(kernel, dict(zip(edge.block.parameters, edge.arguments, strict=True)))
            for op in edge.block.ops:
                block.ops.append(_guarded(builder, op, condition))
            arguments.append(edge.block.end.edges[0].arguments)
        else:
            arguments.append(edge.arguments)
    chosen = [
        builder.build("select", [end.condition, a, b], a.width)
        for a, b in zip(*arguments, strict=True)
    ]
    block.end = Terminator("jump", edges=[Edge(join, chosen)], line=end.line)


def _guarded(builder: Builder, op: Op, condition: Op) -> Op:
    """The operation as it is, its accesses bound to the condition."""
    if op.is_access:
        enable = condition if op.enable is None else builder.logic("and", [op.enable, condition])
        fixed = 1 if op.kind == "load" else 2
        op.operands = [*op.operands[:fixed], enable]
    return op
