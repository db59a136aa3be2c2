# SPDX-License-Identifier: Apache-2.0
"""split-memories: a local array of which every access knows the row becomes a memory a row.

A bit of the index that is constant wherever the array is accessed chooses between halves that never
meet: each is a memory of its own, with ports of its own.

Requires: narrow-widths (known bits of indices are wiring). What is then reached at known places
only is left to promote.
"""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel, Memory, Op, constant
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.rebuild import rebuild, remake

SLUG = "split-memories"
SUMMARY = "split local arrays by the bits of the index that every access knows"


def run(kernel: Kernel) -> bool:
    """Splits every array that qualifies; whether there was any."""
    splits = {}
    for memory in kernel.memories.values():
        if memory.kind == "ram" and memory.depth is not None and memory.depth > 1:
            known = _known_places(kernel, memory)
            if known:
                splits[memory.name] = _Split(kernel, memory, known)
    if not splits:
        return False

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op.is_access and op.memory in splits:
            return splits[op.memory].access(builder, op, operands)
        return remake(builder, op, operands)

    rebuild(kernel, change)
    for name in splits:
        del kernel.memories[name]
    return True


def _known_places(kernel: Kernel, memory: Memory) -> list[int]:
    """The index bits that are constants in every access."""
    accesses = [op for _, op in kernel.ops() if op.is_access and op.memory == memory.name]
    indices = [_index(op.index, memory) for op in accesses]
    places = range(memory.index_bits)
    return [p for p in places if indices and all(type(bits[p]) is int for bits in indices)]


def _index(index: Op, memory: Memory) -> Bits:
    """The bits that the memory looks at."""
    bits = bits_of(index)[: memory.index_bits]
    return (*bits, *[0] * (memory.index_bits - len(bits)))


class _Split:
    """The memories that one becomes, made as they are met."""

    def __init__(self, kernel: Kernel, memory: Memory, known: list[int]) -> None:
        self.kernel = kernel
        self.memory = memory
        self.known = known
        self.rest = [p for p in range(memory.index_bits) if p not in known]
        self.parts: dict[Bits, Memory] = {}

    def access(self, builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        """The same access, of the part that it reaches."""
        bits = _index(operands[0], self.memory)
        part = self._part(tuple(bits[p] for p in self.known))
        rest = tuple(bits[p] for p in self.rest)
        index = builder.wire(rest) if rest else constant(0, 1)
        return builder.raw(op.kind, [index, *operands[1:]], op.width, memory=part.name)

    def _part(self, row: Bits) -> Memory:
        if row not in self.parts:
            number = sum(bit << i for i, bit in enumerate(row) if type(bit) is int)
            memory = self.memory
            depth = 1 << len(self.rest)
            part = Memory(
                f"{memory.name}_{number}", "ram", memory.element_bits, depth, line=memory.line
            )
            self.parts[row] = self.kernel.add_memory(part)
        return self.parts[row]
