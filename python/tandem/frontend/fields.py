# SPDX-License-Identifier: Apache-2.0
"""Pointers in structs that the caller shares: `image->pixels[i]`, `s->state->window`, `*s->next++`.

Hardware cannot follow a pointer that it reads. But the pointer in a field is known before the call:
the stub reads it, and it is one more parameter of the kernel, behind the C's own. In LLVM's text
each field has a variable, which begins with that parameter; reading the field reads the variable,
and writing to it writes to both, so that the caller finds the pointer that the C would have left. A
field of what a field leads to is found the same way, once LLVM has seen that it is one.

That nothing else writes to a field before it is read is checked by the trace of a call, for which
reading a field is still told (`FIELD`): others may lie there too, and what is written to its own
array, at an index that is not known, may be the field (it is open).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass

from tandem.frontend.pointers import GEP, PointerFacts, gep_terms
from tandem.frontend.program import MAIN
from tandem.frontend.symbols import symbol
from tandem.frontend.text import function_text
from tandem.ir.names import unused_name
from tandem.llvm import read as llvm
from tandem.llvm import sizes
from tandem.llvm.read import POINTER_BYTES

FIELD = "tandem.field"
"""A function that is told where a field is that is read."""
PARENT, OFFSET = "tandem.parent", "tandem.offset"
"""Attributes of a parameter that is a field's: what holds the struct, and the byte in it."""
BLOCKS = ("llvm.memcpy", "llvm.memmove", "llvm.memset")
DEEPEST = 8
"""Fields of what fields lead to, so deep: a list has no end."""
_DECLARED = (
    f"declare void @{FIELD}(ptr captures(none)) nounwind willreturn nocallback nofree nosync "
    "memory(argmem: read, inaccessiblemem: readwrite)"
)
_MEMBER = re.compile(r"[A-Za-z_]\w*?(?=\d*(?:\.i\d*)*\Z)")


@dataclass(frozen=True)
class Place:
    """Some bytes behind the start of a parameter, or of a variable of the program."""

    root: llvm.Ref
    offset: int


def with_fields(text: str, top: str) -> str | None:
    """The text of a module in which pointers that the function `top` reads from structs of the
    caller are parameters; None where there are none that are not."""
    if top == MAIN or "load ptr, ptr " not in (function_text(text, top) or ""):
        return None
    _, module = llvm.parse(text)
    function = next(f for f in llvm.children(module, "Function") if llvm.name(f) == top)
    found = _Fields(function)
    return found.rewritten(text) if found.names else None


def reads_fields(text: str, names: Collection[str]) -> bool:
    """Whether one of some functions reads a pointer from what a parameter, or a variable, leads
    to."""
    _, module = llvm.parse(text)
    functions = [f for f in llvm.children(module, "Function") if llvm.name(f) in names]
    return any(_Fields(function).names for function in functions)


def field_of(function: llvm.Ref, index: int) -> tuple[str, int] | None:
    """What holds the struct whose field a parameter is, and the byte in it; None for others."""
    parent = llvm.string_attribute(function, index + 1, PARENT)
    offset = llvm.string_attribute(function, index + 1, OFFSET)
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
        self.loads: dict[str, Place] = {}
        self.stores: dict[str, tuple[Place, str]] = {}
        taken = {llvm.name(ref) for ref in llvm.parameters(function)}
        for ref in llvm.instructions([function]):
            place = _read_field(ref)
            if place is not None:
                self.loads[llvm.text(ref)] = place
                if place not in self.names:
                    name = unused_name(_name(place, llvm.operands(ref)[0]), taken)
                    self.names[place] = name
                    taken.add(name)
        for ref in llvm.instructions([function]) if self.names else ():
            written = _written_field(ref)
            if written is not None and written[0] in self.names:
                self.stores[llvm.text(ref)] = written

    def rewritten(self, text: str) -> str:
        """The module's text with a parameter and a variable for each field."""
        name = llvm.name(self.function)
        before = function_text(text, name)
        assert before is not None
        head, _, body = before.partition("\n")
        lines = [line for old in body.split("\n") for line in self._line(old)]
        position = 1 if re.match(r'(?:[-\w$.]+|"[^"]*"):', lines[0]) else 0
        lines[position:position] = [line for n in self.names.values() for line in _begun(n)]
        after = "\n".join([self._head(head, name), *lines])
        declared = "" if f"@{FIELD}(" in text else f"\n{_DECLARED}\n"
        return text.replace(before, after, 1) + declared

    def _head(self, head: str, name: str) -> str:
        start = head.index(f"@{symbol(name)}(") + len(symbol(name)) + 2
        depth, end = 1, start
        while depth:
            depth += {"(": 1, ")": -1}.get(head[end], 0)
            end += 1
        comma = ", " if llvm.parameters(self.function) else ""
        added = ", ".join(
            f'ptr "{PARENT}"="{_root_name(place.root)}" "{OFFSET}"="{place.offset}" %"{name}"'
            for place, name in self.names.items()
        )
        return f"{head[: end - 1]}{comma}{added}{head[end - 1 :]}"

    def _line(self, line: str) -> Iterator[str]:
        plain = line.strip()
        if plain in self.loads:
            pointer = re.search(r"load ptr, (ptr .+), align", plain)
            assert pointer is not None
            yield f"  call void @{FIELD}({pointer[1]}){_location(plain)}"
            result = plain.partition(" = ")[0]
            variable = _variable(self.names[self.loads[plain]])
            yield f"  {result} = load ptr, ptr {variable}, align {POINTER_BYTES}{_location(plain)}"
            return
        yield line
        if plain in self.stores:
            place, value = self.stores[plain]
            yield f"  store ptr {value}, ptr {_variable(self.names[place])}, align {POINTER_BYTES}"


def _begun(name: str) -> list[str]:
    return [
        f"  {_variable(name)} = alloca ptr, align {POINTER_BYTES}",
        f'  store ptr %"{name}", ptr {_variable(name)}, align {POINTER_BYTES}',
    ]


def _variable(name: str) -> str:
    return f'%"{name}.field"'


def _location(line: str) -> str:
    found = re.search(r", !dbg !\d+", line)
    return found[0] if found else ""


def _read_field(ref: llvm.Ref) -> Place | None:
    """The field that a load reads."""
    if llvm.opcode_of(ref) != llvm.LOAD or not llvm.is_pointer(ref) or llvm.is_volatile(ref):
        return None
    return place_of(llvm.operands(ref)[0])


def _written_field(ref: llvm.Ref) -> tuple[Place, str] | None:
    """The field that a store writes to, and LLVM's words for what it stores."""
    if llvm.opcode_of(ref) != llvm.STORE or not llvm.is_pointer(llvm.operands(ref)[0]):
        return None
    place = place_of(llvm.operands(ref)[1])
    value = re.match(r"store (?:volatile )?ptr (.+), ptr .+, align", llvm.text(ref))
    return None if place is None or value is None else (place, value[1])


def place_of(pointer: llvm.Ref) -> Place | None:
    """Where a pointer leads that is a parameter, or a variable that the program shares, and bytes
    that are known; None for any other."""
    offset = 0
    while llvm.opcode_of(pointer) == GEP:
        known, terms = gep_terms(pointer)
        if any(llvm.constant_number(index) is None for index, _ in terms):
            return None
        offset += known + sum(llvm.signed_number(index) * size for index, size in terms)
        pointer = llvm.operands(pointer)[0]
    return Place(pointer, offset) if _is_shared(pointer) and llvm.name(pointer) else None


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
    own = _MEMBER.match(llvm.name(pointer)) if llvm.opcode_of(pointer) == GEP else None
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
