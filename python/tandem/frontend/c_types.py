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
from tandem.llvm.binding import call
from tandem.llvm.debug_types import DebugType, Tag, type_of_variable, types_of_function
from tandem.llvm.module import unchecked
from tandem.llvm.read import LOCAL, entry, linkage

NAME = "@"
"""In the text of a type: where a declared name stands."""
_QUALIFIERS = {Tag.CONST: "const", Tag.VOLATILE: "volatile", Tag.RESTRICT: "restrict"}
_POINTERS = (Tag.POINTER, Tag.REFERENCE)
_TAGGED = {Tag.STRUCTURE: "struct", Tag.UNION: "union"}
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
    """What a file's module tells debuggers."""

    def __init__(self, text: str, is_cxx: bool) -> None:
        self.module, self.is_cxx = unchecked(text), is_cxx

    def __del__(self) -> None:
        self.module.dispose()

    def function(self, name: str) -> Signature | None:
        found = self.module.function(name)
        told = types_of_function(found) if found and entry(found) else []
        if not found or not told:
            return None
        first, *rest = [self._type(one) for one in told]
        result = first if told[0] else None
        return Signature(tuple(rest), result, linkage(found) in LOCAL, self.is_cxx)

    def variable(self, name: str) -> CType | None:
        found = self.module.variable(name)
        if not found or linkage(found) in LOCAL or not call("GetInitializer", found):
            return None
        told = type_of_variable(found)
        return self._type(told) if told else None

    def _type(self, told: DebugType | None) -> CType:
        told = _bare(told)
        tags = tuple(dict.fromkeys(_tags(told)))
        conditions = tuple(dict.fromkeys(_conditions(told)))
        try:
            text = self._text(told, NAME)
        except _Nameless:
            text, tags = _of_any_kind(told), ()
        kind, is_signed = _kind(told)
        return CType(text, kind, _bits(told), is_signed, tags, conditions)

    def _text(self, told: DebugType | None, inner: str) -> str:
        """The declaration of what `inner` is."""
        if told is None:
            return f"void {inner}"
        name, tag, base = told.name, told.tag, told.base
        if tag == Tag.BASIC:
            return f"{_WRITTEN.get(name, name)} {inner}"
        if tag in _QUALIFIERS:
            word = _QUALIFIERS[Tag(tag)]
            if _tag(_resolved(base)) in _POINTERS:
                return self._text(base, f"{word} {inner}")
            return f"{word} {self._text(base, inner)}"
        if tag == Tag.TYPEDEF:
            return f"{name} {inner}" if _stays(name) else self._text(base, inner)
        if tag == Tag.POINTER:
            is_array = _tag(_resolved(base)) == Tag.ARRAY
            return self._text(base, f"(*{inner})" if is_array else f"*{inner}")
        if tag == Tag.ARRAY and not told.is_vector:
            return self._text(base, inner + "".join(map(_dimension, told.counts)))
        if tag == Tag.ENUMERATION:
            return self._text(base, inner)
        if tag in _TAGGED and name and not self.is_cxx:
            return f"{_TAGGED[Tag(tag)]} {name} {inner}"
        raise _Nameless


def _dimension(count: int | None) -> str:
    """Raises _Nameless for an array of which it is not known how long it is."""
    if not count or count >> 63:
        raise _Nameless
    return f"[{count}]"


def _of_any_kind(told: DebugType | None) -> str:
    """The declaration of a pointer to what has no name; of anything else there is none."""
    if told is None or told.tag not in _POINTERS:
        return ""
    return f"{'const ' if _tag(told.base) == Tag.CONST else ''}void *{NAME}"


def _bare(told: DebugType | None) -> DebugType | None:
    """A type without the qualifiers that are no caller's matter."""
    while told and told.tag in _QUALIFIERS:
        told = told.base
    return told


def _resolved(told: DebugType | None) -> DebugType | None:
    """What a type is behind qualifiers and names for it."""
    while told and (told.tag in _QUALIFIERS or told.tag == Tag.TYPEDEF):
        told = told.base
    return told


def _tag(told: DebugType | None) -> int:
    return told.tag if told else 0


def _kind(told: DebugType | None) -> tuple[TypeKind, bool]:
    """And whether a number has a sign."""
    found = _resolved(told)
    if found is None:
        return TypeKind.OTHER, False
    if found.tag == Tag.ENUMERATION:
        return _kind(found.base)
    if found.tag in _POINTERS:
        return TypeKind.POINTER, False
    if found.encoding == "float":
        return TypeKind.FLOAT, True
    kind = TypeKind.INTEGER if found.encoding else TypeKind.OTHER
    return kind, found.encoding.startswith("signed")


def _bits(told: DebugType | None) -> int:
    found = _resolved(told)
    return found.bits if found else 0


def _tags(told: DebugType | None) -> Iterator[str]:
    for one in _within(told, set(), through_members=False):
        if one.tag in _TAGGED and one.name:
            yield f"{_TAGGED[Tag(one.tag)]} {one.name}"


def _conditions(told: DebugType | None) -> Iterator[str]:
    found = list(_within(told, set(), through_members=True))
    is_struct = any(one.tag in _TAGGED for one in found)
    for one in found:
        # Where it begins in a struct, not all machines agree.
        if is_struct and _is_long_number(one):
            yield f"offsetof(struct {{ char c; {one.name} x; }}, x) == 8"
        if one.tag == Tag.BASIC and one.name == "char":
            yield f"(char)-1 {'>' if one.encoding.startswith('unsigned') else '<'} 0"
        elif _is_of_machines(one):
            yield f"sizeof({one.name}) == {_bits(one) // 8}"


def _is_long_number(told: DebugType) -> bool:
    is_number = told.tag == Tag.BASIC or (told.tag == Tag.TYPEDEF and _stays(told.name))
    return is_number and _bits(told) == 64


def _is_of_machines(told: DebugType) -> bool:
    if told.tag == Tag.BASIC:
        return told.name in _LONG
    is_name = told.name in _OF_MACHINES or _FAST.fullmatch(told.name) is not None
    return told.tag == Tag.TYPEDEF and is_name


def _within(
    told: DebugType | None, seen: set[DebugType], through_members: bool
) -> Iterator[DebugType]:
    """A type and all that it is made of, but for what stands behind a standard name."""
    if told is None or told in seen:
        return
    seen.add(told)
    yield told
    if told.tag == Tag.TYPEDEF and _stays(told.name):
        return
    yield from _within(told.base, seen, through_members)
    if through_members and told.tag in _TAGGED:
        for member in told.members:
            yield from _within(member, seen, through_members)


def _stays(name: str) -> bool:
    """Whether a type's name is one of the standard's, which other machines have too."""
    return name in _OF_MACHINES or _STANDARD.fullmatch(name) is not None
