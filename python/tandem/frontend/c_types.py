# SPDX-License-Identifier: Apache-2.0
"""Types as the C has them: what a function takes and returns, and what variables are, from what
debuggers are told. LLVM's own types know no `const`, no sign and no `long`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from tandem.frontend.clang import described
from tandem.frontend.program import CFile
from tandem.frontend.symbols import symbol
from tandem.frontend.text import definition

NAME = "@"
"""In the text of a type: where a declared name stands."""
_NODE = re.compile(r"^!(\d+) = (?:distinct )?(?:!(\w+)\((.*)\)|!\{(.*)\})$", re.M)
_FIELD = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|!(\d+)|(-?\w+))')
_ATTACHED = re.compile(r"!dbg !(\d+)")
_QUALIFIERS = {
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
}
_POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type")
_TAGGED = {"DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union"}
_OF_MACHINES = ("size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t")
_FAST = re.compile(r"u?int_fast\d+_t")
_STANDARD = re.compile(r"u?int(?:_least|_fast)?\d+_t|u?intmax_t")
"""Names of <stdint.h> that are no other type's everywhere, so that they stay."""
_WRITTEN = {"_Bool": "bool"}
"""What C++ does not know, as <stdbool.h> has it for both."""
_LONG = ("long", "unsigned long", "long double")


class TypeKind(Enum):
    """What a value of a type is."""

    INTEGER = auto()
    FLOAT = auto()
    POINTER = auto()
    OTHER = auto()


NUMBERS = (TypeKind.INTEGER, TypeKind.FLOAT)


@dataclass(frozen=True)
class CType:
    """A type. `text`: its declaration, with `NAME` in a name's place. `bits` and `is_signed`: of
    a number. `tags`: structs and unions that have to be declared before it; `conditions`: C that
    holds where it is laid out as for the machine that it was read for."""

    text: str
    kind: TypeKind
    bits: int = 0
    is_signed: bool = False
    tags: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    def declared(self, name: str) -> str:
        """The declaration of a name, or of none."""
        return self.text.replace(NAME, name).strip()


@dataclass(frozen=True)
class Signature:
    """What a function takes and returns: None for nothing. `is_local`: no other file can name
    it."""

    parameters: tuple[CType, ...]
    result: CType | None
    is_local: bool = False
    is_cxx: bool = False


@dataclass(frozen=True)
class Declared:
    """What a program's files declare."""

    modules: tuple[_Module, ...]

    def function(self, name: str) -> Signature | None:
        """What a function takes, by its name for linkers; None if no file defines it."""
        return next(filter(None, (module.function(name) for module in self.modules)), None)

    def variable(self, name: str) -> CType | None:
        """What a variable is that other files can name; None where none is so called."""
        return next(filter(None, (module.variable(name) for module in self.modules)), None)


def read_declared(files: Sequence[CFile]) -> Declared:
    """What C files declare, for the machines that they are compiled for. Raises UserError as clang
    does."""
    return Declared(tuple(_Module(described(file), file.is_cxx) for file in files))


class _Nameless(Exception):
    """A type that no other file could write."""


