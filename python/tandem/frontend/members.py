# SPDX-License-Identifier: Apache-2.0
"""Structs of which each member is a memory of its own, with ports of its own and elements as wide
as its own: `s->a[i] * s->x[i]` would else be two accesses of one memory, and a struct of bytes and
words a memory of bytes.

The C's types tell where members begin; how far an access reaches, the values that its index can
have, or else, of an array that is a member, C itself, in which no index leads out of it. A struct
is taken apart only where all accesses are known to stay within it, and members that one access may
reach stay together: what walks from one to the next, or takes the struct for something else, finds
them side by side. Pointers stay pointers to the struct: only what is read and written is a
member's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tandem.analysis.ranges import find_ranges
from tandem.frontend.addresses import OFFSET_BITS, Address
from tandem.frontend.fields import FIELD
from tandem.frontend.pointers import base_and_bytes, steps_to
from tandem.frontend.struct_layouts import Layout
from tandem.ir.blocks import Block
from tandem.ir.functions import blocks_of
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Op, Range, mask
from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode

_NAME = re.compile(r"[A-Za-z_]\w*?(?=\d*(?:\.i\d*)*\Z)")
_OF_INDEX = re.compile(r"array(?:idx|decay|init)|incdec|add|scevgep|uglygep")
"""What clang and LLVM call pointers that are no member's."""


@dataclass(frozen=True)
class Access:
    """Bytes that an instruction reads, or writes, of what begins at `base`. `is_block`: it copies
    or fills bytes, whatever members they are; `in_loop`: it is in a loop."""

    instruction: llvm.Ref
    base: llvm.Ref
    address: Address
    size: int
    writes: bool
    is_block: bool
    is_pointer: bool
    in_loop: bool = False

    @classmethod
    def by(
        cls, instruction: llvm.Ref, base: llvm.Ref, address: Address, size: int, writes: bool
    ) -> Access:
        """What an instruction does there."""
        opcode = llvm.opcode_of(instruction)
        is_field = opcode == llvm.CALL and llvm.name(llvm.operands(instruction)[-1]) == FIELD
        is_block = opcode == llvm.CALL and not is_field
        is_access = opcode in (llvm.LOAD, llvm.STORE)
        moved = llvm.call("GetTypeKind", llvm.type_accessed(instruction)) if is_access else 0
        is_pointer = is_field or moved == llvm.TYPE_POINTER
        return cls(instruction, base, address, size, writes, is_block, is_pointer)

    @property
    def is_fixed(self) -> bool:
        """Whether it is always of the same bytes."""
        return not self.address.terms

    def reach(self, ranges: Mapping[Op, Range], layout: Layout) -> tuple[int, int] | None:
        """(first, end) of the bytes of a struct that it may be of, as far as ranges tell, or the C,
        in which an index of an array that is a member stays in it; None for none that is known."""
        found = self._ranging(ranges)
        if found is not None and found[0] >= 0 and found[1] <= layout.end:
            return found
        if steps_to(llvm.pointer_accessed(self.instruction))[0] != self.base:
            return None
        steps = [abs(factor) for _, factor in self.address.terms]
        return layout.marked(self.instruction, self.address.constant, steps)

    def _ranging(self, ranges: Mapping[Op, Range]) -> tuple[int, int] | None:
        low = high = self.address.constant
        for value, factor in self.address.terms:
            least, most = ranges.get(value, (0, 0))  # (0, 0): control never comes there
            if most >> (OFFSET_BITS - 1):
                least, most = least - mask(OFFSET_BITS) - 1, most - mask(OFFSET_BITS) - 1
            if least < -(1 << OFFSET_BITS - 1):
                return None
            ends = least * factor, most * factor
            low, high = low + min(ends), high + max(ends)
        return low, high + self.size


@dataclass(frozen=True)
class Member:
    """Bytes of a struct that are a memory of their own."""

    base: llvm.Ref
    start: int
    end: int


@dataclass(frozen=True)
class Piece:
    """What an access is of: so many bytes of a member, or (None) of the struct itself. `offset`:
    of the first one in the struct, where that is known."""

    member: Member | None
    offset: int | None
    size: int


Key = tuple[llvm.Ref, llvm.Ref, bool]
"""An instruction, a base, and whether it writes there."""


@dataclass(frozen=True)
class Members:
    """Members that are memories, and what accesses of their structs are of."""

    found: tuple[Member, ...] = ()
    pieces: Mapping[Key, Sequence[Piece]] = field(default_factory=dict)


NO_MEMBERS = Members()


def member_name(functions: Sequence[llvm.Ref], member: Member) -> str:
    """A name for a member: LLVM's of a pointer to it, which is the C's; else where it is."""
    place = member.base, member.start
    for ref in llvm.instructions(functions):
        if llvm.opcode_of(ref) == Opcode.ADDRESS and base_and_bytes(ref) == place:
            name = _NAME.match(llvm.name(ref))
            if name and not _OF_INDEX.match(name[0]):
                return name[0]
    return f"at{member.start}"


