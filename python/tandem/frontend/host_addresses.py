# SPDX-License-Identifier: Apache-2.0
"""What a call tells of the host's addresses: whether an argument is null, and where an array lies.

Each is a scalar beside the array (`Argument.tells_of`). With it, a pointer as a number is the same
in hardware as in the C: the address of the array and an offset. What lies inside of the hardware
has no address; so a constant whose address the host is given (a text, a table) is a variable of the
program's.
"""

from __future__ import annotations

from collections.abc import Callable

from tandem.frontend.addresses import (
    OFFSET_BITS,
    Address,
    Case,
    Pointer,
    byte_offset,
    choose,
    pointer_to,
)
from tandem.frontend.pointers import PointerFacts
from tandem.frontend.state import Importer
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.builder import Builder
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.names import unused_name
from tandem.ir.ops import Add, ArgumentOp, Eq, Op, Select, Sub, constant
from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode, Predicate

SHARED = (MemoryKind.ARGUMENT, MemoryKind.VARIABLE)
"""Kinds of memories that are the caller's."""
PAGE_BYTES = 4096
"""The least page of a host: in the first one no object lies, nor in the upper half of all numbers,
which is the operating system's (Linux, Documentation/arch/x86/x86_64/mm.rst and
Documentation/arch/arm64/memory.rst)."""
EQUALITIES = (Predicate.EQ, Predicate.NE)
CHOICES: dict[int, int] = {Opcode.PHI: 0, Opcode.SELECT: 1}
"""Opcodes of what chooses among its operands, and the first of these."""


def told(state: Importer, facts: PointerFacts) -> frozenset[llvm.Ref]:
    """The arrays whose addresses the host is given: in its memory, or as the result."""
    given: list[llvm.Ref] = []
    for ref in llvm.instructions([state.function]):
        opcode, operands = llvm.opcode_of(ref), llvm.operands(ref)
        is_stored = opcode == llvm.STORE and any(map(_is_hosts, facts.bases(operands[1])))
        given += operands[:1] if is_stored or opcode == llvm.RET else ()
    return frozenset(base for ref in given if llvm.is_pointer(ref) for base in facts.bases(ref))


def _is_hosts(base: llvm.Ref) -> bool:
    """Whether an array is the caller's: an argument, or a variable."""
    kind = llvm.call("GetValueKind", base)
    is_variable = kind == llvm.VALUE_GLOBAL and not llvm.call("IsGlobalConstant", base)
    return is_variable or kind == llvm.VALUE_ARGUMENT


class HostAddresses:
    """The scalars of a kernel that tell of its arrays."""

    def __init__(self, state: Importer) -> None:
        self.state = state
        self.marks: dict[Memory, int] = {}
        """What leads to no object, and is the number that it is: `(T *)-1`."""

    def is_given(self, memory: Memory) -> Op:
        """Whether an argument is not null; a block that the call makes never is."""
        is_made = self._pointer(memory).made
        return constant(1, 1) if is_made else self._told(memory, "has_{}", "_Bool", 1)

    def start_of(self, memory: Memory | None) -> Op | None:
        """Where an array of the caller lies; 0 for nowhere, None for what the host does not see, or
        only when the call has ended."""
        if memory is None:
            return constant(0, OFFSET_BITS)
        if memory in self.marks:
            return constant(self.marks[memory], OFFSET_BITS)
        if memory.kind not in SHARED or self._pointer(memory).made:
            return None
        return self._told(memory, "{}_address", "uint64_t", OFFSET_BITS)

    def may_overlap(self, one: Memory | None, other: Memory | None) -> bool:
        """Whether a directive says so of two arrays of the caller."""
        kernel = self.state.kernel
        names = {a.name for a in kernel.arguments if a.memory in (one, other) and a.memory}
        return len(names) > 1 and any(names <= {*group} for group in kernel.overlaps)

    def _pointer(self, memory: Memory) -> Argument:
        """The argument that is a pointer to an array."""
        return next(a for a in self.state.kernel.arguments if a.memory is memory)

    def _told(self, memory: Memory, name: str, c_type: str, width: int) -> Op:
        arguments = self.state.kernel.arguments
        pointer = self._pointer(memory)
        of_it = (a for a in arguments if a.tells_of == pointer.name)
        told = next((a for a in of_it if a.c_type == c_type), None)
        if told is None:
            name = unused_name(name.format(pointer.name), {a.name for a in arguments})
            op = ArgumentOp((), width, {"name": name}, name=name)
            told = Argument(
                name, ArgumentKind.SCALAR, "in", c_type, width, op=op, tells_of=pointer.name
            )
            arguments.append(told)
        assert told.op is not None
        return told.op

    def number(self, builder: Builder, pointer: Pointer, is_for_marks: bool = False) -> Op:
        """A pointer as the number that it is in the C. `is_for_marks`: it is only compared with
        marks. Raises UserError for one to what only the hardware has, unless for marks."""
        value: Op | None = None
        for case in pointer.cases:
            start = self.start_of(case.address.memory)
            if start is None and is_for_marks:
                here = constant(PAGE_BYTES, OFFSET_BITS)
            elif start is None:
                assert case.address.memory is not None
                raise self._unseen(case.address.memory)
            else:
                offset = byte_offset(builder, case.address)
                here = builder.build(Add, [start, offset], OFFSET_BITS)
            if value is not None:
                here = builder.build(Select, [case.chosen, here, value], OFFSET_BITS)
            value = here
        assert value is not None, "one case of every pointer is chosen"
        return value

    def _unseen(self, memory: Memory) -> Exception:
        is_made = memory.kind in SHARED
        why = (
            "what the call returns lies where the C alone has it, and only when it has ended"
            if is_made
            else "it lies inside the hardware, where the host sees nothing"
        )
        return self.state.error(
            "pointer",
            f"the address of `{memory.name}` as a number: {why}",
            "use an index in its place, or an array that the caller gives",
        )

    def pointer(self, builder: Builder, number: Op, memory: Memory) -> Pointer:
        """The pointer into an array that a number is: null, or somewhere behind its start."""
        start = self.start_of(memory)
        assert start is not None
        offset = builder.build(Sub, [number, start], OFFSET_BITS)
        inside = Pointer((Case(constant(1, 1), Address(memory, ((offset, 1),))),))
        is_null = builder.compare(Eq, number, constant(0, OFFSET_BITS))
        return choose(builder, is_null, pointer_to(None), inside)


