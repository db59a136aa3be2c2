# SPDX-License-Identifier: Apache-2.0
"""What is about an array: look-ups in constant tables, loads and stores."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tandem.ir import wiring
from tandem.ir.ops.circuit import Circuit, Wire
from tandem.ir.ops.op import Op

if TYPE_CHECKING:
    from tandem.ir.builder import Builder
    from tandem.ir.memory import Memory
    from tandem.ir.wiring import Bit, Bits


class Rom(Op):
    __slots__ = ()
    slug, summary, arity = "rom", "element of a constant table; 0 beyond its end", 1
    delay_row = "rom"
    has_memory = True

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        (index,), table = operands, attributes["memory"]
        """A read of a table: narrowed to the index bits that vary and the columns that do."""
        bits = wiring.bits_of(index)[: table.index_bits]
        bits = bits + wiring.zeros(table.index_bits - len(bits))
        varying = [i for i, bit in enumerate(bits) if type(bit) is not int]
        words = _table_words(table, bits, varying)
        differing = _differing(words)
        live = [c for c in range(width) if differing >> c & 1]
        result: list[Bit] = [words[0] >> c & 1 for c in range(width)]
        if len(varying) == 1:  # each column is that bit, or its opposite
            for column in live:
                bit = builder.wire((bits[varying[0]],))
                (result[column],) = wiring.bits_of(builder.invert(bit) if result[column] else bit)
        elif live:
            narrowed = _narrowed_table(builder, table, words, live)
            made = builder.raw(
                Rom,
                [builder.wire(tuple(bits[i] for i in varying))],
                len(live),
                memory=narrowed,
            )
            for bit, column in enumerate(live):
                result[column] = (made, bit)
        return builder.wire(tuple(result))

    def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
        return circuit.look_up(self, wires[0])


class Access(Op):
    """A load or a store."""

    __slots__ = ()
    has_memory = True
    pure = False


class Load(Access):
    __slots__ = ()
    slug, enable_at = "load", 1
    summary = "element of a memory; [index] or [index, enable], undefined if not enabled"


class Store(Access):
    __slots__ = ()
    slug, enable_at, rule = "store", 2, "none"
    summary = "[index, value] or [index, value, enable]"


def _narrowed_table(
    builder: Builder, table: Memory, words: tuple[int, ...], live: list[int]
) -> Memory:
    if live == list(range(len(live))):
        contents = tuple(word & (1 << len(live)) - 1 for word in words)
    else:
        contents = tuple(sum((w >> c & 1) << i for i, c in enumerate(live)) for w in words)
    return builder.kernel.table_like(table, len(live), contents)


def _table_words(table: Memory, bits: Bits, varying: list[int]) -> tuple[int, ...]:
    """The elements that the varying index bits reach, in their order; 0 beyond the table."""
    if len(varying) == len(bits):
        size = 1 << len(bits)
        return table.contents[:size] + (0,) * (size - len(table.contents))
    places = [sum(bit << i for i, bit in enumerate(bits) if type(bit) is int)]
    for i in varying:
        places += [place + (1 << i) for place in places]
    return tuple([table.initial(place) for place in places])


@functools.lru_cache(256)
def _differing(words: tuple[int, ...]) -> int:
    """The columns of a table in which its words differ, as a mask. Every pass asks again."""
    return functools.reduce(operator.or_, (word ^ words[0] for word in words))