def find_members(
    kernel: Kernel,
    made: Collection[tuple[Access, Block]],
    layouts: Mapping[llvm.Ref, Layout],
    shared: Collection[llvm.Ref],
) -> Members:
    """The members of the structs, of which some are `shared` with the caller. `made`: every access,
    and the block that it is in."""
    moving = {access.base for access, _ in made if not access.is_fixed}
    layouts = {base: layout for base, layout in layouts.items() if base in moving}
    if not layouts:
        return NO_MEMBERS
    ranges = find_ranges(kernel)
    once = _outside_of_loops(kernel)
    accesses = [replace(access, in_loop=block not in once) for access, block in made]
    found: list[Member] = []
    pieces: dict[Key, Sequence[Piece]] = {}
    for base, layout in layouts.items():
        own = [access for access in accesses if access.base == base]
        struct = _Struct(layout, own, base in shared, ranges)
        members = [Member(base, low, high) for low, high in struct.parts()]
        found += members
        if members:
            keys = ((a.instruction, base, a.writes) for a in own)
            pieces |= zip(keys, (_pieces(a, members, ranges, layout) for a in own), strict=True)
    return Members(tuple(found), pieces)


def _outside_of_loops(kernel: Kernel) -> set[Block]:
    """Blocks that a call comes to once: no function's that is kept apart, of which there may be
    many calls."""
    loops = natural_loops(kernel).values()
    return {*blocks_of(kernel.entry)} - {block for body in loops for block in body}


def _pieces(
    access: Access, members: Sequence[Member], ranges: Mapping[Op, Range], layout: Layout
) -> list[Piece]:
    reach = access.reach(ranges, layout)
    assert reach is not None, "no struct is taken apart with such an access"
    low, end = reach
    if not access.is_fixed:
        home = next((m for m in members if m.start <= low < m.end), None)
        return [Piece(home, None, access.size)]
    found = []
    while low < end:
        home = next((m for m in members if m.start <= low < m.end), None)
        following = (m.start for m in members if m.start > low)
        high = min(end, home.end if home else min(following, default=end))
        found.append(Piece(home, low, high - low))
        low = high
    return found


@dataclass
class _Struct:
    """A struct on its way to its members. `is_shared`: each memory then costs the caller a transfer
    and the hardware a port."""

    layout: Layout
    accesses: Sequence[Access]
    is_shared: bool
    ranges: Mapping[Op, Range]

    def parts(self) -> list[tuple[int, int]]:
        """(first, end) of the bytes of each memory; none where the struct stays one."""
        if any(access.reach(self.ranges, self.layout) is None for access in self.accesses):
            return []
        if all(access.is_fixed for access in self.accesses):
            return []
        groups = [group for group in self._groups() if self._reached & {*group}]
        if len(groups) < 2:
            return []
        ends = [*self.layout.starts[1:], self.layout.end]
        kept = [group for group in groups if not self._pointers & {*group}]
        return [(self.layout.starts[group[0]], ends[group[-1]]) for group in kept]

    def _groups(self) -> list[range]:
        """The numbers of the members that are one memory."""
        count = len(self.layout.starts)
        together = {i for a in self._single for i in self._members(a)[1:]}
        quiet = {*range(count)} - self._apart if self.is_shared else set[int]()
        together |= {i for i in quiet if i - 1 in quiet}
        firsts = [i for i in range(count) if i not in together]
        return [range(a, b) for a, b in zip(firsts, [*firsts[1:], count], strict=True)]

    def _members(self, access: Access) -> range:
        reach = access.reach(self.ranges, self.layout)
        assert reach is not None
        return self.layout.members(*reach)

    def _of(self, accesses: Iterable[Access]) -> set[int]:
        return {i for access in accesses for i in self._members(access)}

    @cached_property
    def _single(self) -> list[Access]:
        """Those that are not copies of bytes at a known place."""
        return [a for a in self.accesses if not (a.is_block and a.is_fixed)]

    @cached_property
    def _reached(self) -> set[int]:
        return self._of(self.accesses)

    @cached_property
    def _pointers(self) -> set[int]:
        """What the struct itself keeps: pointers that the caller finds there."""
        return self._of(a for a in self.accesses if a.is_pointer) if self.is_shared else set()

    @cached_property
    def _apart(self) -> set[int]:
        """Members that gain by a memory of their own: arrays, and what loops write."""
        written = self._of(a for a in self._single if a.writes)
        in_loops = self._of(a for a in self._single if a.in_loop)
        arrays = self._of(a for a in self.accesses if not a.is_fixed)
        return arrays | (written & in_loops) | self._pointers
