# SPDX-License-Identifier: Apache-2.0
"""Local structs that hold pointers: each of their members becomes a variable of its own.

LLVM keeps the members of a struct in registers unless one of them is an array whose index it does
not know; then the pointers beside it stay in memory too, and what is read through them may be of
any array. With members apart LLVM knows again where each leads.

Members that one access may reach stay together (`members.py` has the same of structs without
pointers, once they are memories). How far an access reaches, its greatest index tells, or else C,
in which no index leads out of an array that is a member.

Requires: functions inlined, and accesses marked with the members that they are of
(`struct_layouts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tandem.frontend.bounds import greatest
from tandem.frontend.members import Member, member_name
from tandem.frontend.pointers import base_and_bytes, steps_to
from tandem.frontend.struct_layouts import Layout, layout_of, member_at
from tandem.llvm import read as llvm
from tandem.llvm import sizes
from tandem.llvm.builder import Builder
from tandem.llvm.edit import erase, set_operand
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, name_called, opcode_of, operands

ALIGNMENT_BYTES = 16
"""Of each variable, at least: what LLVM knows of the place of a struct of the C is no more."""
_COPIES, _FILLS = ("llvm.memcpy.", "llvm.memmove."), ("llvm.memset.",)
_LIFETIMES = ("llvm.lifetime.",)


def part_structs(module: Module) -> bool:
    """Parts all local structs that can be; whether there was any."""
    found = False
    every = llvm.instructions(module.defined)
    for variable in [ref for ref in every if opcode_of(ref) == llvm.ALLOCA]:
        struct = _Struct.of(module, variable)
        if struct is not None:
            struct.part()
            found = True
    return found


@dataclass(frozen=True)
class _Access:
    """Bytes from `low` to `end` that an instruction may read or write by way of an operand of it.
    `is_fixed`: all of these; `is_block`: whatever members they are of."""

    instruction: Ref
    operand: int
    low: int
    end: int
    is_fixed: bool
    is_block: bool = False

    @property
    def pointer(self) -> Ref:
        return operands(self.instruction)[self.operand]


@dataclass
class _Struct:
    """A local variable, its accesses, and the calls that say where it begins and ends to live."""

    module: Module
    variable: Ref
    layout: Layout
    accesses: list[_Access] = field(default_factory=list)
    lifetimes: list[Ref] = field(default_factory=list)

    @classmethod
    def of(cls, module: Module, variable: Ref) -> _Struct | None:
        """None where it stays one."""
        is_one = llvm.constant_number(operands(variable)[0]) == 1
        layout = layout_of(call("GetAllocatedType", variable)) if is_one else None
        if layout is None:
            return None
        struct = cls(module, variable, layout)
        return struct if struct._note(variable) and struct._is_worth_it() else None

    def _note(self, pointer: Ref) -> bool:
        """Notes what is done by way of a pointer; whether all of it is known."""
        return all(
            self._note(user) if opcode_of(user) == Opcode.ADDRESS else self._note_use(user, pointer)
            for user in dict.fromkeys(llvm.users(pointer))
        )

    def _note_use(self, user: Ref, pointer: Ref) -> bool:
        if name_called(user).startswith(_LIFETIMES):
            self.lifetimes.append(user)
            return pointer == self.variable
        places = [i for i, operand in enumerate(operands(user)) if operand == pointer]
        if name_called(user).startswith((*_COPIES, *_FILLS)):
            found = [self._block(user, place) if len(places) == 1 else None for place in places]
        elif opcode_of(user) in (llvm.LOAD, llvm.STORE) and not _is_special(user):
            is_written = opcode_of(user) == llvm.STORE and places != [1]
            found = [None if is_written else self._access(user, places[0])]
        else:
            return False
        self.accesses += filter(None, found)
        return None not in found

    def _block(self, user: Ref, place: int) -> _Access | None:
        """Bytes that are copied or filled."""
        length = llvm.constant_number(operands(user)[2])
        _, start = base_and_bytes(operands(user)[place])
        is_known = length is not None and start is not None and start >= 0
        if not is_known or llvm.constant_number(operands(user)[3]) or place > 1:
            return None
        assert length is not None and start is not None
        is_inside = start + length <= self.layout.end
        return _Access(user, place, start, start + length, True, True) if is_inside else None

    def _access(self, user: Ref, place: int) -> _Access | None:
        size = sizes.accessed_bytes(llvm.type_accessed(user))
        if not size:
            return None
        _, known, terms = steps_to(operands(user)[place])
        most = [greatest(index, user) for index, _ in terms]
        if None not in most:
            steps = zip(most, (bytes for _, bytes in terms), strict=True)
            end = known + size + sum((number or 0) * step for number, step in steps)
            if known >= 0 and end <= self.layout.end:
                return _Access(user, place, known, end, not terms)
        member = self.layout.marked(user, known, [step for _, step in terms])
        return member and _Access(user, place, *member, is_fixed=False)

    def _is_worth_it(self) -> bool:
        """Whether LLVM cannot do the same, and there are pointers that then are known."""
        moved = (a.instruction for a in self.accesses if not a.is_block)
        kinds = {call("GetTypeKind", llvm.type_accessed(ref)) for ref in moved}
        is_indexed = any(not access.is_fixed for access in self.accesses)
        return is_indexed and llvm.TYPE_POINTER in kinds and len([*self._groups()]) > 1

    def _groups(self) -> Iterator[tuple[int, int]]:
        """(first, end) of the bytes of members that stay together."""
        starts = self.layout.starts
        together = {
            i
            for access in self.accesses
            if not access.is_block
            for i in self.layout.members(access.low, access.end)[1:]
        }
        firsts = [start for i, start in enumerate(starts) if i not in together]
        return zip(firsts, [*firsts[1:], self.layout.end], strict=True)

    def part(self) -> None:
        """Makes variables of the members, and has all that is of the struct be of these."""
        functions = [llvm.function_of(self.variable)]
        own = {}
        for low, end in self._groups():
            called = member_name(functions, Member(self.variable, low, end))
            make = Builder(self.module).before(self.variable)
            made = make.local(self._type_of(low, end), f"{llvm.name(self.variable)}_{called}")
            call("SetAlignment", made, max(ALIGNMENT_BYTES, call("GetAlignment", self.variable)))
            own[low, end] = made
        for access in self.accesses:
            if access.is_block:
                self._part_block(access, own)
            else:
                self._move(access, own)
        for ref in self.lifetimes:
            for made in own.values():
                other = Builder(self.module).before(ref).copy(ref)
                set_operand(other, operands(ref).index(self.variable), made)
            erase(ref)

    def _type_of(self, low: int, end: int) -> Ref:
        """What is behind a member up to the next one belongs to it, and is copied with it."""
        byte, kind = self.module.integer(8), member_at(self._type, low)[0]
        rest = end - low - sizes.size_and_alignment(kind)[0]
        if len(self.layout.members(low, end)) > 1:
            return self.module.array(byte, end - low)
        return self.module.struct([kind, self.module.array(byte, rest)]) if rest else kind

    @property
    def _type(self) -> Ref:
        return call("GetAllocatedType", self.variable)

    def _move(self, access: _Access, own: dict[tuple[int, int], Ref]) -> None:
        (low, made), *_ = [(low, made) for (low, end), made in own.items() if access.low < end]
        make = Builder(self.module).before(access.instruction)
        moved = self._moved(make, access.pointer, made, low)
        set_operand(access.instruction, access.operand, moved)
        if low:  # what is known of the struct's place holds for so much of the member's
            alignment = min(call("GetAlignment", access.instruction), low & -low)
            call("SetAlignment", access.instruction, alignment)

    def _moved(self, make: Builder, pointer: Ref, made: Ref, low: int) -> Ref:
        """A pointer into the struct as one into a member, made of the same steps."""
        if pointer == self.variable:
            back = self.module.number(64, -low)
            return make.step(self.module.integer(8), made, [back]) if low else made
        base, *indices = operands(pointer)
        kind = call("GetGEPSourceElementType", pointer)
        return make.step(kind, self._moved(make, base, made, low), indices)

    def _part_block(self, access: _Access, own: dict[tuple[int, int], Ref]) -> None:
        """Each member of a block apart."""
        for (low, end), made in own.items():
            first, last = max(low, access.low), min(end, access.end)
            if first < last:
                make = Builder(self.module).before(access.instruction)
                self._copy_part(make, access, first - access.low, last - first, made, first - low)
        erase(access.instruction)

    def _copy_part(
        self, make: Builder, access: _Access, skipped: int, length: int, made: Ref, inside: int
    ) -> None:
        """The same of some bytes, of which so many come before, at a place in a member."""
        byte, number = self.module.integer(8), self.module.number
        *given, callee = operands(access.instruction)
        given[2] = number(llvm.number_bits(llvm.type_of(given[2])), length)
        for place in (0,) if llvm.name(callee).startswith(_FILLS) else (0, 1):
            is_own = place == access.operand
            start, by = (made, inside) if is_own else (given[place], skipped)
            given[place] = make.step(byte, start, [number(64, by)]) if by else start
        make.call(callee, given)


def _is_special(access: Ref) -> bool:
    return llvm.is_volatile(access) or bool(call("GetOrdering", access))
