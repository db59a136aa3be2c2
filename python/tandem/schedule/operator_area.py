# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of single operations, from the target's measured operators. What is known costs
nothing, and few bits are a table. Logic and choices that lie in one table together are counted in
`schedule.tables`."""

from __future__ import annotations

from math import ceil

from tandem.ir.ops import Compare, Equality, Logic, Mul, Op, Rom, Shift
from tandem.ir.wiring import bits_of, is_constant, number
from tandem.schedule.delays import Row, Target, interpolated
from tandem.schedule.live_bits import live_bits, live_inputs
from tandem.schedule.multiplier_area import in_block, product_lut4

WIDE = 8
"""Look-up tables that make a table of seven inputs: twice as many for each input more than four."""


def operator_lut4(target: Target, op: Op, read_bits: int | None = None) -> float:
    """Look-up tables of an operation, of whose result somebody reads so many bits."""
    row, size = target.row_of(op)
    if row is None:
        return 0.0
    if isinstance(op, Rom):
        return row.area(size) * op.width
    if isinstance(op, Mul):
        return row.area(size) if in_block(target, op) else product_lut4(op)
    if isinstance(op, Shift):
        return _shifter_lut4(target, op, op.width if read_bits is None else read_bits)
    if isinstance(op, Compare):
        return _comparison_lut4(target, op, row)
    if isinstance(op, Logic):
        return live_bits(op) * _gate_lut4(target, len(op.operands))
    bits = live_bits(op)
    return min(bits, row.area(bits)) if _adds_little(target, op, bits) else row.area(bits)


def tree_lut4(target: Target, inputs: int) -> int:
    """Look-up tables of one bit that many decide."""
    return ceil((inputs - 1) / (target.lut_inputs - 1))


def _gate_lut4(target: Target, inputs: int) -> float:
    """Look-up tables of a bit of logic of many inputs. It is a module of its own, which synthesis
    makes as fast as it can: nothing in it has time to spare."""
    gates = target.rows["logic"].gates
    if inputs <= target.lut_inputs or not gates:
        return tree_lut4(target, inputs)
    return interpolated(list(gates), list(gates.values()), inputs)


def _adds_little(target: Target, op: Op, bits: int) -> bool:
    """Whether each bit of a sum with a known number fits a table."""
    return bits <= target.lut_inputs and any(is_constant(bits_of(o)) for o in op.operands)


def _comparison_lut4(target: Target, op: Op, row: Row) -> float:
    """Where every bit decides, or nothing but the sign and whether there is any bit, a tree. Pairs
    of unknown bits fit such a tree badly, and have a row of their own."""
    inputs = live_inputs(op)
    if inputs <= target.lut_inputs or _is_with_zero(op):
        return tree_lut4(target, inputs)
    if not isinstance(op, Equality):
        return row.area(live_bits(op))
    first, second = (bits_of(o) for o in op.operands)
    pairs = sum(
        type(a) is not int and type(b) is not int for a, b in zip(first, second, strict=True)
    )
    alone = tree_lut4(target, inputs - 2 * pairs)
    return alone + (row.area(pairs) if pairs else 0.0)


def _is_with_zero(op: Op) -> bool:
    return any(is_constant(bits_of(o)) and not number(bits_of(o)) for o in op.operands)


def _shifter_lut4(target: Target, op: Op, read_bits: int) -> float:
    """A shifted constant is a table of the amount. Else every bit that is read chooses among the
    bits of the value, known ones and copies of its sign aside, once for each bit of the amount."""
    value, amount = ({bit for bit in bits_of(o) if type(bit) is not int} for o in op.operands)
    if not value:
        return target.rows["rom"].area(len(amount)) * read_bits
    stages = max(1, (op.width - 1).bit_length())
    part = min(1.0, len(amount) / stages) * len(value) / op.width * read_bits / op.width
    return target.rows["shift"].area(op.width) * part


def divider_lut4(target: Target, op: Op, cycles: int) -> float:
    """Look-up tables of a divider that takes so many cycles: its steps, what its registers start
    with, and a counter. Where a cycle finds two bits, the choice of what is left of four values is
    all that follows the subtractions: synthesis makes it one level of wide tables."""
    bits, width = (o.width for o in op.operands)
    steps = -(-bits // cycles)
    add, choice = target.rows["add"].area, target.rows["select"].area(width)
    one, two = (
        add(width + 1) + choice,
        add(width + 2) + 2 * add(width + 1) + (WIDE if steps == 2 else 3) * choice,
    )
    made = steps // 2 * two + steps % 2 * one + (add(width + 1) if steps > 1 else 0)
    return made + bits + 2 * cycles.bit_length()
