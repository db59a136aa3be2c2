# SPDX-License-Identifier: Apache-2.0
"""Arrays during import: what they are, how wide their elements, and every access to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tandem.diagnostics import Place, UserError
from tandem.frontend.addresses import (
    OFFSET_BITS,
    Address,
    Case,
    Incomparable,
    Pointer,
    choose,
    compare,
    decode,
    difference,
    element_index,
    encode,
    is_below,
    moved,
    phi_arguments,
    phi_parameters,
    phi_pointer,
    pointer_to,
)
from tandem.frontend.bounds import greatest
from tandem.frontend.dataflow import TURNS, in_turns
from tandem.frontend.fields import FIELD, field_of, named, open_fields, place_of
from tandem.frontend.fields import Place as FieldPlace
from tandem.frontend.heap import IN_C
from tandem.frontend.host_addresses import SHARED, HostAddresses, marked, told
from tandem.frontend.members import (
    NO_MEMBERS,
    Access,
    Member,
    Members,
    Piece,
    find_members,
    member_name,
)
from tandem.frontend.partitions import MOST_BANKS, banks_of
from tandem.frontend.pointers import PointerFacts, gep_terms, row_bytes
from tandem.frontend.pointers_as_numbers import NOWHERE, PointerNumbers, is_variable
from tandem.frontend.state import Importer, no_number, outside_call, value_of
from tandem.frontend.streams import find_streams
from tandem.frontend.struct_layouts import Layout, declared_layout
from tandem.frontend.variables import source_name
from tandem.ir.argument import Argument, ArgumentKind, Field, Part, Variable
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.names import plain, port_stem, unused_name
from tandem.ir.ops import Compare, Constant, Load, Op, Rom, Select, Store, constant
from tandem.ir.traps import trap_of
from tandem.llvm import read as llvm
from tandem.llvm import sizes
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import POINTER_BYTES
from tandem.written import own_name

BLOCK_OPERATION_LIMIT_BYTES = 4096
WIDEST_ELEMENT_BYTES = 16
LARGEST_LOCAL_BYTES = 1 << 26
"""More than any device has inside."""
FUNCTION = llvm.VALUE_FUNCTION
SPLIT = (*SHARED, MemoryKind.RAM, MemoryKind.ROM)
"""Kinds of memories that may be structs."""
CONSOLE = frozenset({"stdin", "stdout", "stderr"})
"""Variables of the C library that only functions use of which no hardware is made."""


class MemoryTable(PointerNumbers):
    """The memories of a function under import."""

    def __init__(self, state: Importer, members: Members = NO_MEMBERS) -> None:
        self.state = state
        self.members = members
        self.split: dict[Member, Memory] = {}
        """Memories that are members of structs."""
        self.accesses: list[tuple[Access, Block]] = []
        """What is read and written, and where in the kernel."""
        self._current: llvm.Ref = 0
        """The instruction that does so."""
        self.facts = PointerFacts(state.functions)
        self.streams = find_streams(state.functions, self.facts)
        self.told = frozenset[llvm.Ref]() if state.is_whole_program else told(state, self.facts)
        self.memories: dict[llvm.Ref, Memory] = {}
        self._bases: dict[Memory, llvm.Ref] = {}
        self.layouts: dict[llvm.Ref, Layout] = {}
        """Of the structs that could be taken apart."""
        self.images: dict[Memory, bytes] = {}
        self._formats: dict[Memory, set[int]] = {}
        """Widths of the floating-point numbers that a memory is accessed as; 0 of anything else."""
        self.in_turns: set[str] = set()
        """Arrays of which processes that run at the same time have another part each."""
        self.codes: dict[llvm.Ref, int] = {}
        """What stands in memory for each place that pointers in memory lead to."""
        self.host = HostAddresses(state)
        state.number = self._constant_number
        self.open = open_fields(state.functions, self.facts)
        self._read_arguments()
        self._split_structs()
        self._measure_accesses()

    # -- which memory ---------------------------------------------------------------------------

    def _memory(self, base: llvm.Ref) -> Memory | None:
        if llvm.call("GetValueKind", base) == llvm.VALUE_NULL:
            return None
        if base not in self.memories:
            self._set_memory(base, self._create(base))
        return self.memories[base]

    def _set_memory(self, base: llvm.Ref, memory: Memory) -> None:
        self.memories[base] = memory
        self._bases[memory] = base
        layout = declared_layout(self.state.function, base)
        if layout is not None and memory.kind in SPLIT:
            self.layouts[base] = layout

    def _create(self, base: llvm.Ref) -> Memory:
        kind = llvm.call("GetValueKind", base)
        opcode = llvm.call("GetInstructionOpcode", base) if kind == llvm.VALUE_INSTRUCTION else 0
        if base in self.streams:
            return self._fifo(base)
        if kind == llvm.VALUE_GLOBAL:
            return self._global(base)
        if kind == llvm.VALUE_FUNCTION:
            return Memory(llvm.name(base), MemoryKind.NOWHERE, 8, 0)
        number = marked(base)
        if number is not None:
            memory = Memory(f"{number:#x}", MemoryKind.NOWHERE, 8, 0)
            self.host.marks[memory] = number
            return memory
        if opcode == Opcode.ALLOCA:
            return self._local(base)
        if opcode == Opcode.CALL:
            self._note_place(base)
            callee = llvm.name(llvm.call("GetCalledValue", base))
            raise outside_call(self.state, IN_C.get(callee, callee))
        raise self._untraceable(base)

    def _fifo(self, base: llvm.Ref) -> Memory:
        stream = self.streams[base]
        is_variable = llvm.call("GetValueKind", base) == llvm.VALUE_GLOBAL
        kind = llvm.call("GlobalGetValueType" if is_variable else "GetAllocatedType", base)
        if sizes.size_and_alignment(kind)[0] != POINTER_BYTES:
            raise self.state.error(
                "stream",
                f"`{llvm.name(base)}` holds more than one stream",
                "declare each stream as a variable of its own",
            )
        name = _memory_name(base, "stream")
        memory = Memory(name, MemoryKind.FIFO, stream.record_bits, stream.depth)
        return self.state.kernel.add_memory(memory)

    def _local(self, base: llvm.Ref) -> Memory:
        """A local array, as large as the largest of its sizes."""
        count = greatest(llvm.operands(base)[0], base)
        size = sizes.size_and_alignment(llvm.call("GetAllocatedType", base))[0]
        if count is None or count * size > LARGEST_LOCAL_BYTES:
            raise self.state.error(
                "array-size",
                f"nothing says how large the local array `{llvm.name(base)}` can become",
                "give it a fixed size, or bound the number where it is declared: `[n & 63]`",
            )
        name = _memory_name(base, "array")
        memory = self.state.kernel.add_memory(Memory(name, MemoryKind.RAM, 8, count * size))
        if in_turns(llvm.name(base)):
            self.in_turns.add(memory.name)
        return memory

    def _global(self, base: llvm.Ref) -> Memory:
        trap = trap_of(llvm.name(base))
        if trap is not None:
            return self.state.kernel.add_memory(trap)
        name = source_name(llvm.name(base))
        is_constant = llvm.call("IsGlobalConstant", base)
        has_image = llvm.call("GetInitializer", base)
        is_own = is_constant or self.state.is_whole_program
        if not has_image or not is_own or base in self.told:
            return self._variable(base)
        kind = llvm.call("GlobalGetValueType", base)
        try:
            image = sizes.constant_bytes(llvm.call("GetInitializer", base), kind, self._encoded)
        except ValueError:
            raise self.state.error(
                "table",
                f"`{name}` holds more than numbers and pointers to variables and functions",
                "use a switch in place of a table of labels",
            ) from None
        memory = Memory(
            _memory_name(base, "table"),
            MemoryKind.ROM if is_constant else MemoryKind.RAM,
            8,
            len(image),
        )
        self.images[memory] = image
        return self.state.kernel.add_memory(memory)

    def _variable(self, base: llvm.Ref) -> Memory:
        """A variable that the kernel and the rest of the program share: its bytes come and go with
        a call, as those of an argument do."""
        if llvm.call("IsThreadLocal", base):
            raise self.state.error(
                "global",
                f"`{source_name(llvm.name(base))}` is another variable in every thread",
                "pass it as an argument",
            )
        memory = Memory(_memory_name(base, "variable"), MemoryKind.VARIABLE, 8)
        name = unused_name(memory.name, {a.name for a in self.state.kernel.arguments})
        size = sizes.size_and_alignment(llvm.call("GlobalGetValueType", base))[0]
        argument = Argument(name, ArgumentKind.POINTER, "in", "void *", memory=memory)
        is_private = llvm.call("GetVisibility", base) == llvm.HIDDEN and base not in self.facts.held
        argument.variable = Variable(llvm.name(base), size, is_private)
        self.state.kernel.arguments.append(argument)
        return self.state.kernel.add_memory(memory)

    def _read_arguments(self) -> None:
        for i, argument in enumerate(list(self.state.kernel.arguments)):
            if argument.kind is ArgumentKind.POINTER:
                ref = llvm.call("GetParam", self.state.function, i)
                memory = Memory(_memory_name(ref, "array"), MemoryKind.ARGUMENT, 8)
                argument.memory = self.state.kernel.add_memory(memory)
                self._set_memory(ref, memory)
                argument.field = self._field(i)

    def _field(self, position: int) -> Field | None:
        """The field that a parameter stands for."""
        found = field_of(self.state.function, position)
        if found is None:
            return None
        root = named(self.state.module, self.state.function, found[0])
        owner = next(a for a in self.state.kernel.arguments if a.memory is self._memory(root))
        return Field(owner.name, found[1], FieldPlace(root, found[1]) in self.open)

    def _open_field(self, pointer: llvm.Ref) -> str:
        """The argument of an open field that is at a place; empty where there is none."""
        place = place_of(pointer)
        if place is None or place not in self.open:
            return ""
        owner = self._memory(place.root)
        arguments = self.state.kernel.arguments
        parent = next(a.name for a in arguments if a.memory is owner)
        field = Field(parent, place.offset, True)
        return next((a.name for a in arguments if a.field == field), "")

    def found_members(self) -> Members:
        """The members of structs that can be memories of their own, once all accesses are made."""
        kernel, layouts = self.state.kernel, dict(self.layouts)
        joined = {name for group in kernel.overlaps for name in group}
        shared: set[llvm.Ref] = set()
        for argument in kernel.arguments:
            if argument.memory is not None:
                base = self._bases[argument.memory]
                shared.add(base)
                if argument.name in joined or argument.made:
                    layouts.pop(base, None)
        return find_members(kernel, self.accesses, layouts, shared)

    def _split_structs(self) -> None:
        """Has a memory for each member that is to be one: of a struct of the caller, an argument
        more."""
        for member in self.members.found:
            whole = self._memory(member.base)
            assert whole is not None
            name = member_name(self.state.functions, member)
            if whole.kind in SHARED:
                self.split[member] = self._part(member, whole, name)
            else:
                size = member.end - member.start
                own = Memory(f"{whole.name}_{name}", whole.kind, 8, size)
                if whole in self.images:
                    self.images[own] = self.images[whole][member.start : member.end]
                self.split[member] = self.state.kernel.add_memory(own)
                self.state.kernel.memories.pop(whole.name, None)  # nothing reaches it

    def _part(self, member: Member, whole: Memory, name: str) -> Memory:
        arguments = self.state.kernel.arguments
        parent = next(a.name for a in arguments if a.memory is whole)
        own = port_stem(f"{whole.name}_{name}")
        memory = self.state.kernel.add_memory(Memory(own, whole.kind, 8))
        name = unused_name(f"{parent}.{name}", {a.name for a in arguments})
        argument = Argument(name, ArgumentKind.POINTER, "in", "void *", memory=memory)
        argument.part = Part(parent, member.start, member.end - member.start)
        arguments.append(argument)
        return memory

    # -- how wide -------------------------------------------------------------------------------

    def _measure_accesses(self) -> None:
        """A memory's element is the widest that divides the size and the offset of each access."""
        widest: dict[Memory, int] = {}
        for ref in llvm.instructions(self.state.functions):
            self._note_place(ref)
            self._note_rows(ref)
            for pointer, size, writes in self._accesses(ref):
                float_bits = llvm.float_bits_accessed(ref)
                for memory, whole in self._reached(ref, pointer, size, writes):
                    widest[memory] = min(whole, widest.get(memory, whole))
                    self._formats.setdefault(memory, set()).add(float_bits)
                self._note_volatile(pointer, ref)
        for memory, size in widest.items():
            self._set_element(memory, size)
        for argument in self.state.kernel.arguments:
            formats = self._formats.get(argument.memory) if argument.memory else None
            if formats and len(formats) == 1:
                argument.float_bytes = max(formats) // 8
        for base, memory in self.memories.items():
            if memory is not None and memory.kind is MemoryKind.RAM:
                self._set_banks(base, memory)

    def _note_rows(self, ref: llvm.Ref) -> None:
        rows = row_bytes(ref) if llvm.opcode_of(ref) == Opcode.ADDRESS else ()
        for base in self.facts.bases(ref) if rows else ():
            memory = self._memory(base)
            if memory is not None:
                memory.rows = tuple(sorted({*memory.rows, *rows}))

    def _note_volatile(self, pointer: llvm.Ref, ref: llvm.Ref) -> None:
        for base in self.facts.bases(pointer) if llvm.is_volatile(ref) else ():
            memory = self._memory(base)
            self.layouts.pop(base, None)
            for argument in self.state.kernel.arguments:
                is_private = argument.variable is not None and argument.variable.is_private
                if memory is not None and argument.memory is memory and not is_private:
                    argument.is_volatile = True

    def _note_place(self, ref: llvm.Ref) -> None:
        file, line = llvm.location(ref)
        if line:
            self.state.place = Place(file, line)

    def _accesses(self, ref: llvm.Ref) -> list[tuple[llvm.Ref, int, bool]]:
        """(pointer, bytes, whether it writes) of each access that an instruction makes."""
        opcode = llvm.call("GetInstructionOpcode", ref)
        if opcode in (Opcode.LOAD, Opcode.STORE):
            pointer = llvm.operands(ref)[1 if opcode == Opcode.STORE else 0]
            if _is_console(pointer):
                return []
            return [(pointer, self._access_bytes(ref), opcode == Opcode.STORE)]
        if opcode == Opcode.CALL:
            callee = llvm.name(llvm.call("GetCalledValue", ref))
            if callee == FIELD:
                return [(llvm.operands(ref)[0], POINTER_BYTES, False)]
            if callee.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
                pointers = llvm.operands(ref)[: 1 if "memset" in callee else 2]
                length = llvm.constant_number(llvm.operands(ref)[2])
                return [(p, length or 1, i == 0) for i, p in enumerate(pointers)]
        return []

    def _reached(
        self, ref: llvm.Ref, pointer: llvm.Ref, size: int, writes: bool
    ) -> Iterator[tuple[Memory, int]]:
        """Each memory that an access may be of, and the bytes of the widest element that divides
        its size and offset there."""
        for base, power in self.facts.bases(pointer).items():
            offset = 1 << power
            for piece in self.members.pieces.get((ref, base, writes), [Piece(None, None, size)]):
                inside = self.split[piece.member] if piece.member else None
                memory = inside or self._memory(base)
                start = piece.member.start if piece.member else 0
                bits = piece.size | start | (offset if piece.offset is None else piece.offset)
                if memory is not None:
                    yield memory, min(bits & -bits, WIDEST_ELEMENT_BYTES)

    def _access_bytes(self, ref: llvm.Ref) -> int:
        kind = llvm.type_accessed(ref)
        if llvm.call("GetTypeKind", kind) == llvm.TYPE_POINTER:
            return POINTER_BYTES
        if not llvm.number_bits(kind):
            raise no_number(self.state, kind, " in memory")
        return sizes.stored_bytes(kind)

    def _set_element(self, memory: Memory, size: int) -> None:
        if memory.kind is MemoryKind.FIFO:
            return
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
        if kind == llvm.VALUE_EXPRESSION and llvm.call("GetConstOpcode", ref) == Opcode.ADDRESS:
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
            if isinstance(value, Constant):
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

    def compare(
        self, builder: Builder, predicate: type[Compare], left: llvm.Ref, right: llvm.Ref
    ) -> Op:
        """The outcome of a comparison of two pointers."""
        sides = self.pointer(builder, left), self.pointer(builder, right)
        try:
            return compare(builder, predicate, sides, self.host)
        except Incomparable as pair:
            raise self._pointer_compare(pair.memories, "compared") from None

    def is_below(self, builder: Builder, left: llvm.Ref, right: llvm.Ref) -> Op:
        """Whether a pointer is below another, if both lead to one array or may."""
        sides = self.pointer(builder, left), self.pointer(builder, right)
        return is_below(builder, *sides, self.host)

    def difference(self, builder: Builder, left: llvm.Ref, right: llvm.Ref) -> Op:
        """The bytes between two pointers."""
        sides = self.pointer(builder, left), self.pointer(builder, right)
        try:
            return difference(builder, *sides, self.host)
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

    def load(self, builder: Builder, ref: llvm.Ref) -> Op | Pointer:
        """The value of an LLVM load."""
        self._current = ref
        kind = llvm.call("TypeOf", ref)
        if _is_console(llvm.operands(ref)[0]):
            return pointer_to(None)
        pointer = self._target(builder, llvm.operands(ref)[0])
        if llvm.is_pointer(ref):
            holding = self._followable(builder, self._holding(pointer))
            return decode(builder, self._read(builder, holding, POINTER_BYTES), self._held())
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
        base = self._bases[address.memory]
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
        kinds = [self._memory(base) for base in self.facts.bases(llvm.operands(ref)[0])]
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


def _is_console(ref: llvm.Ref) -> bool:
    """Whether a variable of the C library holds what is printed to."""
    return is_variable(ref) and llvm.name(ref) in CONSOLE and not llvm.call("GetInitializer", ref)


def _guard(enable: Op) -> list[Op]:
    """The operand that makes an access conditional."""
    return [] if isinstance(enable, Constant) and enable.value else [enable]


INLINED = re.compile(r"(\.i\d*)+$")
"""What LLVM adds to the names of variables of functions that it takes in."""


def _memory_name(base: llvm.Ref, otherwise: str) -> str:
    own = banks_of(source_name(llvm.name(base)))[0].partition(TURNS)[0]
    return port_stem(plain(own_name(INLINED.sub("", own)), otherwise))
