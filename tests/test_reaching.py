# SPDX-License-Identifier: Apache-2.0
"""Under which condition on a call's arguments a block is reached."""

from __future__ import annotations

from tandem.analysis.reaching import Reaching
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.ops import ArgumentOp, Constant, Op
from tandem.ir.parser import parse

# Two ways that meet, and behind them a loop that is left in one place only.
TEXT = """tandem-ir 1
kernel @f
  argument @a : pointer in memory=@a "uint8_t *"
  argument @x : scalar in i8 "uint8_t"
  memory @a : argument 16 x i8
^entry:
  %0 = ult @x, 9:i8 : i1
  branch %0, ^some(), ^other()
^some:
  jump ^meet()
^other:
  %1 = ult @x, 200:i8 : i1
  branch %1, ^rare(), ^meet()
^rare:
  jump ^meet()
^meet:
  %2 = load @x {memory=a} : i8
  %3 = eq %2, 7:i8 : i1
  branch %3, ^data(), ^before()
^data:
  jump ^before()
^before:
  jump ^loop(0:i8)
^loop(%4:i8):
  %5 = add %4, 1:i8 : i8
  %6 = ult %5, @x : i1
  branch %6, ^loop(%5), ^end()
^end:
  return
"""


def value(op: Op, x: int) -> int:
    """What an expression over the argument comes to."""
    if isinstance(op, Constant):
        return op.value
    if isinstance(op, ArgumentOp):
        return x
    evaluate = type(op).evaluate
    assert evaluate is not None
    parts = [value(operand, x) for operand in op.operands]
    return evaluate(parts, [operand.width for operand in op.operands], op.width) & 1


def test_a_block_is_reached_where_the_branches_before_it_lead_there() -> None:
    kernel = parse(TEXT)
    reaching = Reaching(kernel, Builder(kernel, Block("conditions")))
    found = {block.name: reaching.condition(block) for block in kernel.blocks}
    wanted = {
        "some": lambda x: x < 9,
        "other": lambda x: x >= 9,
        "rare": lambda x: 9 <= x < 200,
        **dict.fromkeys(("entry", "meet", "before", "loop", "end"), lambda _: True),
    }
    assert {name for name, condition in found.items() if condition is None} == {"data"}
    for name, holds in wanted.items():
        condition = found[name]
        assert condition is not None
        assert [value(condition, x) for x in range(256)] == [holds(x) for x in range(256)], name
