# SPDX-License-Identifier: Apache-2.0
"""New instructions of LLVM IR."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.llvm.binding import Ref, array, call
from tandem.llvm.metadata import debug_location
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.read import (
    is_vector,
)


class Builder:
    """Makes instructions, each at a place that was said before, and with its line of C."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.ref = call("CreateBuilderInContext", module.context)

    def __del__(self) -> None:
        call("DisposeBuilder", self.ref)

    def before(self, instruction: Ref) -> Builder:
        """Instructions from now on come before one, and are of its line."""
        call("PositionBuilderBefore", self.ref, instruction)
        call("SetCurrentDebugLocation2", self.ref, debug_location(instruction))
        return self

    def at_end(self, block: Ref, line: Ref | None = None) -> Builder:
        """... at the end of a block, and are of a line: a debugger's node, None for no line."""
        call("PositionBuilderAtEnd", self.ref, block)
        call("SetCurrentDebugLocation2", self.ref, line)
        return self

    def binary(self, opcode: Opcode, a: Ref, b: Ref, called: str = "") -> Ref:
        return call("BuildBinOp", self.ref, opcode, a, b, called.encode())

    def cast(self, opcode: Opcode, value: Ref, kind: Ref, called: str = "") -> Ref:
        return call("BuildCast", self.ref, opcode, value, kind, called.encode())

    def compare(self, how: Predicate, a: Ref, b: Ref, called: str = "") -> Ref:
        return call("BuildICmp", self.ref, how, a, b, called.encode())

    def compare_floats(self, how: int, a: Ref, b: Ref, called: str = "") -> Ref:
        """`how`: LLVM's number of the comparison."""
        return call("BuildFCmp", self.ref, how, a, b, called.encode())

    def choose(self, condition: Ref, a: Ref, b: Ref, called: str = "") -> Ref:
        return call("BuildSelect", self.ref, condition, a, b, called.encode())

    def part(self, several: Ref, index: int) -> Ref:
        """A number of a vector or an array."""
        if not is_vector(several):
            return self.take_out(several, index)
        number = self.module.number(64, index)
        return call("BuildExtractElement", self.ref, several, number, b"")

    def with_part(self, several: Ref, value: Ref, index: int) -> Ref:
        """A vector or an array with another number in it."""
        if not is_vector(several):
            return self.put_in(several, value, index)
        number = self.module.number(64, index)
        return call("BuildInsertElement", self.ref, several, value, number, b"")

    def unary(self, opcode: Opcode, value: Ref, called: str = "") -> Ref:
        """`FNEG` or `FREEZE`."""
        what = {Opcode.FNEG: "BuildFNeg", Opcode.FREEZE: "BuildFreeze"}[opcode]
        return call(what, self.ref, value, called.encode())

    def take_out(self, struct: Ref, index: int, called: str = "") -> Ref:
        return call("BuildExtractValue", self.ref, struct, index, called.encode())

    def put_in(self, struct: Ref, value: Ref, index: int, called: str = "") -> Ref:
        return call("BuildInsertValue", self.ref, struct, value, index, called.encode())

    def phi(self, kind: Ref, called: str = "") -> Ref:
        return call("BuildPhi", self.ref, kind, called.encode())

    def call(self, function: Ref, given: Sequence[Ref], called: str = "") -> Ref:
        kind = call("GlobalGetValueType", function)
        return self.call_through(kind, function, given, called)

    def call_through(self, kind: Ref, pointer: Ref, given: Sequence[Ref], called: str = "") -> Ref:
        """A call of what is behind a pointer. `kind`: the function's type."""
        return call(
            "BuildCall2", self.ref, kind, pointer, array(given), len(given), called.encode()
        )

    def local(self, kind: Ref, called: str = "") -> Ref:
        return call("BuildAlloca", self.ref, kind, called.encode())

    def load(self, kind: Ref, pointer: Ref, called: str = "") -> Ref:
        return call("BuildLoad2", self.ref, kind, pointer, called.encode())

    def store(self, value: Ref, pointer: Ref) -> Ref:
        return call("BuildStore", self.ref, value, pointer)

    def address(self, kind: Ref, base: Ref, indices: Sequence[Ref], called: str = "") -> Ref:
        """The address of a part, within what the base points to, of a type."""
        given = (array(indices), len(indices), called.encode())
        return call("BuildInBoundsGEP2", self.ref, kind, base, *given)

    def step(self, kind: Ref, base: Ref, indices: Sequence[Ref]) -> Ref:
        """The same of what may lie outside, as on the way to such a part."""
        given = (array(indices), len(indices), b"", 0)
        return call("BuildGEPWithNoWrapFlags", self.ref, kind, base, *given)

    def jump(self, block: Ref) -> Ref:
        return call("BuildBr", self.ref, block)

    def branch(self, condition: Ref, then: Ref, other: Ref) -> Ref:
        return call("BuildCondBr", self.ref, condition, then, other)

    def ret(self, value: Ref | None = None) -> Ref:
        return call("BuildRet", self.ref, value) if value else call("BuildRetVoid", self.ref)

    def unreachable(self) -> Ref:
        return call("BuildUnreachable", self.ref)

    def copy(self, instruction: Ref, called: str = "") -> Ref:
        """The same instruction once more, of its own line."""
        made = call("InstructionClone", instruction)
        call("InsertIntoBuilderWithName", self.ref, made, called.encode())
        call("InstructionSetDebugLoc", made, debug_location(instruction))
        return made
