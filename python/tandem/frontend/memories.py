# SPDX-License-Identifier: Apache-2.0
"""What a function under import reads and writes, as accesses of memories."""

from __future__ import annotations

from dataclasses import replace

from tandem.frontend.addresses import (
    Address,
    Case,
    Pointer,
    decode,
    element_index,
    encode,
    pointer_to,
)
from tandem.frontend.element_widths import is_console, measure_accesses
from tandem.frontend.host_addresses import SHARED, marked
from tandem.frontend.members import NO_MEMBERS, Access, Members, Piece, find_members
from tandem.frontend.pointer_values import PointerValues
from tandem.frontend.pointers_as_numbers import NOWHERE
from tandem.frontend.state import Importer, outside_call, value_of
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Constant, Load, Op, Rom, Select, Store, constant
from tandem.llvm import read as llvm
from tandem.llvm import sizes
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import POINTER_BYTES

BLOCK_OPERATION_LIMIT_BYTES = 4096


class MemoryTable(PointerValues):
    """The memories of a function under import, and every access to them."""

    def __init__(self, state: Importer, members: Members = NO_MEMBERS) -> None:
        super().__init__(state, members)
        self.accesses: list[tuple[Access, Block]] = []
        """What is read and written, and where in the kernel."""
        self._current: llvm.Ref = 0
        """The instruction that does so."""
        measure_accesses(self)

    def found_members(self) -> Members:
        """The members of structs that can be memories of their own, once all accesses are made."""
        kernel, layouts = self.state.kernel, dict(self.layouts)
        joined = {name for group in kernel.overlaps for name in group}
        shared: set[llvm.Ref] = set()
        for argument in kernel.arguments:
            if argument.memory is not None:
                base = self.bases[argument.memory]
                shared.add(base)
                if argument.name in joined or argument.made:
                    layouts.pop(base, None)
        return find_members(kernel, self.accesses, layouts, shared)

    def load(self, builder: Builder, ref: llvm.Ref) -> Op | Pointer:
        """The value of an LLVM load."""
        self._current = ref
        kind = llvm.call("TypeOf", ref)
        if is_console(llvm.operands(ref)[0]):
            return pointer_to(None)
        pointer = self._target(builder, llvm.operands(ref)[0])
        if llvm.is_pointer(ref):
            holding = self._followable(builder, self._holding(pointer))
            number = self._read(builder, holding, POINTER_BYTES)
            return decode(builder, number, self._codes(self.facts.bases(ref)))
        value = self._read(builder, pointer, sizes.stored_bytes(kind))
        return builder.resize(value, llvm.number_bits(kind))

    def _target(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """A pointer that is followed. One that is read from memory where there is nothing but null
        is never followed."""
        pointer, start = self.pointer(builder, ref), _start(ref)
        if marked(start) is not None:
            raise self._untraceable(start)
        if llvm.call("GetValueKind", start) in NOWHERE:
            raise self.state.error(
                "pointer", "a null or undefined pointer", "give every pointer an array to point to"
            )
        return pointer

    def _read(self, builder: Builder, pointer: Pointer, size: int, field: str = "") -> Op:
        """`size` bytes. Every memory is read only if the pointer leads there. `field`: the open
        field that they are."""
        cases = _followed(pointer)
        if not cases:
            return constant(0, 8 * size)
        *others, last = cases
        value = self._read_case(builder, last, size, field)
        for case in others:
            part = self._read_case(builder, case, size, field)
            value = builder.build(Select, [case.chosen, part, value], 8 * size)
        return value

    def _read_case(self, builder: Builder, case: Case, size: int, field: str) -> Op:
        parts = [
            self._read_memory(builder, address, length, case.chosen, field)
            for address, length in self._parts(builder.block, case.address, size, writes=False)
        ]
        return builder.concat(*parts[::-1])

    def _parts(
        self, block: Block, address: Address, size: int, writes: bool
    ) -> list[tuple[Address, int]]:
        """What an access is of: (address, bytes) in each memory, which members of a struct are."""
        assert address.memory is not None
        base = self.bases[address.memory]
        pieces = self.members.pieces.get((self._current, base, writes))
        if pieces is not None:
            return [(self._moved(address, piece), piece.size) for piece in pieces]
        if base in self.layouts:
            access = Access.by(self._current, base, address, size, writes)
            self.accesses.append((access, block))
        return [(address, size)]

    def _moved(self, address: Address, piece: Piece) -> Address:
        """The address of a piece in its own memory."""
        place = address.constant if piece.offset is None else piece.offset
        if piece.member is None:
            return replace(address, constant=place)
        memory = self.split[piece.member]
        return Address(memory, address.terms, place - piece.member.start)

    def _read_memory(
        self, builder: Builder, address: Address, size: int, enable: Op, field: str
    ) -> Op:
        memory = address.memory
        assert memory is not None
        width, parts = memory.element_bits, []
        for element in range(size * 8 // width):
            index = element_index(builder, address, width // 8, element)
            if memory.kind is MemoryKind.ROM and not self.state.is_stored(memory):
                part = builder.build(Rom, [index], width, memory=memory)
            else:
                operands = [index, *_guard(enable)]
                told = {"field": field} if field else {}
                part = builder.raw(Load, operands, width, memory=memory, **told)
            parts.append(part)
        return builder.concat(*parts[::-1])

    def store(self, builder: Builder, ref: llvm.Ref) -> None:
        """An LLVM store."""
        self._current = ref
        value_ref, target = llvm.operands(ref)
        if llvm.is_pointer(value_ref):
            self._store_pointer(builder, self.pointer(builder, value_ref), target)
            return
        size = sizes.stored_bytes(llvm.call("TypeOf", value_ref))
        value = builder.resize(value_of(self.state, value_ref), size * 8)
        self._write(builder, self._target(builder, target), value)

    def _store_pointer(self, builder: Builder, value: Pointer, target: llvm.Ref) -> None:
        """A pointer in memory: where the caller finds it, the host's."""
        places = self._holding(self._target(builder, target))
        shared = [case for case in places.cases if _kind(case) in SHARED]
        own = [case for case in places.cases if _kind(case) not in SHARED]
        if shared:
            number = self.host.number(builder, value)
            self._write(builder, Pointer(tuple(shared)), number, self._open_field(target))
        if own:
            self._write(builder, Pointer(tuple(own)), encode(builder, value, self._held()))

    def check_released(self, ref: llvm.Ref) -> None:
        """Raises UserError where what is given back to the heap was not asked for by the kernel."""
        kinds = [self.memory(base) for base in self.facts.bases(llvm.operands(ref)[0])]
        own = [a.memory for a in self.state.kernel.arguments if a.made]
        if any(m is not None and m.kind is not MemoryKind.RAM and m not in own for m in kinds):
            raise outside_call(self.state, "free")

    def tell_of_field(self, builder: Builder, ref: llvm.Ref) -> None:
        """A field's pointer is read: its bytes count as read, and no more comes of it."""
        self._current = ref
        place = llvm.operands(ref)[0]
        pointer = self._target(builder, place)
        self._read(builder, pointer, POINTER_BYTES, self._open_field(place))

    def _write(self, builder: Builder, pointer: Pointer, value: Op, field: str = "") -> None:
        places = [(c, c.address.memory) for c in _followed(pointer) if c.address.memory is not None]
        if any(memory.kind is MemoryKind.FIFO for _, memory in places):
            return  # software's side of a stream
        # Where a pointer may lead to several, it leads to none that is constant: C writes to those
        # that are not.
        others = [(case, memory) for case, memory in places if memory.kind is not MemoryKind.ROM]
        for case, _ in others or places:
            low, size = 0, value.width // 8
            for address, length in self._parts(builder.block, case.address, size, writes=True):
                part = builder.extract(value, 8 * low, 8 * length)
                self._write_memory(builder, address, part, case.chosen, field)
                low += length

    def _write_memory(
        self, builder: Builder, address: Address, value: Op, enable: Op, field: str
    ) -> None:
        memory = address.memory
        assert memory is not None
        if memory.kind is MemoryKind.ROM:
            raise self.state.error(
                "table",
                f"a store to the constant table `{memory.name}`",
                "write to a local array or an argument",
            )
        width = memory.element_bits
        for element in range(value.width // width):
            part = builder.extract(value, element * width, width)
            index = element_index(builder, address, width // 8, element)
            operands = [index, part, *_guard(enable)]
            told = {"field": field} if field else {}
            builder.raw(Store, operands, 0, memory=memory, **told)

    def block_operation(self, builder: Builder, kind: str, ref: llvm.Ref) -> None:
        """memcpy, memmove and memset of a known small size, element by element."""
        self._current = ref
        target, source, length = llvm.operands(ref)[:3]
        size = llvm.constant_number(length)
        if size is None or size > BLOCK_OPERATION_LIMIT_BYTES:
            raise self.state.error(
                "block-copy",
                f"{kind[5:]} of a size that is not a small constant",
                f"copy at most {BLOCK_OPERATION_LIMIT_BYTES} bytes at once, or write the loop",
            )
        if not size:
            return
        if kind == "llvm.memset":
            filled = builder.concat(*[value_of(self.state, source)] * size)
        else:
            filled = self._read(builder, self._target(builder, source), size)
        self._write(builder, self._target(builder, target), filled)


def _followed(pointer: Pointer) -> list[Case]:
    """The places where a pointer that is followed may lead: not null, no function and no mark."""
    memories = [(case, case.address.memory) for case in pointer.cases]
    return [
        case
        for case, memory in memories
        if memory is not None and memory.kind is not MemoryKind.NOWHERE
    ]


def _kind(case: Case) -> str:
    return "" if case.address.memory is None else case.address.memory.kind


def _start(ref: llvm.Ref) -> llvm.Ref:
    """What a pointer is somewhere behind of."""
    while llvm.opcode_of(ref) == Opcode.ADDRESS:
        ref = llvm.operands(ref)[0]
    return ref


def _guard(enable: Op) -> list[Op]:
    """The operand that makes an access conditional."""
    return [] if isinstance(enable, Constant) and enable.value else [enable]
