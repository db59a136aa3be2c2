# SPDX-License-Identifier: Apache-2.0
"""Pointers and arrays during import: which memory an access reaches, at which element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tandem.diagnostics import Place
from tandem.frontend import llvm_c as llvm
from tandem.ir.builder import Builder
from tandem.ir.kernel import Memory, Op, constant

if TYPE_CHECKING:
    from tandem.frontend.importer import Importer

ALLOCA, LOAD, STORE, GEP, PHI, CALL, SELECT = 26, 27, 28, 29, 44, 45, 46
OFFSET_BITS = 64
BLOCK_OPERATION_LIMIT_BYTES = 4096


@dataclass
class Address:
    """A byte offset into a memory: a sum of terms (value, factor) and a constant."""

    memory: Memory
    terms: list[tuple[Op, int]]
    constant: int


@dataclass
class Choice:
    """One of two addresses in different memories."""

    condition: Op
    yes: Address | Choice
    no: Address | Choice


Pointer = Address | Choice


class MemoryTable:
    """The memories of a function under import."""

    def __init__(self, state: Importer) -> None:
        self.state = state
        self.memories: dict[llvm.Ref, Memory] = {}
        self.images: dict[Memory, bytes] = {}
        self._read_arguments()
        self._measure_accesses()

    # -- which memory ---------------------------------------------------------------------------

    def base_of(self, pointer: llvm.Ref) -> Memory:
        """The one memory a pointer leads to. Raises UserError when there is more than one."""
        bases = self.bases_of(pointer)
        if len(bases) != 1:
            names = ", ".join(sorted(m.name for m in bases)) or "nothing known"
            raise self.state.error(
                "pointer",
                f"a pointer that may name one of: {names}",
                "use one array a pointer, or index a two-dimensional array",
            )
        return bases[0]

    def bases_of(self, pointer: llvm.Ref) -> list[Memory]:
        """The memories that a pointer may lead to."""
        bases: dict[llvm.Ref, None] = {}
        self._collect_bases(pointer, bases, set())
        return [self._memory(base) for base in bases]

    def _collect_bases(
        self, ref: llvm.Ref, bases: dict[llvm.Ref, None], seen: set[llvm.Ref]
    ) -> None:
        if ref in seen:
            return
        seen.add(ref)
        kind = llvm.call("GetValueKind", ref)
        opcode = llvm.call("GetInstructionOpcode", ref) if kind == llvm.VALUE_INSTRUCTION else 0
        if kind == llvm.VALUE_EXPRESSION or opcode == GEP:
            self._collect_bases(llvm.operands(ref)[0], bases, seen)
        elif opcode == PHI:
            for i in range(llvm.call("CountIncoming", ref)):
                self._collect_bases(llvm.call("GetIncomingValue", ref, i), bases, seen)
        elif opcode == SELECT:
            for side in llvm.operands(ref)[1:]:
                self._collect_bases(side, bases, seen)
        elif kind not in (llvm.VALUE_UNDEF, llvm.VALUE_POISON):
            bases[ref] = None

    def _memory(self, base: llvm.Ref) -> Memory:
        if base not in self.memories:
            self.memories[base] = self._create(base)
        return self.memories[base]

    def _create(self, base: llvm.Ref) -> Memory:
        kind = llvm.call("GetValueKind", base)
        opcode = llvm.call("GetInstructionOpcode", base) if kind == llvm.VALUE_INSTRUCTION else 0
        if kind == llvm.VALUE_GLOBAL:
            return self._global(base)
        if opcode == ALLOCA:
            count = llvm.operands(base)[0]
            if llvm.call("GetValueKind", count) != llvm.VALUE_INTEGER:
                raise self.state.error(
                    "array-size",
                    f"the local array `{llvm.name(base)}` has a variable size",
                    "give it a fixed size, large enough for every call",
                )
            allocated = llvm.call("GetAllocatedType", base)
            size = llvm.size_and_alignment(allocated)[0]
            return self.state.kernel.add_memory(
                Memory(_clean(llvm.name(base)) or "array", "ram", 8, size)
            )
        if opcode == CALL:
            file, line = llvm.location(base)
            self.state.place = Place(file, line) if line else self.state.place
            raise self.state.outside_call(llvm.name(llvm.call("GetCalledValue", base)))
        raise self.state.error(
            "pointer",
            f"a pointer that comes from `{llvm.text(base)[:80]}`",
            "reach arrays through the function's arguments, local arrays and constant tables",
        )

    def _global(self, base: llvm.Ref) -> Memory:
        name = llvm.name(base)
        if not llvm.call("IsGlobalConstant", base) or not llvm.call("GetInitializer", base):
            raise self.state.error(
                "global",
                f"the global variable `{name}` is not constant",
                f"declare `{name}` const, or pass it as an argument",
            )
        kind = llvm.call("GlobalGetValueType", base)
        try:
            image = llvm.constant_bytes(llvm.call("GetInitializer", base), kind)
        except ValueError:
            raise self.state.error(
                "table",
                f"the table `{name}` holds more than integers",
                "use a switch in place of a table of functions or pointers",
            ) from None
        memory = Memory(_clean(name), "rom", 8, len(image))
        self.images[memory] = image
        return self.state.kernel.add_memory(memory)

    def _read_arguments(self) -> None:
        function = self.state.function
        pointers = [a for a in self.state.kernel.arguments if a.kind == "pointer"]
        for i in range(llvm.call("CountParams", function)):
            ref = llvm.call("GetParam", function, i)
            argument = next((a for a in pointers if a.name == llvm.name(ref)), None)
            if argument is not None:
                argument.memory = Memory(argument.name, "argument", 8)
                self.state.kernel.add_memory(argument.memory)
                self.memories[ref] = argument.memory

    # -- how wide -------------------------------------------------------------------------------

    def _measure_accesses(self) -> None:
        """A memory's element is its narrowest access."""
        narrowest: dict[Memory, int] = {}
        for block in llvm.children(self.state.function, "BasicBlock"):
            for ref in llvm.children(block, "Instruction"):
                opcode = llvm.call("GetInstructionOpcode", ref)
                self._note_place(ref)
                if opcode in (LOAD, STORE):
                    pointer = llvm.operands(ref)[1 if opcode == STORE else 0]
                    size = self._access_bytes(ref, opcode)
                    for memory in self.bases_of(pointer):
                        narrowest[memory] = min(size, narrowest.get(memory, size))
                elif opcode == CALL:
                    self._measure_call(ref, narrowest)
        for memory, size in narrowest.items():
            self._set_element(memory, size)

    def _note_place(self, ref: llvm.Ref) -> None:
        file, line = llvm.location(ref)
        if line:
            self.state.place = Place(file, line)

    def _measure_call(self, ref: llvm.Ref, narrowest: dict[Memory, int]) -> None:
        callee = llvm.name(llvm.call("GetCalledValue", ref))
        if callee.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
            pointers = llvm.operands(ref)[: 1 if "memset" in callee else 2]
            length = llvm.operands(ref)[2]
            size = (
                llvm.call("ConstIntGetZExtValue", length)
                if llvm.call("GetValueKind", length) == llvm.VALUE_INTEGER
                else 1
            )
            for pointer in pointers:
                memory = self.base_of(pointer)
                step = next(s for s in (8, 4, 2, 1) if size % s == 0)
                narrowest[memory] = min(step, narrowest.get(memory, step))

    def _access_bytes(self, ref: llvm.Ref, opcode: int) -> int:
        if llvm.call("GetVolatile", ref):
            raise self.state.error("volatile", "a volatile access", "remove `volatile`")
        kind = llvm.call("TypeOf", llvm.operands(ref)[0] if opcode == STORE else ref)
        if llvm.call("GetTypeKind", kind) != llvm.TYPE_INTEGER:
            raise self.state.error(
                "type",
                f"a value of type {llvm.type_text(kind)} in memory",
                "this version computes with integers only",
            )
        return llvm.size_and_alignment(kind)[0]

    def _set_element(self, memory: Memory, size: int) -> None:
        memory.element_bits = 8 * size
        if memory.depth is not None:
            memory.depth = -(-memory.depth // size)
        image = self.images.get(memory)
        if image is not None:
            image += bytes(-len(image) % size)
            memory.contents = tuple(
                int.from_bytes(image[i : i + size], "little") for i in range(0, len(image), size)
            )

    # -- at which element -----------------------------------------------------------------------

    def resolve(self, builder: Builder, pointer: llvm.Ref) -> Address:
        """The address that an LLVM pointer stands for, in one memory."""
        found = self.pointer(builder, pointer)
        if isinstance(found, Address):
            return found
        self.base_of(pointer)
        raise AssertionError("a choice has more than one base")

    def pointer(self, builder: Builder, pointer: llvm.Ref) -> Pointer:
        """The address, or the choice of addresses, that an LLVM pointer stands for."""
        found = self.state.values.get(pointer)
        if isinstance(found, Address | Choice):
            return found
        kind = llvm.call("GetValueKind", pointer)
        if kind == llvm.VALUE_EXPRESSION:
            return self.address(builder, pointer)
        if kind in (llvm.VALUE_UNDEF, llvm.VALUE_POISON, llvm.VALUE_NULL):
            raise self.state.error(
                "pointer", "a null or undefined pointer", "give every pointer an array to point to"
            )
        return Address(self._memory(pointer), [], 0)

    def address(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """The address a getelementptr computes."""
        return self._moved(builder, self.pointer(builder, llvm.operands(ref)[0]), ref)

    def _moved(self, builder: Builder, base: Pointer, ref: llvm.Ref) -> Pointer:
        if isinstance(base, Choice):
            sides = [self._moved(builder, side, ref) for side in (base.yes, base.no)]
            return Choice(base.condition, sides[0], sides[1])
        return self._moved_address(builder, base, ref)

    def _moved_address(self, builder: Builder, base: Address, ref: llvm.Ref) -> Address:
        """`base` moved on by the indices of a getelementptr."""
        from tandem.frontend.importer import value_of

        _, *indices = llvm.operands(ref)
        result = Address(base.memory, list(base.terms), base.constant)
        kind = llvm.call("GetGEPSourceElementType", ref)
        for position, index in enumerate(indices):
            if position and llvm.call("GetTypeKind", kind) == llvm.TYPE_STRUCT:
                number = llvm.call("ConstIntGetZExtValue", index)
                result.constant += llvm.field_offset(kind, number)
                kind = llvm.call("StructGetTypeAtIndex", kind, number)
                continue
            if position:
                kind = llvm.call("GetElementType", kind)
            size = llvm.size_and_alignment(kind)[0]
            value = builder.resize(value_of(self.state, index), OFFSET_BITS, is_signed=True)
            if value.kind == "constant":
                result.constant += (value.value - (value.value >> 63 << 64)) * size
            else:
                result.terms.append((value, size))
        return result

    def select(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """One of two addresses: in the same memory an offset is chosen, else an access."""
        from tandem.frontend.importer import value_of

        condition, yes, no = llvm.operands(ref)
        chooser = value_of(self.state, condition)
        sides = [self.pointer(builder, side) for side in (yes, no)]
        bases = self.bases_of(ref)
        if len(bases) > 1 or any(isinstance(side, Choice) for side in sides):
            return Choice(chooser, sides[0], sides[1])
        offsets = [self.byte_offset(builder, self.resolve(builder, side)) for side in (yes, no)]
        chosen = builder.build("select", [chooser, *offsets], OFFSET_BITS)
        return Address(bases[0], [(chosen, 1)], 0)

    def byte_offset(self, builder: Builder, address: Address) -> Op:
        """The offset in bytes as one value."""
        return self._sum(builder, address.terms, address.constant)

    def _sum(self, builder: Builder, terms: list[tuple[Op, int]], start: int) -> Op:
        total = constant(0, OFFSET_BITS)
        for value, factor in terms:
            scaled = builder.build("mul", [value, constant(factor, OFFSET_BITS)], OFFSET_BITS)
            total = builder.build("add", [total, scaled], OFFSET_BITS)
        return builder.build("add", [total, constant(start, OFFSET_BITS)], OFFSET_BITS)

    def index(self, builder: Builder, address: Address, element: int = 0) -> Op:
        """The element index of an address, `element` elements further on."""
        size = address.memory.element_bits // 8
        if all(factor % size == 0 for _, factor in address.terms) and address.constant % size == 0:
            terms = [(value, factor // size) for value, factor in address.terms]
            return self._sum(builder, terms, address.constant // size + element)
        offset = self._sum(builder, address.terms, address.constant + element * size)
        shift = size.bit_length() - 1
        return builder.extract(offset, shift, OFFSET_BITS - shift)

    # -- accesses -------------------------------------------------------------------------------

    def load(self, builder: Builder, ref: llvm.Ref) -> Op:
        """The value of an LLVM load."""
        pointer = self.pointer(builder, llvm.operands(ref)[0])
        width = llvm.call("GetIntTypeWidth", llvm.call("TypeOf", ref))
        size = llvm.size_and_alignment(llvm.call("TypeOf", ref))[0]
        return builder.resize(self._read(builder, pointer, size), width)

    def _read(self, builder: Builder, pointer: Pointer, size: int, enable: Op | None = None) -> Op:
        """`size` bytes. Of a choice both sides are read, each only if it is chosen."""
        if isinstance(pointer, Choice):
            enables = self._sides(builder, pointer.condition, enable)
            sides = [
                self._read(builder, side, size, on)
                for side, on in zip((pointer.yes, pointer.no), enables, strict=True)
            ]
            return builder.build("select", [pointer.condition, *sides], 8 * size)
        memory = pointer.memory
        guard = [] if enable is None else [enable]
        parts = []
        for element in range(max(1, size * 8 // memory.element_bits)):
            index = self.index(builder, pointer, element)
            if memory.kind == "rom":
                part = builder.build("rom", [index], memory.element_bits, memory=memory.name)
            else:
                operands = [index, *guard]
                part = builder.raw("load", operands, memory.element_bits, memory=memory.name)
            parts.append(part)
        return builder.concat(*parts[::-1])

    def _sides(self, builder: Builder, condition: Op, enable: Op | None) -> list[Op]:
        """When either side of a choice is accessed."""
        sides = [condition, builder.invert(condition)]
        return sides if enable is None else [builder.logic("and", [enable, s]) for s in sides]

    def store(self, builder: Builder, ref: llvm.Ref) -> None:
        """An LLVM store."""
        from tandem.frontend.importer import value_of

        value_ref, pointer = llvm.operands(ref)
        size = llvm.size_and_alignment(llvm.call("TypeOf", value_ref))[0]
        value = builder.resize(value_of(self.state, value_ref), size * 8)
        self._write(builder, self.pointer(builder, pointer), value)

    def _write(
        self, builder: Builder, pointer: Pointer, value: Op, enable: Op | None = None
    ) -> None:
        if isinstance(pointer, Choice):
            enables = self._sides(builder, pointer.condition, enable)
            for side, on in zip((pointer.yes, pointer.no), enables, strict=True):
                self._write(builder, side, value, on)
            return
        memory = pointer.memory
        if memory.kind == "rom":
            raise self.state.error(
                "table",
                f"a store to the constant table `{memory.name}`",
                "write to a local array or an argument",
            )
        guard = [] if enable is None else [enable]
        width = memory.element_bits
        for element in range(value.width // width):
            part = builder.extract(value, element * width, width)
            index = self.index(builder, pointer, element)
            builder.raw("store", [index, part, *guard], 0, memory=memory.name)

    def block_operation(self, builder: Builder, kind: str, ref: llvm.Ref) -> None:
        """memcpy, memmove and memset of a known small size, element by element."""
        from tandem.frontend.importer import value_of

        target, source, length = llvm.operands(ref)[:3]
        size = (
            llvm.call("ConstIntGetZExtValue", length)
            if llvm.call("GetValueKind", length) == llvm.VALUE_INTEGER
            else -1
        )
        if not 0 <= size <= BLOCK_OPERATION_LIMIT_BYTES:
            raise self.state.error(
                "block-copy",
                f"{kind[5:]} of a size that is not a small constant",
                f"copy at most {BLOCK_OPERATION_LIMIT_BYTES} bytes at once, or write the loop",
            )
        destination = self.resolve(builder, target)
        if kind == "llvm.memset":
            filled = builder.concat(*[value_of(self.state, source)] * size) if size else None
        else:
            filled = self._read(builder, self.resolve(builder, source), size) if size else None
        if filled is not None:
            self._write(builder, destination, filled)


def _clean(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name).strip("_")
