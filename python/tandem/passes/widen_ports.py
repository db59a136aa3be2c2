# SPDX-License-Identifier: Apache-2.0
"""widen-ports: elements that are always accessed together are one word of a wider memory port.

Where every access to an array knows the lowest bits of its index, and with each element all those
of its aligned group are loaded, or stored, at once, the group is the port's word: sixteen loads of
a byte take a cycle and not sixteen. No byte more is touched than before.

Requires: bind-arguments, narrow-widths (known bits of indices are wiring).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.ir.builder import Builder
from tandem.ir.kernel import PORT_INDEX_BITS, Kernel, Memory, Op
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.rebuild import rebuild, remake

SLUG = "widen-ports"
SUMMARY = "make one access of those to all elements of an aligned group"

PORT_LIMIT_BITS = 128
"""No wider: what the memories beside an FPGA, and the buses between them, are made for."""


@dataclass
class _Group:
    """Accesses to all elements of a word: `members`, by the place in it."""

    kind: str
    members: dict[int, Op] = field(default_factory=dict)

    def at(self, place: dict[Op, int]) -> int:
        """Where the access to the word is: loads as early as the first, stores as late as the
        last."""
        places = [place[op] for op in self.members.values()]
        return min(places) if self.kind == "load" else max(places)


def run(kernel: Kernel) -> bool:
    """Widens every port that qualifies; whether there was any."""
    places: dict[Op, tuple[_Group, int]] = {}
    for memory in kernel.memories.values():
        for bits in _widths(memory) if memory.kind == "external" else ():
            groups = _groups(kernel, memory, bits)
            if groups:
                places.update({op: (g, bits) for g in groups for op in g.members.values()})
                break
    if places:
        _widen(kernel, places)
    return bool(places)


def _widths(memory: Memory) -> range:
    """How many of the lowest index bits a word may take, the most first."""
    most = (PORT_LIMIT_BITS // memory.element_bits).bit_length() - 1
    return range(most, 0, -1)


def _groups(kernel: Kernel, memory: Memory, bits: int) -> list[_Group] | None:
    """The words of so many index bits that a memory's accesses make; None where some do not."""
    found: list[_Group] = []
    for block in kernel.blocks:
        accesses = [op for op in block.ops if op.is_access and op.memory == memory.name]
        groups = _groups_of(accesses, bits)
        if groups is None or not _keep_order(groups, accesses):
            return None
        found += groups
    return found


def _groups_of(accesses: list[Op], bits: int) -> list[_Group] | None:
    open_groups: dict[tuple[str, Bits, Bits], _Group] = {}
    found: list[_Group] = []
    for op in accesses:
        low, row = _split(op.index, bits)
        if low is None:
            return None
        enable = bits_of(op.enable) if op.enable is not None else ()
        group = open_groups.setdefault((op.kind, enable, row), _Group(op.kind))
        if low in group.members:
            return None
        group.members[low] = op
        if len(group.members) == 1 << bits:
            found.append(open_groups.pop((op.kind, enable, row)))
    return None if open_groups else found


def _split(index: Op, bits: int) -> tuple[int | None, Bits]:
    """The place in the word, None where it is not known, and the word's index."""
    known = bits_of(index)[:bits]
    if len(known) < bits or any(type(bit) is not int for bit in known):
        return None, ()
    return sum(bit << i for i, bit in enumerate(known)), bits_of(index)[bits:]


def _keep_order(groups: list[_Group], accesses: list[Op]) -> bool:
    """Whether no two accesses to one element change places. A group of loads is where its first
    one was, a group of stores where its last one was; accesses may be to one element if they have
    the same place in their words."""
    place = {op: i for i, op in enumerate(accesses)}
    stores = [group for group in groups if group.kind == "store"]
    return all(
        (place[op] < place[group.members[low]]) == (store.at(place) < group.at(place))
        for store in stores
        for group in groups
        if group is not store
        for low, op in store.members.items()
    )


def _widen(kernel: Kernel, places: dict[Op, tuple[_Group, int]]) -> None:
    loaded: dict[int, Op] = {}
    stored: dict[int, dict[Op, Op]] = {}

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op not in places:
            return remake(builder, op, operands)
        group, bits = places[op]
        if op.kind == "load":
            if id(group) not in loaded:
                loaded[id(group)] = _access(builder, op, operands, bits, op.width << bits)
            low = next(low for low, member in group.members.items() if member is op)
            return builder.extract(loaded[id(group)], low * op.width, op.width)
        values = stored.setdefault(id(group), {})
        values[op] = operands[1]
        if len(values) == len(group.members):
            parts = [values[group.members[low]] for low in sorted(group.members, reverse=True)]
            _access(builder, op, [operands[0], builder.concat(*parts), *operands[2:]], bits, 0)
        return None

    rebuild(kernel, change)
    for name, bits in {op.memory: bits for op, (_, bits) in places.items()}.items():
        kernel.memories[name].element_bits <<= bits


def _access(builder: Builder, op: Op, operands: list[Op], bits: int, width: int) -> Op:
    """The access to the word: an index that fills the port counts in both directions."""
    index = bits_of(operands[0])
    if len(index) >= PORT_INDEX_BITS:
        index = (*index, *[index[-1]] * bits)
    word = builder.wire(index[bits:] or (0,))
    return builder.raw(op.kind, [word, *operands[1:]], width, **op.attributes)
