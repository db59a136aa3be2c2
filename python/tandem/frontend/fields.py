# SPDX-License-Identifier: Apache-2.0
"""Pointers in structs that the caller shares: `image->pixels[i]`, `s->state->window`, `*s->next++`.

Hardware cannot follow a pointer that it reads. But the pointer in a field is known before the call:
the stub reads it, and it is one more parameter of the kernel, behind the C's own. In LLVM's IR
each field has a variable, which begins with that parameter; reading the field reads the variable,
and writing to it writes to both, so that the caller finds the pointer that the C would have left. A
field of what a field leads to is found the same way, once LLVM has seen that it is one.

That nothing else writes to a field before it is read is checked by the trace of a call, for which
reading a field is still told (`FIELD`): others may lie there too, and what is written to its own
array, at an index that is not known, may be the field (it is open).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass

from tandem.frontend.pointers import PointerFacts, base_and_bytes
from tandem.frontend.program import MAIN
from tandem.ir.names import unused_name
from tandem.llvm import attributes, sizes
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute, replace, with_signature
from tandem.llvm.module import Module, edited, opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import POINTER_BYTES, call

FIELD = "tandem.field"
"""A function that is told where a field is that is read."""
PARENT, OFFSET = "tandem.parent", "tandem.offset"
"""Attributes of a parameter that is a field's: what holds the struct, and the byte in it."""
BLOCKS = ("llvm.memcpy", "llvm.memmove", "llvm.memset")
DEEPEST = 8
"""Fields of what fields lead to, so deep: a list has no end."""
_SAID: dict[str, int] = {
    **dict.fromkeys(("nounwind", "willreturn", "nocallback", "nofree", "nosync"), 0),
    "memory": 0b1101,
}
"""The attributes of that function: it reads what it is given, and writes to what nothing else has
(argmem: read, inaccessiblemem: readwrite)."""
_MEMBER = re.compile(r"[A-Za-z_]\w*?(?=\d*(?:\.i\d*)*\Z)")
"""What the C calls a member, in the name of a value, behind which LLVM has put numbers."""


@dataclass(frozen=True)
class Place:
    """Some bytes behind the start of a parameter, or of a variable of the program."""

    root: llvm.Ref
    offset: int


def with_fields(text: str, top: str) -> str | None:
    """The text of a module in which pointers that the function `top` reads from structs of the
    caller are parameters; None where there are none that are not."""
    return None if top == MAIN else edited(text, lambda module: _pass_fields(module, top))


def _pass_fields(module: Module, top: str) -> bool:
    function = module.function(top)
    found = _Fields(function) if function else None
    if found is None or not found.names:
        return False
    found.rewrite(module)
    return True


def reads_fields(text: str, names: Collection[str]) -> bool:
    """Whether one of some functions reads a pointer from what a parameter, or a variable, leads
    to."""
    with opened(text) as module:
        functions = [f for f in module.defined if llvm.name(f) in names]
        return any(_Fields(function).names for function in functions)


def field_of(function: llvm.Ref, index: int) -> tuple[str, int] | None:
    """What holds the struct whose field a parameter is, and the byte in it; None for others."""
    parent = attributes.string_attribute(function, index + 1, PARENT)
    offset = attributes.string_attribute(function, index + 1, OFFSET)
    return None if parent is None or offset is None else (parent, int(offset))


def named(module: llvm.Ref, function: llvm.Ref, parent: str) -> llvm.Ref:
    """What has the name that `field_of` tells."""
    if parent.startswith("@"):
        return llvm.call("GetNamedGlobal", module, parent[1:].encode())
    return next(ref for ref in llvm.parameters(function) if llvm.name(ref) == parent[1:])


class _Fields:
    """The fields of a function: a name for each place from which it reads a pointer."""

    def __init__(self, function: llvm.Ref) -> None:
        self.function = function
        self.names: dict[Place, str] = {}
        self.loads: dict[llvm.Ref, Place] = {}
        self.stores: dict[llvm.Ref, Place] = {}
        taken = {llvm.name(ref) for ref in llvm.parameters(function)}
        for ref in llvm.instructions([function]):
            place = _read_field(ref)
            if place is not None:
                self.loads[ref] = place
                if place not in self.names:
                    name = unused_name(_name(place, llvm.operands(ref)[0]), taken)
                    self.names[place] = name
                    taken.add(name)
        for ref in llvm.instructions([function]) if self.names else ():
            written = _written_field(ref)
            if written in self.names:
                self.stores[ref] = written

    def rewrite(self, module: Module) -> None:
        """Gives the function a parameter and a variable for each field."""
        # What holds the structs, before parameters are those of another function.
        said = {place: (_root_name(place.root), place.offset) for place in self.names}
        more = [(module.pointer, name) for name in self.names.values()]
        first = call("CountParams", self.function) + 1
        function = with_signature(module, self.function, more)
        builder = Builder(module).before(llvm.first_instruction(function))
        call("SetCurrentDebugLocation2", builder.ref, None)
        variables = {}
        for index, (place, name) in enumerate(self.names.items(), first):
            for key, value in zip((PARENT, OFFSET), said[place], strict=True):
                add_attribute(function, index, module.attribute(key, str(value)))
            variables[place] = builder.local(module.pointer, f"{name}.field")
            builder.store(llvm.parameters(function)[index - 1], variables[place])
        self._read_variables(module, variables)

    def _read_variables(self, module: Module, variables: dict[Place, llvm.Ref]) -> None:
        builder = Builder(module)
        for ref, place in self.loads.items():
            builder.before(ref).call(_told(module), llvm.operands(ref))
            replace(ref, builder.load(module.pointer, variables[place]))
        for ref, place in self.stores.items():
            builder.before(call("GetNextInstruction", ref))
            builder.store(llvm.operands(ref)[0], variables[place])


