# SPDX-License-Identifier: Apache-2.0
"""Copies of a loop's body, each of which may leave: for loops with a known most of iterations, and
for those of which an iteration is to be several.

Every copy is a block that goes on to the next one or to the loop's exit; if-convert then makes one
block of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.analysis.readers import read_by
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.ops import Op, parameter_like
from tandem.passes.rebuild import remake
from tandem.passes.simplify import substitute


@dataclass(frozen=True)
class Copy:
    """A copy of a loop's body, with the edges on which it leaves the loop and goes on in it."""

    block: Block
    leave: Edge
    onward: Edge


def peel(kernel: Kernel, block: Block, trips: int) -> None:
    """Replaces a loop of one block, which runs at most `trips` times, by that many copies."""
    last = copy_body(kernel, block, trips)[-1]
    last.block.end = Jump(edges=[last.leave], line=last.block.end.line)
    block.loop = NO_LOOP


def copy_body(kernel: Kernel, block: Block, count: int) -> list[Copy]:
    """Makes `count` copies of the body of a loop of one block, which is the first of them. Each
    ends as the loop does: out of it, or on to the next copy; behind the last comes the first."""
    _pass_to_exit(kernel, block)
    body, end, parameters = list(block.ops), block.end, list(block.parameters)
    leave, again = block.exit_edge, block.back_edge
    assert end.condition is not None
    place = kernel.blocks.index(block)
    values: dict[Op, Op] = {}
    copies: list[Copy] = []
    for number in range(1, count + 1):
        copy = block
        if copies:
            copy = Block(f"{block.name}_{number}", line=block.line)
            kernel.blocks.insert(place + number - 1, copy)
            passed = [values.get(a, a) for a in again.arguments]
            values = dict(zip(parameters, passed, strict=True))
            _copy_body(kernel, copy, body, values)
            copies[-1].onward.block, copies[-1].onward.arguments = copy, []
        left = Edge(leave.block, [values.get(a, a) for a in leave.arguments], leave.seldom)
        onward = Edge(block, [values.get(a, a) for a in again.arguments])
        edges = [left, onward] if end.edges[0] is leave else [onward, left]
        condition = values.get(end.condition, end.condition)
        copy.end = Branch(condition, edges, line=end.line)
        copies.append(Copy(copy, left, onward))
    return copies


def _copy_body(kernel: Kernel, copy: Block, body: list[Op], values: dict[Op, Op]) -> None:
    builder = Builder(kernel, copy)
    for op in body:
        builder.line = op.line
        made = remake(builder, op, [values.get(o, o) for o in op.operands])
        if made is not None:
            values[op] = made


def _pass_to_exit(kernel: Kernel, block: Block) -> None:
    """Values of the loop that are used behind it go there as parameters of its exit."""
    own = {*block.parameters, *block.ops}
    used = {
        value: None
        for other in kernel.blocks
        if other is not block
        for value in read_by(other)
        if value in own
    }
    if not used:
        return
    target = _own_exit(kernel, block)
    replaced: dict[Op, Op] = {}
    for value in used:
        replaced[value] = parameter_like(value)
    keep = block.ops, block.end
    block.ops, block.end = [], Return()
    substitute(kernel, replaced)
    block.ops, block.end = keep
    for value, parameter in replaced.items():
        target.parameters.append(parameter)
        block.exit_edge.arguments.append(value)


def _own_exit(kernel: Kernel, block: Block) -> Block:
    """The block behind a loop, or, where others lead there too, a new one before it."""
    leave = block.exit_edge
    behind = leave.block
    if len(kernel.predecessors()[behind]) == 1:
        return behind
    landing = Block(f"{block.name}_exit", line=behind.line)
    landing.end = Jump(edges=[Edge(behind, leave.arguments)], line=behind.line)
    leave.block, leave.arguments = landing, []
    kernel.blocks.insert(kernel.blocks.index(block) + 1, landing)
    return landing
