# SPDX-License-Identifier: Apache-2.0
"""split-memories: a local array of which every access knows the row becomes a memory a row.

A bit of the index that is constant wherever the array is accessed chooses between halves that never
meet: each is a memory of its own, with ports of its own. A directive splits an array by the low
bits of the index too, into banks. An access that does not know its bank loads from all that it may
be in and selects, or stores in that which it is in.

Requires: narrow-widths (known bits of indices are wiring). What is then reached at known places
only is left to scalarise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from tandem.analysis.ranges import full, ranges_of
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Access, And, Load, Op, Range, Select, Store, constant
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.simplify import substitute

SLUG = "split-memories"
SUMMARY = "split local arrays by the bits of the index that every access knows"


def run(kernel: Kernel) -> bool:
    """Splits every array that qualifies; whether there was any."""
    arrays = [
        m for m in kernel.memories.values() if m.kind is MemoryKind.RAM and (m.depth or 0) > 1
    ]
    if not arrays:
        return False
    ranges = ranges_of(kernel)
    splits: dict[str, _Split] = {}
    for memory in arrays:
        accesses = [op for _, op in kernel.ops() if isinstance(op, Access) and op.memory is memory]
        indices: dict[Op, Bits] = {op: _index(op.index, memory, ranges) for op in accesses}
        known = _known_places(memory, list(indices.values()))
        if known:
            splits[memory.name] = _Split(kernel, memory, known, indices)
    loaded: dict[Op, Op] = {}
    for block in kernel.blocks if splits else []:
        loaded |= _reach_parts(kernel, block, splits)
    substitute(kernel, loaded)
    for name in splits:
        del kernel.memories[name]
    return bool(splits)


def _reach_parts(kernel: Kernel, block: Block, splits: Mapping[str, _Split]) -> dict[Op, Op]:
    """Has the accesses of a block reach parts; the loads that are now selects, with what they
    are."""
    ops, block.ops = block.ops, []
    builder = Builder(kernel, block)
    loaded: dict[Op, Op] = {}
    for op in ops:
        if isinstance(op, Access) and op.memory.name in splits:
            builder.line = op.line
            value = splits[op.memory.name].redirect(builder, op)
            if value is not None:
                loaded[op] = value
        else:
            block.ops.append(op)
    return loaded


def _known_places(memory: Memory, indices: list[Bits]) -> list[int]:
    """The index bits that are constants in every access, and those that choose a bank."""
    asked = min(memory.index_bits, (memory.banks - 1).bit_length())
    places = range(memory.index_bits)
    return [
        p
        for p in places
        if indices and (p < asked or all(type(bits[p]) is int for bits in indices))
    ]


def _index(index: Op, memory: Memory, ranges: Mapping[Op, Range]) -> Bits:
    """The bits that the memory looks at, those that the index never sets being 0."""
    high = ranges.get(index, full(index))[1]
    bits = bits_of(index)[: min(memory.index_bits, high.bit_length())]
    return (*bits, *[0] * (memory.index_bits - len(bits)))


class _Split:
    """The memories that one becomes, made as they are met."""

    def __init__(
        self, kernel: Kernel, memory: Memory, known: list[int], indices: Mapping[Op, Bits]
    ) -> None:
        self.kernel = kernel
        self.memory = memory
        self.known = known
        self.indices = indices
        self.rest = [p for p in range(memory.index_bits) if p not in known]
        self.parts: dict[Bits, Memory] = {}

    def redirect(self, builder: Builder, op: Op) -> Op | None:
        """An access as one of each part that it may reach; what it loads, if it is a load."""
        bits = self.indices[op]
        rest = tuple(bits[p] for p in self.rest)
        index = builder.wire(rest) if rest else constant(0, 1)
        unknown = [p for p in self.known if type(bits[p]) is not int]
        if isinstance(op, Load):
            return self._load(builder, op, index, bits, unknown)
        self._store(builder, op, index, bits, unknown)
        return None

    def _load(self, builder: Builder, op: Op, index: Op, bits: Bits, unknown: Sequence[int]) -> Op:
        if not unknown:
            attributes = {**op.attributes, "memory": self._part(bits)}
            return builder.raw(Load, [index, *op.operands[1:]], op.width, **attributes)
        place, *others = unknown
        yes, no = (
            self._load(builder, op, index, _with_bit(bits, place, bit), others) for bit in (1, 0)
        )
        return builder.build(Select, [builder.wire((bits[place],)), yes, no], op.width)

    def _store(
        self, builder: Builder, op: Op, index: Op, bits: Bits, unknown: Sequence[int]
    ) -> None:
        enables = [] if op.enable is None else [op.enable]
        for row in product((0, 1), repeat=len(unknown)):
            reached, is_there = bits, list(enables)
            for place, bit in zip(unknown, row, strict=True):
                value = builder.wire((bits[place],))
                is_there.append(value if bit else builder.invert(value))
                reached = _with_bit(reached, place, bit)
            enable = [builder.logic(And, is_there)] if is_there else []
            attributes = {**op.attributes, "memory": self._part(reached)}
            builder.raw(Store, [index, op.stored, *enable], 0, **attributes)

    def _part(self, bits: Bits) -> Memory:
        row = tuple(bits[p] for p in self.known)
        if row not in self.parts:
            number = sum(bit << i for i, bit in enumerate(row) if type(bit) is int)
            old = self.memory
            name, depth = f"{old.name}_{number}", 1 << len(self.rest)
            part = Memory(
                name, MemoryKind.RAM, old.element_bits, depth, self._contents(number, depth)
            )
            self.parts[row] = self.kernel.add_memory(part)
        return self.parts[row]

    def _contents(self, number: int, depth: int) -> tuple[int, ...]:
        """What a part starts with."""
        if not self.memory.contents:
            return ()
        fixed = sum((number >> i & 1) << place for i, place in enumerate(self.known))
        places = (
            fixed | sum((index >> i & 1) << place for i, place in enumerate(self.rest))
            for index in range(depth)
        )
        return tuple(map(self.memory.initial, places))


def _with_bit(bits: Bits, place: int, bit: int) -> Bits:
    return (*bits[:place], bit, *bits[place + 1 :])