def _told(module: Module) -> llvm.Ref:
    """The function that is told where a field is."""
    if (found := module.function(FIELD)) is not None:
        return found
    made = module.declared(FIELD, module.void, [module.pointer])
    for word, value in _SAID.items():
        add_attribute(made, attributes.FUNCTION_INDEX, module.enum_attribute(word, value))
    add_attribute(made, 1, module.enum_attribute("captures"))
    return made


def _read_field(ref: llvm.Ref) -> Place | None:
    """The field that a load reads."""
    if llvm.opcode_of(ref) != llvm.LOAD or not llvm.is_pointer(ref) or llvm.is_volatile(ref):
        return None
    return place_of(llvm.operands(ref)[0])


def _written_field(ref: llvm.Ref) -> Place | None:
    """The field that a store writes to."""
    if llvm.opcode_of(ref) != llvm.STORE or not llvm.is_pointer(llvm.operands(ref)[0]):
        return None
    return place_of(llvm.operands(ref)[1])


def place_of(pointer: llvm.Ref) -> Place | None:
    """Where a pointer leads that is a parameter, or a variable that the program shares, and bytes
    that are known; None for any other."""
    root, offset = base_and_bytes(pointer)
    if offset is None or not _is_shared(root) or not llvm.name(root):
        return None
    return Place(root, offset)


def _is_shared(root: llvm.Ref) -> bool:
    kind = llvm.call("GetValueKind", root)
    if kind == llvm.VALUE_GLOBAL:
        return not llvm.call("IsGlobalConstant", root) and not llvm.call("IsThreadLocal", root)
    return kind == llvm.VALUE_ARGUMENT


def _root_name(root: llvm.Ref) -> str:
    sign = "@" if llvm.call("GetValueKind", root) == llvm.VALUE_GLOBAL else "%"
    return sign + llvm.name(root)


def _name(place: Place, pointer: llvm.Ref) -> str:
    """A name for a field: that of its struct, and LLVM's for the member, which is the C's."""
    own = _MEMBER.match(llvm.name(pointer)) if llvm.opcode_of(pointer) == Opcode.ADDRESS else None
    member = own[0] if own else f"at{place.offset}"
    return f"{llvm.name(place.root)}.{member}"


def open_fields(functions: Iterable[llvm.Ref], facts: PointerFacts) -> frozenset[Place]:
    """The fields to which some functions may write otherwise than as to a pointer."""
    instructions = list(llvm.instructions(functions))
    fields = {place for ref in instructions if (place := field_told(ref))}
    return frozenset(
        field
        for ref in (instructions if fields else ())
        for pointer, size in _written(ref)
        for field in fields
        if not (_stores_pointer(ref) and place_of(pointer) == field)
        and _may_meet(place_of(pointer), size, field, facts.bases(pointer))
    )


def _stores_pointer(ref: llvm.Ref) -> bool:
    return llvm.opcode_of(ref) == llvm.STORE and llvm.is_pointer(llvm.operands(ref)[0])


def field_told(ref: llvm.Ref) -> Place | None:
    """The field of which a call of `FIELD` tells; None for any other instruction."""
    if llvm.opcode_of(ref) != llvm.CALL or llvm.name(llvm.operands(ref)[-1]) != FIELD:
        return None
    return place_of(llvm.operands(ref)[0])


def _written(ref: llvm.Ref) -> list[tuple[llvm.Ref, int | None]]:
    """Where an instruction writes to, and how many bytes, if that is known."""
    if llvm.opcode_of(ref) == llvm.STORE:
        value, pointer = llvm.operands(ref)
        is_pointer = llvm.is_pointer(value)
        return [(pointer, POINTER_BYTES if is_pointer else sizes.stored_bytes(llvm.type_of(value)))]
    if llvm.opcode_of(ref) != llvm.CALL or not llvm.name(llvm.operands(ref)[-1]).startswith(BLOCKS):
        return []
    target, _, count = llvm.operands(ref)[:3]
    return [(target, llvm.constant_number(count))]


def _may_meet(place: Place | None, size: int | None, field: Place, bases: Container[int]) -> bool:
    """Whether bytes at a place may be some of a field. `bases`: the arrays that they may be in."""
    if place is None or size is None or place.root not in bases:
        return field.root in bases
    is_before = place.offset + size <= field.offset
    return (
        place.root == field.root and not is_before and place.offset < field.offset + POINTER_BYTES
    )
