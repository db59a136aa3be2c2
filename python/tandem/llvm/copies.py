# SPDX-License-Identifier: Apache-2.0
"""Copies of functions, each with the lines of the C that its instructions come from.

What a debugger is told of one function cannot be of another one too: a copy gets a description of
its own, and every place in it is told anew. Of a place that was taken in from another function the
line is kept, and no more.
"""

from __future__ import annotations

from functools import cached_property

from tandem.llvm.binding import Ref, array, call
from tandem.llvm.builder import Builder
from tandem.llvm.edit import copy_properties, copy_signature, make_internal, rename
from tandem.llvm.metadata import DI_LOCATION, debug_location, loop_parts
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import (
    children,
    incoming_blocks,
    name,
    opcode_of,
    operands,
    parameters,
    type_of,
)

_C = 11
"""DW_LANG_C99, as DWARFSourceLanguage counts."""
_LINES_ONLY = 2
"""DWARFEmissionLineTablesOnly."""


class Copies:
    """Makes copies of a module's functions."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.builder = Builder(module)

    @cached_property
    def _describing(self) -> Ref:
        """What makes descriptions, of a unit that all copies are of."""
        made = call("CreateDIBuilder", self.module.ref)
        file = call("DIBuilderCreateFile", made, b"tandem", 6, b"", 0)
        words = (b"tandem", 6, 1, b"", 0, 0, b"", 0, _LINES_ONLY, 0, 0, 0, b"", 0, b"", 0)
        call("DIBuilderCreateCompileUnit", made, _C, file, *words)
        return made

    def made(self, function: Ref, called: str) -> Ref:
        """A copy of a function, internal to the module."""
        kind = call("GlobalGetValueType", function)
        data = called.encode("utf-8", "surrogateescape")
        copy = call("AddFunction", self.module.ref, data, kind)
        copy_signature(function, copy)
        copy_properties(function, copy)
        make_internal(copy)
        for parameter, other in zip(parameters(function), parameters(copy), strict=True):
            rename(other, name(parameter))
        _Body(self, function, copy, self._described(function, data)).fill()
        return copy

    def finish(self) -> None:
        """Completes what is told of all copies."""
        if "_describing" in self.__dict__:
            call("DIBuilderFinalize", self._describing)
            call("DisposeDIBuilder", self._describing)

    def _described(self, function: Ref, called: bytes) -> Ref | None:
        """The description of a copy, None where there is none of the function."""
        about = call("GetSubprogram", function)
        if not about:
            return None
        file, line = call("DIScopeGetFile", about), call("DISubprogramGetLine", about)
        make = self._describing
        kind = call("DIBuilderCreateSubroutineType", make, file, None, 0, 0)
        words = (file, line, kind, 1, 1, line, 0, 1)
        named = (called, len(called), called, len(called))
        return call("DIBuilderCreateFunction", make, file, *named, *words)


class _Body:
    """The body of a copy, which is filled from that of a function."""

    def __init__(self, copies: Copies, function: Ref, copy: Ref, scope: Ref | None) -> None:
        self.module, self.builder, self.scope = copies.module, copies.builder, scope
        self.blocks = {
            block: self.module.block(copy, name(block))
            for block in children(function, "BasicBlock")
        }
        self.values = dict(zip(parameters(function), parameters(copy), strict=True))
        self.places: dict[Ref, Ref] = {}
        if scope:
            call("SetSubprogram", copy, scope)

    def fill(self) -> None:
        for block, other in self.blocks.items():
            self.builder.at_end(other)
            for ref in children(block, "Instruction"):
                self.values[ref] = self._copied(ref)
        for ref, other in self.values.items():
            if opcode_of(ref) == Opcode.PHI:
                self._fill_phi(ref, other)
            elif opcode_of(ref):
                self._lead(ref, other)

    def _copied(self, ref: Ref) -> Ref:
        if opcode_of(ref) != Opcode.PHI:
            other = self.builder.copy(ref, name(ref))
        else:
            other = self.builder.phi(type_of(ref), name(ref))
        place = debug_location(ref)
        call("InstructionSetDebugLoc", other, self._place(place) if place else None)
        parts = loop_parts(ref)
        if parts:
            self._tell_loop(other, parts)
        return other

    def _fill_phi(self, ref: Ref, other: Ref) -> None:
        ways = [self.blocks[block] for block in incoming_blocks(ref)]
        given = [self._value(value) for value in operands(ref)]
        call("AddIncoming", other, array(given), array(ways), len(ways))

    def _lead(self, ref: Ref, other: Ref) -> None:
        for i in _each(ref, "GetNumSuccessors") if call("IsATerminatorInst", ref) else ():
            call("SetSuccessor", other, i, self.blocks[call("GetSuccessor", ref, i)])
        for i, value in enumerate(operands(ref)):
            if value in self.values:
                call("SetOperand", other, i, self.values[value])

    def _value(self, value: Ref) -> Ref:
        return self.values.get(value, value)

    def _place(self, place: Ref) -> Ref | None:
        """The same line and column in the copy."""
        if self.scope is None:
            return None
        if place not in self.places:
            line, column = call("DILocationGetLine", place), call("DILocationGetColumn", place)
            self.places[place] = call(
                "DIBuilderCreateDebugLocation", self.module.context, line, column, self.scope, None
            )
        return self.places[place]

    def _tell_loop(self, branch: Ref, parts: list[Ref]) -> None:
        """Says of a loop of the copy what is said of the function's, which it is not."""
        told = [
            self._place(part) if call("GetMetadataKind", part) == DI_LOCATION else part
            for part in parts
        ]
        self.module.set_loop(branch, [part for part in told if part])


def _each(ref: Ref, counted: str) -> range:
    return range(call(counted, ref))
