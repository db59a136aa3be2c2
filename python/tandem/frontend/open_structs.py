# SPDX-License-Identifier: Apache-2.0
"""Structs by value that hold pointers: `struct view { int *first; size_t count; }`.

What is behind such a pointer only a parameter of its own can lead to. Clang hands the parts of such
a struct on in registers, which are parameters already (`%in.coerce0`); here they get the names that
C has for them (`%in.first`), for reports and directives to speak of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tandem.llvm import read as llvm
from tandem.llvm.edit import rename
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, opcode_of, operands

_PART = ".coerce"


def name_members(module: Module) -> bool:
    """Names the parts of such structs in a module as clang makes it."""
    structs = [(parts, f) for f in module.defined for parts in _structs(f).values()]
    structs = [(parts, f) for parts, f in structs if any(map(llvm.is_pointer, parts))]
    for found, function in structs:
        struct = llvm.name(found[0]).partition(_PART)[0]
        for part, member in zip(found, _members(struct, found, function, module), strict=True):
            rename(part, f"{struct}.{member}")
    return bool(structs)


def _structs(function: Ref) -> dict[str, list[Ref]]:
    """The structs that a function is given in parts, with these."""
    found: dict[str, list[Ref]] = defaultdict(list)
    for parameter in llvm.parameters(function):
        struct, is_part, number = llvm.name(parameter).partition(_PART)
        if is_part and (not number or number.isdigit()):
            found[struct].append(parameter)
    return found


def _members(struct: str, parts: list[Ref], function: Ref, module: Module) -> list[str]:
    """The names of a struct's members, as the C uses them; a number for one that it does not use,
    or where the parts are not the members."""
    numbers = [str(i) for i in range(len(parts))]
    kind = next(_types_of(struct, function), None)
    if kind is None or call("CountStructElementTypes", kind) != len(parts):
        return numbers
    uses = [_uses(kind, i, module) for i in range(len(parts))]
    # The first of equal names is as it is in C; LLVM puts numbers behind others of a function.
    return [min(u, key=len, default=n) for u, n in zip(uses, numbers, strict=True)]


def _types_of(variable: str, function: Ref) -> Iterator[Ref]:
    """The named structs that local variables of a name are."""
    for ref in llvm.instructions([function]):
        if opcode_of(ref) == Opcode.ALLOCA and llvm.name(ref) == variable:
            kind = call("GetAllocatedType", ref)
            is_struct = call("GetTypeKind", kind) == llvm.TYPE_STRUCT
            yield from [kind] if is_struct and call("GetStructName", kind) else []


def _uses(kind: Ref, member: int, module: Module) -> list[str]:
    """What the addresses of a member are called, wherever it is used."""
    found = [ref for ref in llvm.instructions(module.defined) if _is_of(ref, kind, member)]
    return [name for ref in found if (name := llvm.name(ref)).isidentifier()]


def _is_of(ref: Ref, kind: Ref, member: int) -> bool:
    """Whether an instruction finds the address of a struct's member."""
    if opcode_of(ref) != Opcode.ADDRESS or call("GetGEPSourceElementType", ref) != kind:
        return False
    return [llvm.constant_number(index) for index in operands(ref)[1:]] == [0, member]
