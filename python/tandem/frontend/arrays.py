# SPDX-License-Identifier: Apache-2.0
"""Which memory each array of a function under import is."""

from __future__ import annotations

import re

from tandem.frontend.bounds import greatest
from tandem.frontend.dataflow import TURNS, in_turns
from tandem.frontend.fields import Place as FieldPlace
from tandem.frontend.fields import field_of, named, open_fields, place_of
from tandem.frontend.heap import IN_C
from tandem.frontend.host_addresses import SHARED, HostAddresses, marked, told
from tandem.frontend.members import NO_MEMBERS, Member, Members, member_name
from tandem.frontend.partitions import banks_of
from tandem.frontend.pointers import PointerFacts
from tandem.frontend.pointers_as_numbers import PointerNumbers
from tandem.frontend.state import Importer, outside_call
from tandem.frontend.streams import find_streams
from tandem.frontend.struct_layouts import Layout, declared_layout
from tandem.frontend.variables import source_name
from tandem.ir.argument import Argument, ArgumentKind, Field, Part, Variable
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.names import plain, port_stem, unused_name
from tandem.ir.traps import trap_of
from tandem.llvm import metadata, sizes
from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import POINTER_BYTES
from tandem.written import own_name

LARGEST_LOCAL_BYTES = 1 << 26
"""More than any device has inside."""
SPLIT = (*SHARED, MemoryKind.RAM, MemoryKind.ROM)
"""Kinds of memories that may be structs."""
INLINED = re.compile(r"(\.i\d*)+$")
"""What LLVM adds to the names of variables of functions that it takes in."""


class Arrays(PointerNumbers):
    """The arrays of a function under import, and the memories that they are."""

    def __init__(self, state: Importer, members: Members = NO_MEMBERS) -> None:
        self.state = state
        self.members = members
        self.split: dict[Member, Memory] = {}
        """Memories that are members of structs."""
        self.facts = PointerFacts(state.functions)
        self.streams = find_streams(state.functions, self.facts)
        self.told = frozenset[llvm.Ref]() if state.is_whole_program else told(state, self.facts)
        self.memories: dict[llvm.Ref, Memory] = {}
        self.bases: dict[Memory, llvm.Ref] = {}
        self.layouts: dict[llvm.Ref, Layout] = {}
        """Of the structs that could be taken apart."""
        self.images: dict[Memory, bytes] = {}
        self.in_turns: set[str] = set()
        """Arrays of which processes that run at the same time have another part each."""
        self.codes: dict[llvm.Ref, int] = {}
        """What stands in memory for each place that pointers in memory lead to."""
        self.host = HostAddresses(state)
        state.number = self._constant_number
        self.open = open_fields(state.functions, self.facts)
        self._read_arguments()
        self._split_structs()

    def memory(self, base: llvm.Ref) -> Memory | None:
        if llvm.call("GetValueKind", base) == llvm.VALUE_NULL:
            return None
        if base not in self.memories:
            self._set_memory(base, self._create(base))
        return self.memories[base]

    def _set_memory(self, base: llvm.Ref, memory: Memory) -> None:
        self.memories[base] = memory
        self.bases[memory] = base
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
            self.note_place(base)
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
        owner = next(a for a in self.state.kernel.arguments if a.memory is self.memory(root))
        return Field(owner.name, found[1], FieldPlace(root, found[1]) in self.open)

    def _open_field(self, pointer: llvm.Ref) -> str:
        """The argument of an open field that is at a place; empty where there is none."""
        place = place_of(pointer)
        if place is None or place not in self.open:
            return ""
        owner = self.memory(place.root)
        arguments = self.state.kernel.arguments
        parent = next(a.name for a in arguments if a.memory is owner)
        field = Field(parent, place.offset, True)
        return next((a.name for a in arguments if a.field == field), "")

    def _split_structs(self) -> None:
        """Has a memory for each member that is to be one: of a struct of the caller, an argument
        more."""
        for member in self.members.found:
            whole = self.memory(member.base)
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

    def note_place(self, ref: llvm.Ref) -> None:
        self.state.place = metadata.place_of(ref, self.state.place)


def _memory_name(base: llvm.Ref, otherwise: str) -> str:
    own = banks_of(source_name(llvm.name(base)))[0].partition(TURNS)[0]
    return port_stem(plain(own_name(INLINED.sub("", own)), otherwise))