def marked(pointer: llvm.Ref) -> int | None:
    """The number that a pointer is which leads to no object of any host's; None for any other."""
    if llvm.opcode_of(pointer) != Opcode.INT_TO_PTR or not llvm.call("IsConstant", pointer):
        return None
    number = llvm.constant_number(llvm.operands(pointer)[0])
    return number if number is not None and _is_mark(number) else None


def _is_mark(number: int) -> bool:
    return number < PAGE_BYTES or number >> (OFFSET_BITS - 1) == 1


def is_for_marks(number: llvm.Ref) -> bool:
    """Whether a pointer as a number is only told apart from numbers that lead to no object."""
    return all(map(_tells_marks_apart, llvm.users(number)))


def _tells_marks_apart(use: llvm.Ref) -> bool:
    opcode, operands = llvm.opcode_of(use), llvm.operands(use)
    if opcode == Opcode.SWITCH:
        cases = range(1, llvm.call("GetNumSuccessors", use))
        others = [llvm.call("GetSwitchCaseValue", use, case) for case in cases]
    elif opcode == Opcode.ICMP and llvm.call("GetICmpPredicate", use) in EQUALITIES:
        others = operands[1:]
    else:
        return False
    known = [llvm.constant_number(other) for other in others]
    return all(number is not None and _is_mark(number) for number in known)


def only_source(number: llvm.Ref, bases: Callable[[llvm.Ref], list[llvm.Ref]]) -> llvm.Ref | None:
    """The array that a number leads to which is made of pointers in any way: the only one of which
    any of it is made. None where there are more, or anything that it may be has no pointer in it.
    `bases`: the arrays that a pointer may lead to."""
    found: set[llvm.Ref] = set()
    chosen, work = {number}, [number]
    while work:
        value = work.pop()
        opcode = llvm.opcode_of(value)
        if opcode in CHOICES:
            parts = [o for o in llvm.operands(value)[CHOICES[opcode] :] if o not in chosen]
            chosen.update(parts)
            work += parts
        elif llvm.constant_number(value) != 0:
            here = {base for pointer in _pointers_in(value) for base in bases(pointer)}
            if not here:
                return None
            found |= here
    return found.pop() if len(found) == 1 else None


def _pointers_in(value: llvm.Ref) -> list[llvm.Ref]:
    """The pointers of which a number is made."""
    pointers, seen, work = [], {value}, [value]
    while work:
        part = work.pop()
        pointer = llvm.numbered_pointer(part)
        if pointer is not None:
            pointers.append(pointer)
            continue
        following = (
            [o for o in llvm.operands(part) if o not in seen] if llvm.opcode_of(part) else []
        )
        seen.update(following)
        work += following
    return pointers
