# SPDX-License-Identifier: Apache-2.0
"""Where the members of structs begin. The C's types tell, which are gone once LLVM has been over a
module: before, parameters and accesses are given words that last."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tandem.frontend.dataflow import in_turns
from tandem.frontend.partitions import banks_of
from tandem.frontend.pointers import base_and_bytes
from tandem.llvm import attributes, metadata, sizes
from tandem.llvm import read as llvm
from tandem.llvm.edit import add_attribute
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode

MEMBERS = "tandem.members"
"""The attribute of a parameter that says where a struct's members begin, and where it ends; before
it, an annotation of an access says of which member's array it is."""


@dataclass(frozen=True)
class Layout:
    """Where the members of a struct begin, those of structs in it too, how these are `called` (see
    `_called`), and where it ends. What is behind a member up to the next one belongs to it."""

    starts: tuple[int, ...]
    called: tuple[str, ...]
    end: int

    def members(self, low: int, high: int) -> range:
        """The numbers of those that some bytes belong to."""
        first, last = (bisect_right(self.starts, byte) - 1 for byte in (low, high - 1))
        return range(first, last + 1)

    def place_of(self, called: str) -> tuple[int, int] | None:
        """(first, end) of the only member that is called so."""
        if self.called.count(called) != 1:
            return None
        i = self.called.index(called)
        return self.starts[i], [*self.starts, self.end][i + 1]

    def marked(self, access: llvm.Ref, known: int, steps: Sequence[int]) -> tuple[int, int] | None:
        """(first, end) of the array that an access is said to be of, so many bytes and indices that
        count such `steps` behind the struct's start; None where that is not said, or it may be of
        another struct behind this one."""
        place = self.place_of(marked_member(access))
        if place is None or not steps or max(steps) >= self.end:
            return None
        return place if abs(known - place[0]) < place[1] - place[0] else None


def layout_of(kind: llvm.Ref) -> Layout | None:
    """That of a type; None for what is no struct of several members."""
    found = dict(_members(kind, 0))
    starts = tuple(sorted(found))
    called = tuple(found[start] for start in starts)
    return Layout(starts, called, sizes.size_and_alignment(kind)[0]) if starts[1:] else None


def _members(kind: llvm.Ref, start: int, called: str = "") -> Iterator[tuple[int, str]]:
    """Arrays, those of structs too, and unions are one member."""
    if llvm.call("GetTypeKind", kind) != llvm.TYPE_STRUCT or sizes.is_union(kind):
        yield start, called
        return
    for i in range(llvm.call("CountStructElementTypes", kind)):
        inner = llvm.call("StructGetTypeAtIndex", kind, i)
        yield from _members(inner, start + sizes.field_offset(kind, i), _called(kind, i))


def member_at(kind: llvm.Ref, byte: int) -> tuple[llvm.Ref, str, int]:
    """The member, one of `_members`, that has a byte of a struct: its type, how it is called, and
    which of its bytes that is. A type without members is its own, called nothing."""
    called = ""
    while llvm.call("GetTypeKind", kind) == llvm.TYPE_STRUCT and not sizes.is_union(kind):
        count = llvm.call("CountStructElementTypes", kind)
        starts = [sizes.field_offset(kind, i) for i in range(count)]
        number = bisect_right(starts, byte) - 1
        if number < 0:
            break
        called, byte = _called(kind, number), byte - starts[number]
        kind = llvm.call("StructGetTypeAtIndex", kind, number)
    return kind, called, byte


def _called(kind: llvm.Ref, member: int) -> str:
    """A member of a struct, by its place in it and the struct's size: types' names do not last."""
    return f"{sizes.size_and_alignment(kind)[0]}.{sizes.field_offset(kind, member)}"


