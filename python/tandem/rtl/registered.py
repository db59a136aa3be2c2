# SPDX-License-Identifier: Apache-2.0
"""Products and quotients that are found in several cycles, by hardware of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.ir.blocks import Block
from tandem.ir.ops import Constant, Op
from tandem.ir.wiring import bits_of, is_sign_extended, multiplier_bits
from tandem.rtl.dividers import divider_module
from tandem.rtl.operators import hint
from tandem.rtl.text import Wire
from tandem.rtl.units import signed

if TYPE_CHECKING:
    from tandem.rtl.datapath import Datapath


def multiplied(datapath: Datapath, block: Block, op: Op) -> Wire:
    """A product with registers before and behind the multiplication, which a multiplier block
    has inside. They take what is there in every cycle: nothing ever stops in a pipeline. The
    factors come last: they may be made of what the product was an iteration before."""
    schedule = datapath.emitter.schedule.blocks[block]
    if op in schedule.ports:
        product = datapath.units.multiplier(schedule.ports[op], schedule.latency[op]).product
        return datapath.module.extract(product, 0, op.width)
    datapath.module.line = op.line
    start = schedule.start[op]
    registers = [_factor_register(datapath, block, factor, start) for factor in op.operands]
    wires = [
        _factor(datapath, factor, register)
        for factor, register in zip(op.operands, registers, strict=True)
    ]
    name = hint(op)
    product = datapath.module.binary("mul", wires[0], wires[1], name)
    for cycle in range(start + 2, schedule.ready(op) + 1):
        product = datapath.module.register(f"{name or 'mul'}_product", product)
        datapath.of_stage(block, product, cycle)
    datapath.made[op, schedule.ready(op)] = product
    for factor, register in zip(op.operands, registers, strict=True):
        if register is not None:
            value = datapath.at(block, factor, start)
            datapath.module.drive_register(
                register, datapath.module.extract(value, 0, register.width)
            )
    datapath.module.line = 0
    return product


def divided(datapath: Datapath, block: Block, op: Op, ready: int) -> Wire:
    """A divider. Its operands come last: they may be made of its result an iteration before."""
    schedule = datapath.emitter.schedule.blocks[block]
    start, cycles = schedule.start[op], schedule.latency[op] - 1
    bits = [o.width for o in op.operands]
    kind = datapath.emitter.inner_name("divide_{}_{}_in_{}".format(*bits, cycles))
    if kind not in datapath.operators.inner:
        datapath.operators.inner[kind] = divider_module(kind, bits[0], bits[1], cycles)
    result = datapath.made[op, ready] = Wire(datapath.module.fresh(), op.width)
    a, b = (datapath.at(block, operand, start) for operand in op.operands)
    token = datapath.emitter.tokens[block].at(start)
    inputs = {"reset": Wire("%reset", 1), "start": token, "dividend": a, "divisor": b}
    label = f"{hint(op) or 'divide'}_divider"
    datapath.module.instance(kind, label, inputs, {"value": result}, clock="clk")
    return result


def _factor_register(datapath: Datapath, block: Block, factor: Op, start: int) -> Wire | None:
    """What holds a factor, no wider than it needs to be; a constant needs none."""
    if isinstance(factor, Constant):
        return None
    width = multiplier_bits(bits_of(factor))
    register = datapath.module.declare_register(f"{hint(factor) or 'mul'}_factor", width)
    return datapath.of_stage(block, register, start + 1)


def _factor(datapath: Datapath, factor: Op, held: Wire | None) -> Wire:
    """A factor as wide as it is."""
    if held is None:
        return datapath.module.constant(factor.value, factor.width)
    if not is_sign_extended(bits_of(factor)):
        return datapath.module.resize(held, factor.width)
    return signed(datapath.module, held, factor.width)
