# SPDX-License-Identifier: Apache-2.0
"""Chains of operations far longer than Python's stack, and which blocks a loop consists of."""

from __future__ import annotations

from tandem.analysis.affine import AffineLoop
from tandem.analysis.nests import Nests
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Add, ArgumentOp, Concat, Extract, Mul, Parameter, constant
from tandem.ir.wiring import bits_of

LENGTH = 20_000


def jump(block: Block, *targets: Block) -> None:
    edges = [Edge(target) for target in targets]
    condition = constant(1, 1) if len(edges) == 2 else None
    block.end = (Branch if condition else Jump)(condition, edges)


def test_a_long_chain_of_wiring() -> None:
    value = source = ArgumentOp((), 8)
    for _ in range(LENGTH):
        high = Extract([value], 7, {"low": 1})
        value = Concat([Extract([value], 1, {"low": 0}), high], 8)
    turned = LENGTH % 8
    expected = [(source, (i + turned) % 8) for i in range(8)]
    assert list(bits_of(value)) == expected


def test_the_form_of_a_long_chain_of_sums() -> None:
    block = Block("loop")
    counter, value = Parameter((), 16), ArgumentOp((), 16)
    block.parameters.append(counter)
    total = counter
    for _ in range(LENGTH):
        total = Add([total, value], 16)
        block.ops.append(total)
    back = Edge(block, [Add([counter, constant(3, 16)], 16)])
    block.ops.append(back.arguments[0])
    block.end = Branch(constant(1, 1), [back, Edge(Block("end"))])
    form = AffineLoop(block, [constant(5, 16)]).form(total)
    assert form is not None
    assert (form.constant, form.step, form.terms) == (5, 3, {value: LENGTH})


def test_a_long_chain_of_products_is_no_address() -> None:
    loop, entry, end = Block("loop"), Block("entry"), Block("end")
    value = counter = Parameter((), 64)
    loop.parameters.append(counter)
    for _ in range(LENGTH // 10):
        value = Mul([value, constant(3, 64)], 64)
        loop.ops.append(value)
    entry.end = Jump(None, [Edge(loop, [constant(0, 64)])])
    back = Edge(loop, [value])
    loop.end = Branch(constant(1, 1), [back, Edge(end)])
    kernel = Kernel("k", blocks=[entry, loop, end])
    nests = Nests(kernel, Builder(kernel, Block("forms")))
    assert nests.form(value) is None


def test_the_low_bits_of_a_sum_below_a_sum_of_the_others() -> None:
    """What is left of counter + 16 * value where the low bits go around the adder."""
    block = Block("loop")
    counter, value = Parameter((), 16), ArgumentOp((), 12)
    block.parameters.append(counter)
    high = Add([Extract([counter], 12, {"low": 4}), value], 12)
    total = Concat([high, Extract([counter], 4, {"low": 0})], 16)
    following = Add([counter, constant(3, 16)], 16)
    block.ops += [*high.operands[:1], high, total.operands[1], total, following]
    back = Edge(block, [following])
    block.end = Branch(constant(1, 1), [back, Edge(Block("end"))])
    form = AffineLoop(block, [constant(5, 16)]).form(total)
    assert form is not None
    assert (form.constant, form.step, form.terms) == (5, 3, {value: 16})


def test_loops_in_a_row_are_not_inside_each_other() -> None:
    entry, outer, first, second, latch, end = map(Block, "eofslx")
    jump(entry, outer)
    jump(outer, first)
    jump(first, first, second)
    jump(second, second, latch)
    jump(latch, outer, end)
    kernel = Kernel("k", blocks=[entry, outer, first, second, latch, end])
    assert natural_loops(kernel) == {
        outer: {outer, first, second, latch},
        first: {first},
        second: {second},
    }