def declared_layout(function: llvm.Ref, base: llvm.Ref) -> Layout | None:
    """That of what begins at `base`: a variable of one of the C's types, which says no otherwise
    how it is to be stored, or what a parameter of the kernel's function leads to."""
    kind = llvm.call("GetValueKind", base)
    if banks_of(llvm.name(base))[1] != 1 or in_turns(llvm.name(base)):
        return None
    if kind == llvm.VALUE_GLOBAL:
        return layout_of(llvm.call("GlobalGetValueType", base))
    if llvm.opcode_of(base) == llvm.ALLOCA:
        is_one = llvm.constant_number(llvm.operands(base)[0]) == 1
        return layout_of(llvm.call("GetAllocatedType", base)) if is_one else None
    if kind == llvm.VALUE_ARGUMENT and base in llvm.parameters(function):
        index = llvm.parameters(function).index(base) + 1
        text = attributes.string_attribute(function, index, MEMBERS)
        return _read(text) if text else None
    return None


def _said(layout: Layout) -> str:
    """A layout as an attribute has it."""
    rows = (f"{s}={c}" for s, c in zip(layout.starts, layout.called, strict=True))
    return " ".join([*rows, str(layout.end)])


def _read(text: str) -> Layout:
    *rows, end = text.split(" ")
    starts, called = zip(*(row.split("=") for row in rows), strict=True)
    return Layout(tuple(map(int, starts)), called, int(end))


def mark_members(module: Module, top: llvm.Ref) -> bool:
    """In a module as clang made it, has the parameters of `top` say what structs they lead to, and
    accesses of which member's array they are: once LLVM has been over it, nothing else does."""
    layouts = [
        (i, found) for i, p in enumerate(llvm.parameters(top), 1) if (found := _layout_behind(p))
    ]
    for index, layout in layouts:
        add_attribute(top, index, module.attribute(MEMBERS, _said(layout)))
    addresses = {
        function: [ref for ref in llvm.instructions([function]) if _is_address(ref)]
        for function in _reached_from(module, top)
    }
    walked = _walked_types(ref for found in addresses.values() for ref in found)
    marked = False
    for function, found in addresses.items():
        members = _pointers_to_members(found, walked)
        for ref in llvm.instructions([function]) if members else ():
            is_access = llvm.opcode_of(ref) in (llvm.LOAD, llvm.STORE)
            called = members.get(llvm.pointer_accessed(ref)) if is_access else None
            if called is not None:
                module.annotate(ref, f"{MEMBERS} {called}")
                marked = True
    return marked or bool(layouts)


def _is_address(ref: llvm.Ref) -> bool:
    return llvm.call("GetInstructionOpcode", ref) == Opcode.ADDRESS


def _reached_from(module: Module, top: llvm.Ref) -> set[llvm.Ref]:
    """The functions that one calls, or names, and those that they do."""
    named: dict[llvm.Ref, list[llvm.Ref]] = {}
    for function in module.functions:
        for user in filter(llvm.is_instruction, llvm.users(function)):
            named.setdefault(llvm.function_of(user), []).append(function)
    found, work = set[llvm.Ref](), [top]
    while work:
        function = work.pop()
        if function not in found:
            found.add(function)
            work += named.get(function, [])
    return found


def _walked_types(addresses: Iterable[llvm.Ref]) -> set[llvm.Ref]:
    """Types of structs of which there are several side by side: with pointers from one to another,
    or arrays of them. `addresses`: the instructions that compute some."""
    found: set[llvm.Ref] = set()
    for ref in addresses:
        kind, first = llvm.call("GetGEPSourceElementType", ref), llvm.operands(ref)[1]
        if llvm.constant_number(first) != 0:
            found.add(kind)
        while llvm.call("GetTypeKind", kind) == llvm.TYPE_ARRAY:
            kind = llvm.call("GetElementType", kind)
            found.add(kind)
    return found