class _Module:
    """What LLVM's text of a file tells debuggers."""

    def __init__(self, text: str, is_cxx: bool) -> None:
        self.text, self.is_cxx = text, is_cxx
        self.nodes: dict[str, dict[str, str]] = {}
        self.lists: dict[str, list[str]] = {}
        for number, kind, fields, items in _NODE.findall(text):
            if kind:
                found = {key: a or b or c for key, a, b, c in _FIELD.findall(fields)}
                self.nodes[number] = {**found, "kind": kind}
            else:
                self.lists[number] = [item.strip().lstrip("!") for item in items.split(",")]

    def function(self, name: str) -> Signature | None:
        found = definition(self.text, name)
        told = found and _ATTACHED.search(found.line)
        if found is None or not told:
            return None
        listed = self.lists[self.nodes[self.nodes[told[1]]["type"]]["types"]]
        first, *rest = [self._type(None if one == "null" else one) for one in listed]
        result = None if listed[0] == "null" else first
        return Signature(tuple(rest), result, found.is_local, self.is_cxx)

    def variable(self, name: str) -> CType | None:
        pattern = rf"^@{re.escape(symbol(name))} = (?!internal|private|external)(.*)$"
        found = re.search(pattern, self.text, re.M)
        told = found and _ATTACHED.search(found[1])
        return self._type(self.nodes[self.nodes[told[1]]["var"]]["type"]) if told else None

    def _type(self, number: str | None) -> CType:
        number = self._bare(number)
        node = self.nodes.get(number or "", {})
        tags = tuple(dict.fromkeys(self._tags(number, set())))
        conditions = tuple(dict.fromkeys(self._conditions(number, set())))
        try:
            text = self._text(number, NAME)
        except _Nameless:
            is_pointer = node.get("tag") in _POINTERS
            is_const = self._tag(node.get("baseType")) == "DW_TAG_const_type"
            text = f"{'const ' if is_const else ''}void *{NAME}" if is_pointer else ""
            tags = ()
        kind, is_signed = self._kind(number)
        return CType(text, kind, self._bits(number), is_signed, tags, conditions)

    def _bare(self, number: str | None) -> str | None:
        """A type without the qualifiers that are no caller's matter."""
        while number and self.nodes[number].get("tag") in _QUALIFIERS:
            number = self.nodes[number].get("baseType")
        return number

    def _resolved(self, number: str | None) -> str | None:
        """What a type is behind qualifiers and names for it."""
        tags = (*_QUALIFIERS, "DW_TAG_typedef")
        while number and self.nodes[number].get("tag") in tags:
            number = self.nodes[number].get("baseType")
        return number

    def _tag(self, number: str | None) -> str:
        return self.nodes[number].get("tag", "") if number else ""

    def _kind(self, number: str | None) -> tuple[TypeKind, bool]:
        """And whether a number has a sign."""
        found = self._resolved(number)
        if self._tag(found) == "DW_TAG_enumeration_type":
            return self._kind(self.nodes[found or ""].get("baseType"))
        if self._tag(found) in _POINTERS:
            return TypeKind.POINTER, False
        encoding = self.nodes[found].get("encoding", "") if found else ""
        if encoding == "DW_ATE_float":
            return TypeKind.FLOAT, True
        kind = TypeKind.INTEGER if encoding else TypeKind.OTHER
        return kind, encoding.startswith("DW_ATE_signed")

    def _bits(self, number: str | None) -> int:
        found = self._resolved(number)
        return int(self.nodes[found].get("size", 0)) if found else 0

    def _text(self, number: str | None, inner: str) -> str:
        """The declaration of what `inner` is."""
        if number is None:
            return f"void {inner}"
        node, tag = self.nodes[number], self._tag(number)
        base = node.get("baseType")
        if node["kind"] == "DIBasicType":
            return f"{_WRITTEN.get(node['name'], node['name'])} {inner}"
        if tag in _QUALIFIERS:
            word = _QUALIFIERS[tag]
            if self._tag(self._resolved(base)) in _POINTERS:
                return self._text(base, f"{word} {inner}")
            return f"{word} {self._text(base, inner)}"
        if tag == "DW_TAG_typedef":
            is_kept = _stays(node["name"])
            return f"{node['name']} {inner}" if is_kept else self._text(base, inner)
        if tag == "DW_TAG_pointer_type":
            is_array = self._tag(self._resolved(base)) == "DW_TAG_array_type"
            return self._text(base, f"(*{inner})" if is_array else f"*{inner}")
        if tag == "DW_TAG_array_type" and "flags" not in node:
            counts = [self.nodes[one].get("count", "-1") for one in self.lists[node["elements"]]]
            if all(count.isdigit() and int(count) > 0 for count in counts):
                return self._text(base, inner + "".join(f"[{count}]" for count in counts))
        if tag == "DW_TAG_enumeration_type":
            return self._text(base, inner)
        if tag in _TAGGED and "name" in node and not self.is_cxx:
            return f"{_TAGGED[tag]} {node['name']} {inner}"
        raise _Nameless

    def _tags(self, number: str | None, seen: set[str]) -> Iterator[str]:
        for one in self._within(number, seen, through_members=False):
            node = self.nodes[one]
            if self._tag(one) in _TAGGED and "name" in node:
                yield f"{_TAGGED[self._tag(one)]} {node['name']}"

    def _conditions(self, number: str | None, seen: set[str]) -> Iterator[str]:
        found = list(self._within(number, seen, through_members=True))
        is_struct = any(self._tag(one) in _TAGGED for one in found)
        for one in found:
            node = self.nodes[one]
            name = node.get("name", "")
            # Where it begins in a struct, not all machines agree.
            if is_struct and self._is_long_number(one):
                yield f"offsetof(struct {{ char c; {name} x; }}, x) == 8"
            if node["kind"] == "DIBasicType" and name == "char":
                yield f"(char)-1 {'<' if 'unsigned' not in node['encoding'] else '>'} 0"
            elif self._is_of_machines(one):
                yield f"sizeof({name}) == {self._bits(one) // 8}"

    def _is_long_number(self, number: str) -> bool:
        node = self.nodes[number]
        is_number = node["kind"] == "DIBasicType"
        is_number |= self._tag(number) == "DW_TAG_typedef" and _stays(node["name"])
        return is_number and self._bits(number) == 64

    def _is_of_machines(self, number: str) -> bool:
        node, name = self.nodes[number], self.nodes[number].get("name", "")
        if node["kind"] == "DIBasicType":
            return name in _LONG
        is_name = name in _OF_MACHINES or _FAST.fullmatch(name) is not None
        return self._tag(number) == "DW_TAG_typedef" and is_name

    def _within(self, number: str | None, seen: set[str], through_members: bool) -> Iterator[str]:
        """A type and all that it is made of, but for what stands behind a standard name."""
        if number is None or number in seen:
            return
        seen.add(number)
        yield number
        node = self.nodes[number]
        if self._tag(number) == "DW_TAG_typedef" and _stays(node["name"]):
            return
        yield from self._within(node.get("baseType"), seen, through_members)
        if through_members and self._tag(number) in _TAGGED:
            for member in self.lists.get(node.get("elements", ""), []):
                yield from self._within(member or None, seen, through_members)


def _stays(name: str) -> bool:
    """Whether a type's name is one of the standard's, which other machines have too."""
    return name in _OF_MACHINES or _STANDARD.fullmatch(name) is not None
