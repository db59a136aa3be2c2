# SPDX-License-Identifier: Apache-2.0
"""Arrays during import: what they are, how wide their elements, and every access to them."""

from __future__ import annotations

import re

from tandem.diagnostics import Place, UserError
from tandem.frontend import llvm_c as llvm
from tandem.frontend.addresses import (
    OFFSET_BITS,
    Address,
    Incomparable,
    Pointer,
    choose,
    compare,
    difference,
    element_index,
    is_below,
    moved,
    phi_arguments,
    phi_parameters,
    phi_pointer,
    pointer_to,
)
from tandem.frontend.partitions import MOST_BANKS, banks_of
from tandem.frontend.pointers import PointerFacts, gep_terms
from tandem.frontend.state import Importer, outside_call, value_of
from tandem.frontend.wording import instruction_words, type_words
from tandem.ir.builder import Builder
from tandem.ir.kernel import Memory, Op, constant
from tandem.ir.names import plain

ALLOCA, LOAD, STORE, GEP, CALL = 26, 27, 28, 29, 45
BLOCK_OPERATION_LIMIT_BYTES = 4096
WIDEST_ELEMENT_BYTES = 16


class MemoryTable:
    """The memories of a function under import."""

    def __init__(self, state: Importer) -> None:
        self.state = state
        self.facts = PointerFacts(state.functions)
        self.memories: dict[llvm.Ref, Memory] = {}
        self.images: dict[Memory, bytes] = {}
        self._read_arguments()
        self._measure_accesses()

    # -- which memory ---------------------------------------------------------------------------

    def _memory(self, base: llvm.Ref) -> Memory | None:
        """The memory that starts at `base`, None for the null pointer."""
        if llvm.call("GetValueKind", base) == llvm.VALUE_NULL:
            return None
        if base not in self.memories:
            self.memories[base] = self._create(base)
        return self.memories[base]

    def _create(self, base: llvm.Ref) -> Memory:
        kind = llvm.call("GetValueKind", base)
        opcode = llvm.call("GetInstructionOpcode", base) if kind == llvm.VALUE_INSTRUCTION else 0
        if kind == llvm.VALUE_GLOBAL:
            return self._global(base)
        if kind == llvm.VALUE_FUNCTION:
            return Memory(llvm.name(base), "function", 8, 0)  # only ever compared
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
            return self.state.kernel.add_memory(Memory(_memory_name(base, "array"), "ram", 8, size))
        if opcode == CALL:
            file, line = llvm.location(base)
            self.state.place = Place(file, line) if line else self.state.place
            raise outside_call(self.state, llvm.name(llvm.call("GetCalledValue", base)))
        raise self.state.error(
            "pointer",
            f"cannot follow {instruction_words(base)}",
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
        memory = Memory(_memory_name(base, "table"), "rom", 8, len(image))
        self.images[memory] = image
        return self.state.kernel.add_memory(memory)

    def _read_arguments(self) -> None:
        for i, argument in enumerate(self.state.kernel.arguments):
            if argument.kind == "pointer":
                ref = llvm.call("GetParam", self.state.function, i)
                memory = Memory(_memory_name(ref, "array"), "argument", 8)
                argument.memory = self.memories[ref] = self.state.kernel.add_memory(memory)

    # -- how wide -------------------------------------------------------------------------------

    def _measure_accesses(self) -> None:
        """A memory's element is the widest that divides the size and the offset of each access."""
        widest: dict[Memory, int] = {}
        for ref in llvm.instructions(self.state.functions):
            self._note_place(ref)
            for pointer, size in self._accesses(ref):
                self._measure(pointer, size, widest)
        for memory, size in widest.items():
            self._set_element(memory, size)
        for base, memory in self.memories.items():
            if memory is not None and memory.kind == "ram":
                self._set_banks(base, memory)

    def _note_place(self, ref: llvm.Ref) -> None:
        file, line = llvm.location(ref)
        if line:
            self.state.place = Place(file, line)

    def _accesses(self, ref: llvm.Ref) -> list[tuple[llvm.Ref, int]]:
        """(pointer, bytes) of each access that an instruction makes."""
        opcode = llvm.call("GetInstructionOpcode", ref)
        if opcode in (LOAD, STORE):
            pointer = llvm.operands(ref)[1 if opcode == STORE else 0]
            return [(pointer, self._access_bytes(ref, opcode))]
        if opcode == CALL:
            callee = llvm.name(llvm.call("GetCalledValue", ref))
            if callee.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
                pointers = llvm.operands(ref)[: 1 if "memset" in callee else 2]
                length = llvm.constant_number(llvm.operands(ref)[2])
                return [(pointer, length or 1) for pointer in pointers]
        return []

    def _measure(self, pointer: llvm.Ref, size: int, widest: dict[Memory, int]) -> None:
        for base, power in self.facts.bases(pointer).items():
            memory = self._memory(base)
            if memory is not None:
                whole = min(size & -size, 1 << power, WIDEST_ELEMENT_BYTES)
                widest[memory] = min(whole, widest.get(memory, whole))

    def _access_bytes(self, ref: llvm.Ref, opcode: int) -> int:
        if llvm.call("GetVolatile", ref):
            raise self.state.error("volatile", "a volatile access", "remove `volatile`")
        kind = llvm.call("TypeOf", llvm.operands(ref)[0] if opcode == STORE else ref)
        if llvm.call("GetTypeKind", kind) != llvm.TYPE_INTEGER:
            raise self.state.error(
                "type",
                f"a value of type {type_words(kind)} in memory",
                "this version computes with integers only",
            )
        return llvm.stored_bytes(kind)

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

    def _set_banks(self, base: llvm.Ref, memory: Memory) -> None:
        """Notes of how many memories a directive wants a local array to be made."""
        banks = banks_of(llvm.name(base))[1]
        elements = memory.depth or 1
        memory.banks = min(banks, elements) if banks else elements
        if memory.banks > MOST_BANKS:
            raise self.state.error(
                "pragma",
                f"`{memory.name}` would be {memory.banks} memories, one for each element",
                f"say how many with `partition({memory.name}, N)`, N being at most {MOST_BANKS}",
            )

    # -- pointers -------------------------------------------------------------------------------

    def pointer(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """What an LLVM pointer stands for; an undefined one for the null pointer."""
        found = self.state.values.get(ref)
        if isinstance(found, Pointer):
            return found
        kind = llvm.call("GetValueKind", ref)
        if kind == llvm.VALUE_EXPRESSION and llvm.call("GetConstOpcode", ref) == GEP:
            return self.address(builder, ref)
        if kind in (llvm.VALUE_UNDEF, llvm.VALUE_POISON):
            return pointer_to(None)
        return pointer_to(self._memory(ref))

    def address(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """The pointer that a getelementptr computes."""
        known, indices = gep_terms(ref)
        terms = []
        for index, size in indices:
            value = builder.resize(value_of(self.state, index), OFFSET_BITS, is_signed=True)
            if value.kind == "constant":
                known += (value.value - (value.value >> 63 << 64)) * size
            else:
                terms.append((value, size))
        return moved(self.pointer(builder, llvm.operands(ref)[0]), known, terms)

    def select(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """One of two pointers."""
        condition, *sides = llvm.operands(ref)
        yes, no = (self.pointer(builder, side) for side in sides)
        return choose(builder, value_of(self.state, condition), yes, no)

    def create_phi(self, builder: Builder, ref: llvm.Ref) -> list[Op]:
        """The block parameters that carry an LLVM phi of pointers."""
        memories = self._phi_memories(ref)
        parameters = phi_parameters(memories)
        self.state.values[ref] = phi_pointer(builder, memories, parameters)
        return parameters

    def phi_values(self, builder: Builder, phi: llvm.Ref, incoming: llvm.Ref) -> list[Op]:
        """What an edge passes to those parameters."""
        return phi_arguments(builder, self._phi_memories(phi), self.pointer(builder, incoming))

    def _phi_memories(self, ref: llvm.Ref) -> list[Memory | None]:
        return [self._memory(base) for base in self.facts.bases(ref)] or [None]

    def compare(self, builder: Builder, predicate: str, left: llvm.Ref, right: llvm.Ref) -> Op:
        """The outcome of a comparison of two pointers."""
        sides = [self.pointer(builder, side) for side in (left, right)]
        try:
            return compare(builder, predicate, *sides)
        except Incomparable as pair:
            raise self._pointer_compare(pair.memories, "compared") from None

    def is_below(self, builder: Builder, left: llvm.Ref, right: llvm.Ref) -> Op:
        """Whether a pointer is below another, if both lead to one array."""
        return is_below(builder, *(self.pointer(builder, side) for side in (left, right)))

    def difference(self, builder: Builder, left: llvm.Ref, right: llvm.Ref) -> Op:
        """The bytes between two pointers."""
        sides = [self.pointer(builder, side) for side in (left, right)]
        try:
            return difference(builder, *sides)
        except Incomparable as pair:
            raise self._pointer_compare(pair.memories, "subtracted") from None

    def _pointer_compare(self, pair: tuple[Memory | None, Memory | None], verb: str) -> UserError:
        names = [m.name for m in pair if m is not None]
        if len(names) == 1:
            return self.state.error(
                "pointer-compare",
                f"`{names[0]}` is {verb} with the null pointer: hardware sees no addresses",
                "test it in the caller, and pass the outcome as an argument",
            )
        return self.state.error(
            "pointer-compare",
            f"`{names[0]}` and `{names[1]}` are {verb} as addresses, which hardware does not see",
            "do so in the caller and pass the outcome, or pass a number of elements in place of a "
            "pointer to the end",
        )

    # -- accesses -------------------------------------------------------------------------------

    def load(self, builder: Builder, ref: llvm.Ref) -> Op:
        """The value of an LLVM load."""
        kind = llvm.call("TypeOf", ref)
        pointer = self._target(builder, llvm.operands(ref)[0])
        value = self._read(builder, pointer, llvm.stored_bytes(kind))
        return builder.resize(value, llvm.call("GetIntTypeWidth", kind))

    def _target(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """A pointer that is followed."""
        pointer = self.pointer(builder, ref)
        if all(case.address.memory is None for case in pointer.cases):
            raise self.state.error(
                "pointer", "a null or undefined pointer", "give every pointer an array to point to"
            )
        return pointer

    def _read(self, builder: Builder, pointer: Pointer, size: int) -> Op:
        """`size` bytes. Every memory is read only if the pointer leads there."""
        *others, last = pointer.cases
        value = self._read_memory(builder, last.address, size, last.chosen)
        for case in others:
            part = self._read_memory(builder, case.address, size, case.chosen)
            value = builder.build("select", [case.chosen, part, value], 8 * size)
        return value

    def _read_memory(self, builder: Builder, address: Address, size: int, enable: Op) -> Op:
        memory = address.memory
        if memory is None:
            return constant(0, 8 * size)
        width, parts = memory.element_bits, []
        for element in range(size * 8 // width):
            index = element_index(builder, address, width // 8, element)
            if memory.kind == "rom":
                part = builder.build("rom", [index], width, memory=memory.name)
            else:
                operands = [index, *_guard(enable)]
                part = builder.raw("load", operands, width, memory=memory.name)
            parts.append(part)
        return builder.concat(*parts[::-1])

    def store(self, builder: Builder, ref: llvm.Ref) -> None:
        """An LLVM store."""
        value_ref, target = llvm.operands(ref)
        size = llvm.stored_bytes(llvm.call("TypeOf", value_ref))
        value = builder.resize(value_of(self.state, value_ref), size * 8)
        self._write(builder, self._target(builder, target), value)

    def _write(self, builder: Builder, pointer: Pointer, value: Op) -> None:
        for case in pointer.cases:
            if case.address.memory is not None:
                self._write_memory(builder, case.address, case.address.memory, value, case.chosen)

    def _write_memory(
        self, builder: Builder, address: Address, memory: Memory, value: Op, enable: Op
    ) -> None:
        if memory.kind == "rom":
            raise self.state.error(
                "table",
                f"a store to the constant table `{memory.name}`",
                "write to a local array or an argument",
            )
        width = memory.element_bits
        for element in range(value.width // width):
            part = builder.extract(value, element * width, width)
            index = element_index(builder, address, width // 8, element)
            builder.raw("store", [index, part, *_guard(enable)], 0, memory=memory.name)

    def block_operation(self, builder: Builder, kind: str, ref: llvm.Ref) -> None:
        """memcpy, memmove and memset of a known small size, element by element."""
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


def _guard(enable: Op) -> list[Op]:
    """The operand that makes an access conditional."""
    return [] if enable.kind == "constant" and enable.value else [enable]


INLINED = re.compile(r"(\.i\d*)+$")
"""What LLVM adds to the names of variables of functions that it takes in."""


def _memory_name(base: llvm.Ref, otherwise: str) -> str:
    """A memory's name begins those of its ports: `x_read` would have the ports of `x`."""
    name = plain(INLINED.sub("", banks_of(llvm.name(base))[0]), otherwise)
    return f"{name}_" if name.endswith(("_read", "_write")) else name