def _pointers_to_members(
    addresses: Iterable[llvm.Ref], walked: Collection[llvm.Ref]
) -> dict[llvm.Ref, str]:
    """Those of a function's `addresses` that lead to elements of arrays that are members of
    structs, but those `walked`, and how these members are called."""
    found: dict[llvm.Ref, str] = {}
    for ref in addresses:
        base, *indices = llvm.operands(ref)
        kind = llvm.call("GetGEPSourceElementType", ref)
        is_inside = len(indices) == 2 and llvm.constant_number(indices[0]) == 0
        which = llvm.call("GetTypeKind", kind) if is_inside else 0
        if which == llvm.TYPE_STRUCT and kind not in walked:
            number = llvm.constant_number(indices[1])
            assert number is not None
            inner = llvm.call("StructGetTypeAtIndex", kind, number)
            if _is_of_several(inner) and not sizes.is_union(kind):
                found[ref] = _called(kind, number)
        elif which == llvm.TYPE_ARRAY:
            called = found.get(base) or _array_of_variable(base, kind)
            if called:
                found[ref] = called
    return found


def _array_of_variable(pointer: llvm.Ref, kind: llvm.Ref) -> str:
    """How the member of a struct is called that is an array of some type, where a pointer is the
    constant address of it in a variable; empty for any other pointer."""
    variable, offset = base_and_bytes(pointer)
    if llvm.call("GetValueKind", variable) != llvm.VALUE_GLOBAL or offset is None:
        return ""
    inner, called, byte = member_at(llvm.call("GlobalGetValueType", variable), offset)
    return called if inner == kind and not byte and _is_of_several(kind) else ""


def _is_of_several(kind: llvm.Ref) -> bool:
    """Whether a type is that of an array of more than one element: what ends a struct may be
    declared shorter than it is."""
    is_array = llvm.call("GetTypeKind", kind) == llvm.TYPE_ARRAY
    return is_array and llvm.call("GetArrayLength2", kind) > 1


def marked_member(instruction: llvm.Ref) -> str:
    """How the member is called of which an access is said to be; empty where nothing is said."""
    marks = [mark.split(" ") for mark in metadata.annotated_with(instruction)]
    return next((mark[1] for mark in marks if mark[0] == MEMBERS), "")


def _layout_behind(parameter: llvm.Ref) -> Layout | None:
    """That of the largest struct that members are taken of by way of a parameter, or of those of
    functions that it is handed on to."""
    found: dict[int, llvm.Ref] = {}
    work, seen = [parameter], set[llvm.Ref]()
    while work:
        pointer = work.pop()
        if pointer in seen:
            continue
        seen.add(pointer)
        for user in llvm.users(pointer):
            kind = _struct_taken_apart(user, pointer)
            if kind is not None:
                found[sizes.size_and_alignment(kind)[0]] = kind
            work += _handed_on(user, pointer)
    return layout_of(found[max(found)]) if found else None


def _struct_taken_apart(user: llvm.Ref, pointer: llvm.Ref) -> llvm.Ref | None:
    """The struct at a pointer that an instruction takes a member of."""
    if llvm.opcode_of(user) != Opcode.ADDRESS or llvm.operands(user)[0] != pointer:
        return None
    kind = llvm.call("GetGEPSourceElementType", user)
    return kind if llvm.call("GetTypeKind", kind) == llvm.TYPE_STRUCT else None


def _handed_on(user: llvm.Ref, pointer: llvm.Ref) -> list[llvm.Ref]:
    """What a pointer is behind an instruction that stores it, or gives it to a function."""
    opcode = llvm.opcode_of(user)
    if opcode == llvm.STORE and llvm.operands(user)[0] == pointer:
        return _read_back(llvm.operands(user)[1])
    if opcode == llvm.CALL:
        return [inner for inner, value in llvm.passed(user) if value == pointer]
    return []


def _read_back(variable: llvm.Ref) -> list[llvm.Ref]:
    """The pointers that are read from a local variable."""
    if llvm.opcode_of(variable) != llvm.ALLOCA:
        return []
    return [user for user in llvm.users(variable) if llvm.opcode_of(user) == llvm.LOAD]
