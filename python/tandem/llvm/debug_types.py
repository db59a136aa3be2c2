# SPDX-License-Identifier: Apache-2.0
"""Types as debuggers are told of them: with the C's names and signs, which LLVM's own have not."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import IntEnum

from tandem.llvm.binding import Ref, call
from tandem.llvm.metadata import kind_of, node_operands, notes
from tandem.llvm.read import constant_number, text, type_of
from tandem.llvm.signatures import SIZE


class Tag(IntEnum):
    """What a type is: DWARF's numbers."""

    ARRAY = 0x01
    ENUMERATION = 0x04
    POINTER = 0x0F
    REFERENCE = 0x10
    STRUCTURE = 0x13
    TYPEDEF = 0x16
    UNION = 0x17
    BASIC = 0x24
    CONST = 0x26
    VOLATILE = 0x35
    RESTRICT = 0x37


# Where the parts of nodes are
BASE, TYPES, ELEMENTS, TYPE_OF_VARIABLE, TYPE_OF_FUNCTION, COUNT = 5, 5, 6, 3, 4, 0
DI_TYPES = range(11, 15)
"""LLVMMetadataKind of types: basic, derived, composite, and of functions."""
VECTOR = 1 << 11
"""LLVMDIFlags of an array that is a vector."""


@dataclass(frozen=True)
class DebugType:
    """A type. `node`: LLVM's value that is metadata; where that is the same, so is the type."""

    node: Ref

    @property
    def tag(self) -> int:
        """A `Tag`, or another number of DWARF's."""
        return call("GetDINodeTag", self._metadata)

    @property
    def name(self) -> str:
        """Empty for a type without one."""
        length = SIZE()
        address = call("DITypeGetName", self._metadata, ctypes.byref(length))
        return ctypes.string_at(address or 0, length.value).decode("utf-8", "surrogateescape")

    @property
    def bits(self) -> int:
        """0 where nothing is said of them."""
        return call("DITypeGetSizeInBits", self._metadata)

    @property
    def is_vector(self) -> bool:
        return bool(call("DITypeGetFlags", self._metadata) & VECTOR)

    @property
    def base(self) -> DebugType | None:
        """What it points to, is another name for, or has elements or values of; None for `void`,
        and for what has no such type."""
        found = [*filter(None, node_operands(self.node)[BASE : BASE + 1])]
        return DebugType(found[0]) if found and _is_type(found[0]) else None

    @property
    def members(self) -> list[DebugType]:
        """Of a struct or union: each is a type of its own, whose base is what the member is."""
        return [DebugType(part) for part in self._elements() if _is_type(part)]

    @property
    def counts(self) -> list[int | None]:
        """How many elements an array has in each dimension; None where that is no constant."""
        firsts = [node_operands(part)[COUNT] for part in self._elements()]
        return [constant_number(first) if first else None for first in firsts]

    @property
    def encoding(self) -> str:
        """Of a basic type what its bits mean, as DWARF calls it; empty for others. LLVM-C has no
        function for this: only what LLVM prints of the node says it."""
        told = text(self.node) if self.tag == Tag.BASIC else ""
        return told.partition("encoding: DW_ATE_")[2].partition(")")[0]

    @property
    def _metadata(self) -> Ref:
        return call("ValueAsMetadata", self.node)

    def _elements(self) -> list[Ref]:
        found = node_operands(self.node)[ELEMENTS]
        return node_operands(found) if found else []


def _is_type(node: Ref) -> bool:
    """And no function of a class, and no list of types."""
    return call("GetMetadataKind", call("ValueAsMetadata", node)) in DI_TYPES


def types_of_function(function: Ref) -> list[DebugType | None]:
    """Of what a function returns and of what it takes; None for `void`. Nothing where no debugger
    is told of it."""
    about = call("GetSubprogram", function)
    if not about:
        return []
    kind = node_operands(_as_value(function, about))[TYPE_OF_FUNCTION]
    listed = node_operands(node_operands(kind)[TYPES])
    # A list of nothing but `void` is as a value an empty one.
    return [DebugType(part) if part else None for part in listed] or [None]


def type_of_variable(variable: Ref) -> DebugType | None:
    """Of a global variable; None where no debugger is told of it."""
    all_notes = notes("GlobalCopyAllMetadata", variable)
    found = [node for kind, node in all_notes if kind == kind_of("dbg")]
    if not found:
        return None
    about = call("DIGlobalVariableExpressionGetVariable", found[0])
    return DebugType(node_operands(_as_value(variable, about))[TYPE_OF_VARIABLE])


def _as_value(beside: Ref, metadata: Ref) -> Ref:
    return call("MetadataAsValue", call("GetTypeContext", type_of(beside)), metadata)
