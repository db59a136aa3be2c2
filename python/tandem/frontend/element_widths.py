# SPDX-License-Identifier: Apache-2.0
"""How wide the elements of memories are, from the size and the offset of each access."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.frontend.arrays import Arrays
from tandem.frontend.fields import FIELD
from tandem.frontend.members import Piece
from tandem.frontend.partitions import MOST_BANKS, banks_of
from tandem.frontend.pointers import base_and_bytes, row_bytes
from tandem.frontend.pointers_as_numbers import is_variable
from tandem.frontend.state import no_number
from tandem.ir.memory import Memory, MemoryKind
from tandem.llvm import read as llvm
from tandem.llvm import sizes
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import POINTER_BYTES

WIDEST_ELEMENT_BYTES = 16
CONSOLE = frozenset({"stdin", "stdout", "stderr"})
"""Variables of the C library that only functions use of which no hardware is made."""


def measure_accesses(arrays: Arrays) -> None:
    """A memory's element is the widest that divides the size and the offset of each access."""
    widest: dict[Memory, int] = {}
    pieces: dict[Memory, int] = {}  # of the widest access of an element that is not always the same
    formats: dict[Memory, set[int]] = {}  # of floating-point numbers, 0 of anything else
    for ref in llvm.instructions(arrays.state.functions):
        arrays.note_place(ref)
        _note_rows(arrays, ref)
        for pointer, size, writes in _accesses(arrays, ref):
            float_bits = llvm.float_bits_accessed(ref)
            is_open = llvm.opcode_of(ref) != Opcode.CALL and base_and_bytes(pointer)[1] is None
            for memory, whole in _reached(arrays, ref, pointer, size, writes):
                widest[memory] = min(whole, widest.get(memory, whole))
                pieces[memory] = max(whole if is_open else 1, pieces.get(memory, 1))
                formats.setdefault(memory, set()).add(float_bits)
            _note_volatile(arrays, pointer, ref)
    for memory, size in widest.items():
        _set_element(arrays, memory, size)
    for argument in arrays.state.kernel.arguments:
        found = formats.get(argument.memory) if argument.memory else None
        if found and len(found) == 1:
            argument.float_bytes = max(found) // 8
    for base, memory in arrays.memories.items():
        if memory is not None and memory.kind is MemoryKind.RAM:
            _set_banks(arrays, base, memory, pieces.get(memory, 1) * 8 // memory.element_bits)


def _note_rows(arrays: Arrays, ref: llvm.Ref) -> None:
    rows = row_bytes(ref) if llvm.opcode_of(ref) == Opcode.ADDRESS else ()
    for base in arrays.facts.bases(ref) if rows else ():
        memory = arrays.memory(base)
        if memory is not None:
            memory.rows = tuple(sorted({*memory.rows, *rows}))


def _note_volatile(arrays: Arrays, pointer: llvm.Ref, ref: llvm.Ref) -> None:
    for base in arrays.facts.bases(pointer) if llvm.is_volatile(ref) else ():
        memory = arrays.memory(base)
        arrays.layouts.pop(base, None)
        for argument in arrays.state.kernel.arguments:
            is_private = argument.variable is not None and argument.variable.is_private
            if memory is not None and argument.memory is memory and not is_private:
                argument.is_volatile = True


def _accesses(arrays: Arrays, ref: llvm.Ref) -> list[tuple[llvm.Ref, int, bool]]:
    """(pointer, bytes, whether it writes) of each access that an instruction makes."""
    opcode = llvm.call("GetInstructionOpcode", ref)
    if opcode in (Opcode.LOAD, Opcode.STORE):
        pointer = llvm.operands(ref)[1 if opcode == Opcode.STORE else 0]
        if is_console(pointer):
            return []
        return [(pointer, _access_bytes(arrays, ref), opcode == Opcode.STORE)]
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
    arrays: Arrays, ref: llvm.Ref, pointer: llvm.Ref, size: int, writes: bool
) -> Iterator[tuple[Memory, int]]:
    """Each memory that an access may be of, and the bytes of the widest element that divides
    its size and offset there."""
    for base, power in arrays.facts.bases(pointer).items():
        offset = 1 << power
        for piece in arrays.members.pieces.get((ref, base, writes), [Piece(None, None, size)]):
            inside = arrays.split[piece.member] if piece.member else None
            memory = inside or arrays.memory(base)
            start = piece.member.start if piece.member else 0
            bits = piece.size | start | (offset if piece.offset is None else piece.offset)
            if memory is not None:
                yield memory, min(bits & -bits, WIDEST_ELEMENT_BYTES)


def _access_bytes(arrays: Arrays, ref: llvm.Ref) -> int:
    kind = llvm.type_accessed(ref)
    size = sizes.accessed_bytes(kind)
    if not size:
        raise no_number(arrays.state, kind, " in memory")
    return size


def _set_element(arrays: Arrays, memory: Memory, size: int) -> None:
    if memory.kind is MemoryKind.FIFO:
        return
    memory.element_bits = 8 * size
    if memory.depth is not None:
        memory.depth = -(-memory.depth // size)
    image = arrays.images.get(memory)
    if image is not None:
        image += bytes(-len(image) % size)
        memory.contents = tuple(
            int.from_bytes(image[i : i + size], "little") for i in range(0, len(image), size)
        )


def _set_banks(arrays: Arrays, base: llvm.Ref, memory: Memory, pieces: int) -> None:
    """Notes of how many memories a local array is to be made: as many as a directive says, or as
    there are pieces in the widest access, which then takes one cycle."""
    banks = banks_of(llvm.name(base))[1]
    elements = memory.depth or 1
    memory.banks = min(pieces if banks == 1 else banks, elements) if banks else elements
    if memory.banks > MOST_BANKS:
        raise arrays.state.error(
            "pragma",
            f"`{memory.name}` would be {memory.banks} memories, one for each element",
            f"say how many with `partition({memory.name}, N)`, N being at most {MOST_BANKS}",
        )


def is_console(ref: llvm.Ref) -> bool:
    """Whether a variable of the C library holds what is printed to."""
    return is_variable(ref) and llvm.name(ref) in CONSOLE and not llvm.call("GetInitializer", ref)
