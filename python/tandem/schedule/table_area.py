# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of constant tables, by what these hold: a bit that is another one, or one of the
index, takes none, and one that is the parity of some of the index a tree."""

from __future__ import annotations

from functools import lru_cache

from tandem.ir.ops import Op
from tandem.schedule.delays import Target, tree_lut4


def table_lut4(target: Target, op: Op) -> float:
    """Of a table that is read at an index."""
    memory, bits = op.memory, op.operands[0].width
    total = 0.0
    for inputs, is_parity in _columns(memory.contents[: 1 << bits], op.width, bits):
        if inputs <= target.lut_inputs or is_parity:
            total += tree_lut4(target, inputs)
        else:
            total += target.rows["rom"].area(inputs)
    return total


@lru_cache(256)
def _columns(words: tuple[int, ...], width: int, index_bits: int) -> list[tuple[int, bool]]:
    """Of each bit of the words, on how many bits of the index it depends, and whether it is their
    parity; equal and inverted ones once, and those of one input not at all."""
    whole = (1 << (1 << index_bits)) - 1
    variables = [_variable(place, index_bits) for place in range(index_bits)]
    columns: set[int] = set()
    for bit in range(width):
        column = sum((word >> bit & 1) << index for index, word in enumerate(words))
        columns.add(column ^ whole if column & 1 else column)
    found = [
        (
            sum(_depends(column, v, 1 << place) for place, v in enumerate(variables)),
            _is_parity(column, variables),
        )
        for column in columns
    ]
    return [(inputs, is_parity) for inputs, is_parity in found if inputs > 1]


def _variable(place: int, index_bits: int) -> int:
    """At which indices a bit of the index is 1, as a number with a bit for each index."""
    step = 1 << place
    once = ((1 << step) - 1) << step
    return sum(once << at for at in range(0, 1 << index_bits, 2 * step))


def _depends(column: int, variable: int, step: int) -> bool:
    return (column & variable) >> step != column & variable >> step


def _is_parity(column: int, variables: list[int]) -> bool:
    """Whether a column, 0 at index 0, is the sum modulo 2 of bits of the index."""
    for place, variable in enumerate(variables):
        if column >> (1 << place) & 1:
            column ^= variable
    return not column
