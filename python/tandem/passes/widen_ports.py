# SPDX-License-Identifier: Apache-2.0
"""widen-ports: elements that are always accessed together are one word of a wider memory port.

Where every access to an array knows its place in a group of so many elements, and with each element
all those of its group are loaded, or stored, at once, the group is the port's word: sixteen loads
of a byte take a cycle and not sixteen, the three of a pixel one. No byte more is touched than
before.

The place in a group of 2, 4, 8 ... elements are the lowest bits of the index; in one of 3, 5 or 7
it is what is left of an index whose terms are all multiples of that. As these are odd, a multiple
of theirs is one of just one number, whatever the bits of the index.

Requires: bind-arguments, narrow-widths (known bits of indices are wiring).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tandem import policy
from tandem.analysis.linear import Linear, Sums
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import PORT_INDEX_BITS, Memory, MemoryKind
from tandem.ir.ops import Access, Load, Op, Store
from tandem.ir.wiring import Bits, bits_of, number
from tandem.passes.rebuild import rebuild, remake

SLUG = "widen-ports"
SUMMARY = "make one access of those to all elements of an aligned group"


Row = Bits | tuple[int, frozenset[tuple[Op, int]]]
"""What accesses to one word have in common."""


@dataclass
class _Group:
    """Accesses to all elements of a word: `members`, by the place in it."""

    kind: type[Op]
    members: dict[int, Op] = field(default_factory=dict)

    def at(self, place: dict[Op, int]) -> int:
        """Where the access to the word is: loads as early as the first, stores as late as the
        last."""
        places = [place[op] for op in self.members.values()]
        return min(places) if self.kind is Load else max(places)


def run(kernel: Kernel) -> bool:
    """Widens every port that qualifies; whether there was any."""
    places: dict[Op, tuple[_Group, int]] = {}
    sums = Sums()
    for memory in kernel.memories.values():
        for count in _counts(memory) if memory.kind is MemoryKind.EXTERNAL else ():
            groups = _groups(kernel, memory, count, sums)
            if groups:
                places.update({op: (g, count) for g in groups for op in g.members.values()})
                break
    if places:
        _widen(kernel, places)
    return bool(places)


def _counts(memory: Memory) -> list[int]:
    """How many elements a word may have, the most first."""
    most = policy.WORD_BITS // memory.element_bits
    powers = {1 << bits for bits in range(1, most.bit_length())}
    return sorted(powers.union(n for n in policy.ODD_WORDS if n <= most), reverse=True)


def _groups(kernel: Kernel, memory: Memory, count: int, sums: Sums) -> list[_Group] | None:
    """The words of so many elements that a memory's accesses make; None where some do not."""
    found: list[_Group] = []
    for block in kernel.blocks:
        accesses = [op for op in block.ops if isinstance(op, Access) and op.memory is memory]
        groups = _groups_of(accesses, count, sums)
        if groups is None or not _keep_order(groups, accesses):
            return None
        found += groups
    return found


def _groups_of(accesses: Sequence[Op], count: int, sums: Sums) -> list[_Group] | None:
    open_groups: dict[tuple[type[Op], Bits, Row], _Group] = {}
    found: list[_Group] = []
    for op in accesses:
        is_odd = count in policy.ODD_WORDS
        place = _divided(op.index, count, sums) if is_odd else _split(op.index, count)
        if place is None:
            return None
        low, row = place
        enable = bits_of(op.enable) if op.enable is not None else ()
        group = open_groups.setdefault((type(op), enable, row), _Group(type(op)))
        if low in group.members:
            return None
        group.members[low] = op
        if len(group.members) == count:
            found.append(open_groups.pop((type(op), enable, row)))
    return None if open_groups else found


def _split(index: Op, count: int) -> tuple[int, Row] | None:
    """The place in a word of 2^bits elements, and the word's index; None where it is not known."""
    bits = count.bit_length() - 1
    known = bits_of(index)[:bits]
    if len(known) < bits or any(type(bit) is not int for bit in known):
        return None
    return number(known), bits_of(index)[bits:]


def _divided(index: Op, count: int, sums: Sums) -> tuple[int, Row] | None:
    """The place in a word of an odd number of elements, and what tells its words apart; None where
    it is not known."""
    word = _word(index, count, sums)
    if word is None:
        return None
    low, form = word
    return low, (form.constant, frozenset(form.terms.items()))


def _word(index: Op, count: int, sums: Sums) -> tuple[int, Linear] | None:
    """The place in a word of an odd number of elements, and the word's index as a sum."""
    form = sums.form(index)
    if form is None or not form.terms:
        return None
    # where an index of fewer bits has wrapped, it is no multiple any more
    is_wide = form.width >= PORT_INDEX_BITS
    form = form.centred() if is_wide else form.unwrapped(form.width)
    if form is None or any(n % count for n in form.terms.values()):
        return None
    row, low = divmod(form.constant, count)
    return low, Linear(form.width, row, 0, {op: n // count for op, n in form.terms.items()})


def _keep_order(groups: list[_Group], accesses: Sequence[Op]) -> bool:
    """Whether no two accesses to one element change places. A group of loads is where its first
    one was, a group of stores where its last one was; accesses may be to one element if they have
    the same place in their words."""
    place = {op: i for i, op in enumerate(accesses)}
    stores = [group for group in groups if group.kind is Store]
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
    sums = Sums()

    def access(builder: Builder, op: Op, operands: list[Op], count: int, width: int) -> Op:
        word = _index(builder, operands[0], count, sums)
        return builder.raw(type(op), [word, *operands[1:]], width, **op.attributes)

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op not in places:
            return remake(builder, op, operands)
        group, count = places[op]
        if isinstance(op, Load):
            if id(group) not in loaded:
                loaded[id(group)] = access(builder, op, operands, count, op.width * count)
            low = next(low for low, member in group.members.items() if member is op)
            return builder.extract(loaded[id(group)], low * op.width, op.width)
        values = stored.setdefault(id(group), {})
        values[op] = operands[1]
        if len(values) == len(group.members):
            parts = [values[group.members[low]] for low in sorted(group.members, reverse=True)]
            access(builder, op, [operands[0], builder.concat(*parts), *operands[2:]], count, 0)
        return None

    rebuild(kernel, change)
    for name, count in {op.memory.name: count for op, (_, count) in places.items()}.items():
        kernel.memories[name].element_bits *= count


def _index(builder: Builder, index: Op, count: int, sums: Sums) -> Op:
    """The index of a word: one that fills the port counts in both directions."""
    if count in policy.ODD_WORDS:
        word = _word(index, count, sums)
        assert word is not None, "what is made anew is the same sum"
        return word[1].value(builder)
    bits, places = bits_of(index), count.bit_length() - 1
    if len(bits) >= PORT_INDEX_BITS:
        bits = (*bits, *[bits[-1]] * places)
    return builder.wire(bits[places:] or (0,))
