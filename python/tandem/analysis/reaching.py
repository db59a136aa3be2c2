# SPDX-License-Identifier: Apache-2.0
"""Under which condition over a call's arguments control reaches a block at all."""

from __future__ import annotations

from collections.abc import Callable

from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.dominators import immediate_dominators
from tandem.ir.expressions import is_expressible
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import And, Op, Or, constant

Settled = Callable[[Op], Op | None]
"""What stands for a value of which more is known than its operands tell; None for all others."""


class Reaching:
    """Conditions of a kernel's blocks, made with `builder`. Loops are taken to end: what follows a
    loop with one way out is reached whenever the loop is."""

    def __init__(self, kernel: Kernel, builder: Builder) -> None:
        self.kernel = kernel
        self.builder = builder
        self.loops = natural_loops(kernel)
        self.predecessors = kernel.predecessors()
        self.dominators = immediate_dominators(kernel)
        self.after = _always_after(kernel)
        self._known: dict[Block, Op | None] = {kernel.entry: constant(1, 1)}

    def condition(self, block: Block) -> Op | None:
        """One bit, 1 where control reaches the block; None if it cannot be told from the
        arguments."""
        order = [b for b in self.kernel.blocks if b not in self._known]
        for current in order:
            self._known[current] = self._condition(current)
        return self._known[block]

    def happens(self, block: Block, op: Op) -> Op | None:
        """One bit, 1 where a load or store in a block happens; None if it cannot be told."""
        condition = self.condition(block)
        return None if condition is None else self.enabled(condition, op)

    def enabled(self, condition: Op, op: Op) -> Op | None:
        """Both the condition and what enables a load or store; None if that cannot be told."""
        if op.enable is None:
            return condition
        if not is_expressible(op.enable):
            return None
        return self.builder.logic(And, [condition, self._again(op.enable)])

    def _condition(self, block: Block) -> Op | None:
        above = block
        while above is not self.kernel.entry:
            above = self.dominators[above]
            if block in self.after[above]:
                return self._known[above]
        conditions = [self._entering(source, edge) for source, edge in self._entries(block)]
        known = [c for c in conditions if c is not None]
        return self.builder.logic(Or, known) if known and len(known) == len(conditions) else None

    def _entries(self, block: Block) -> list[tuple[Block, Edge]]:
        """The edges that lead into the block from outside of its own loop, if it heads one."""
        own = self.loops.get(block, set())
        return [(b, e) for b, e in self.predecessors[block] if b not in own]

    def _entering(self, source: Block, edge: Edge) -> Op | None:
        if source.calls and edge is source.end.edges[0]:
            return self._known.get(source)
        left = self._outermost_left(source, edge.block)
        if left is not None:
            return self._known.get(left) if self._has_one_exit(left) else None
        before = self._known.get(source)
        if before is None or source.end.condition is None:
            return before
        test = source.end.condition
        if not is_expressible(test):
            return None
        taken = test if source.end.edges[0] is edge else self.builder.invert(self._again(test))
        return self.builder.logic(And, [before, self._again(taken)])

    def _again(self, op: Op) -> Op:
        """The value made with our builder, so that it folds with others."""
        return again(self.builder, op)

    def _outermost_left(self, source: Block, target: Block) -> Block | None:
        """The header of the largest loop that an edge leaves."""
        left = [h for h, body in self.loops.items() if source in body and target not in body]
        return max(left, key=lambda h: len(self.loops[h]), default=None)

    def _has_one_exit(self, header: Block) -> bool:
        body = self.loops[header]
        return len({e.block for b in body for e in b.end.onward if e.block not in body}) == 1


def again(builder: Builder, op: Op, settled: Settled | None = None) -> Op:
    """An expressible value made again with another builder, folded on the way; `settled` tells what
    stands for one of which more is known."""
    made: dict[Op, Op] = {}
    instead: dict[Op, Op | None] = {}
    stack = [op]
    while stack:
        current = stack[-1]
        if current not in instead:
            instead[current] = settled(current) if settled else None
        other = instead[current]
        missing = [o for o in (current.operands if other is None else [other]) if o not in made]
        stack += missing
        if missing:
            continue
        stack.pop()
        if current in made:
            continue
        if other is not None:
            made[current] = made[other]
        elif current.arity == 0:
            made[current] = current
        else:
            operands = [made[o] for o in current.operands]
            made[current] = builder.build(
                type(current), operands, current.width, **current.attributes
            )
    return made[op]


def _always_after(kernel: Kernel) -> dict[Block, set[Block]]:
    """Block -> blocks that every way from it to the end runs through (itself left out)."""
    everything = set(kernel.blocks)
    result = {b: {b} if not b.end.edges else set(everything) for b in kernel.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(kernel.blocks):
            if not block.end.edges:
                continue
            common = set.intersection(*(result[s] for s in block.successors)) | {block}
            if common != result[block]:
                result[block] = common
                changed = True
    return {block: after - {block} for block, after in result.items()}
