# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of single operations, from the target's measured operators. What is known costs
nothing, and few bits are a table. Logic and choices that lie in one table together are counted in
`schedule.tables`."""

from __future__ import annotations

from tandem.ir.ops import Compare, Equality, Logic, Mul, Op, Rom, Shift, mask
from tandem.ir.wiring import Bit, bits_of, is_constant, number
from tandem.schedule.delays import Row, Target, interpolated, tree_lut4
from tandem.schedule.live_bits import live_bits, live_inputs
from tandem.schedule.multiplier_area import in_block, product_lut4
from tandem.schedule.table_area import table_lut4

CHOICE_INPUTS = 7
"""Of a bit of what is left in a divider that finds two bits in a cycle: four values, and three bits
that say which."""
APART = 4
"""Look-up tables of such a bit where no table is so wide. Found on the dividers of 32 bits of
`zoom` and `divisors`: on iCE40 and Nexus 4.0 and 3.8."""


def wide_inputs(target: Target) -> int:
    """The inputs of the widest table that is tables of fewer with nothing but multiplexers of their
    own behind them: twice as many for each input more. Synthesis takes it for its speed where it is
    larger than several levels."""
    inputs, table = target.lut_inputs, target.rows["rom"]
    while table.area(inputs + 1) <= 2 ** (inputs + 1 - target.lut_inputs):
        inputs += 1
    return inputs


def operator_lut4(target: Target, op: Op, read: int = -1, is_stored: bool = False) -> float:
    """Look-up tables of an operation, of whose result somebody reads the bits of a mask, and that
    `is_stored` if nothing but registers takes it."""
    row, size = target.row_of(op)
    if row is None:
        return 0.0
    if isinstance(op, Rom):
        return table_lut4(target, op)
    if isinstance(op, Mul):
        return row.area(size) if in_block(target, op) else product_lut4(op)
    if isinstance(op, Shift):
        bits = (read & mask(op.width)).bit_count()
        return (
            _known_lut4(target, op, bits, is_stored)
            if is_shifted_known(op)
            else (_shifter_lut4(target, op, bits))
        )
    if isinstance(op, Compare):
        return _comparison_lut4(target, op, row)
    if isinstance(op, Logic):
        return live_bits(op) * _gate_lut4(target, len(op.operands))
    unread = op.width - (read & mask(op.width)).bit_length()
    bits = max(0, live_bits(op) - unread)
    return min(bits, row.area(bits)) if _adds_little(target, op, bits) else row.area(bits)


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
        return (target.rows["add"] if target.table_behind_carry else row).area(live_bits(op))
    first, second = (bits_of(o) for o in op.operands)
    pairs = sum(
        type(a) is not int and type(b) is not int for a, b in zip(first, second, strict=True)
    )
    alone = tree_lut4(target, inputs - 2 * pairs)
    return alone + (row.area(pairs) if pairs else 0.0)


def _is_with_zero(op: Op) -> bool:
    return any(is_constant(bits_of(o)) and not number(bits_of(o)) for o in op.operands)


def is_shifted_known(op: Op) -> bool:
    """Whether an operation shifts a known number."""
    return isinstance(op, Shift) and is_constant(bits_of(op.operands[0]))


def _known_lut4(target: Target, op: Op, read_bits: int, is_stored: bool) -> float:
    """A shifted number is a table of the amount: where no table is so wide, of what some of its
    bits say, which is found once, and the others. Registers are reset by one bit of the amount, and
    what half of them take is what the others do. Where there is but one bit, or nothing but ones up
    to an end, as much decides each bit."""
    value, inputs = number(bits_of(op.operands[0])), len(_unknown(op.operands[1]))
    ones = value.bit_count()
    is_run = value in (1, mask(ones) << op.width - ones, mask(ones))
    if is_stored and inputs > 1:
        read_bits, inputs = min(read_bits, 1 << inputs - 1), inputs - 1
    alone = target.rows["rom"].area(inputs) * read_bits
    apart = (1 if is_run else ones) * read_bits + 2 ** max(0, inputs - target.lut_inputs + 1)
    return alone if inputs <= wide_inputs(target) else min(alone, apart)


def _unknown(value: Op) -> set[Bit]:
    return {bit for bit in bits_of(value) if type(bit) is not int}


def _shifter_lut4(target: Target, op: Op, read_bits: int) -> float:
    """Every bit that is read chooses among the bits of the value, known ones and copies of its sign
    aside, once for each bit of the amount."""
    value, amount = map(_unknown, op.operands)
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
    is_wide = wide_inputs(target) >= CHOICE_INPUTS
    chosen = 2 ** (CHOICE_INPUTS - target.lut_inputs) if is_wide else APART
    one, two = (
        add(width + 1) + choice,
        add(width + 2) + 2 * add(width + 1) + (chosen if steps == 2 else 3) * choice,
    )
    made = steps // 2 * two + steps % 2 * one + (add(width + 1) if steps > 1 else 0)
    return made + bits + 2 * cycles.bit_length()
