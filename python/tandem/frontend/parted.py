# SPDX-License-Identifier: Apache-2.0
"""Functions parted at the calls that become jumps, before LLVM finds what lives from one block to
another."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.llvm import attributes, metadata
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import erase, set_operand, with_ways
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import Ref, call, opcode_of, operands


def part_all(module: Module, names: Sequence[str]) -> bool:
    """Parts some functions at the calls of each other."""
    functions = [f for f in module.defined if llvm.name(f) in names]
    for function in functions:
        _Parted(module, function, functions).part()
    return True


class _Parted:
    """A function in which each call of some functions ends a block, parameters are values of the
    first block, and addresses are made in every block that needs them."""

    def __init__(self, module: Module, function: Ref, functions: Sequence[Ref]) -> None:
        self.module, self.function, self.functions = module, function, functions
        self.make = Builder(module)

    def part(self) -> None:
        for ref in [*llvm.calls([self.function])]:
            if llvm.name_called(ref).startswith("llvm.lifetime."):
                erase(ref)
        self._take_parameters()
        for block in llvm.children(self.function, "BasicBlock"):
            self._make_addresses_again(block)
        for block in [*llvm.children(self.function, "BasicBlock")]:
            self._end_at_calls(block)

    def _take_parameters(self) -> None:
        """Every parameter as a value that the first block makes; but for structs by value, and what
        every call hands on."""
        fixed = handed_on(self.function, self.functions)
        first = llvm.first_instruction(self.function)
        for i, parameter in enumerate(llvm.parameters(self.function), 1):
            if parameter in fixed or attributes.has_attribute(self.function, i, "byval"):
                continue
            taken = self.make.before(first).unary(Opcode.FREEZE, parameter)
            call("ReplaceAllUsesWith", parameter, taken)
            set_operand(taken, 0, parameter)

    def _make_addresses_again(self, block: Ref) -> None:
        """Every address in each block that needs it, before the first need; what a phi takes, at
        the end of the block from which it takes it, stays."""
        here: dict[Ref, Ref] = {}
        for ref in [*llvm.children(block, "Instruction")]:
            if opcode_of(ref) != Opcode.PHI:
                self._renew_operands(ref, ref, here)
            here[ref] = ref

    def _renew_operands(self, ref: Ref, before: Ref, here: dict[Ref, Ref]) -> None:
        for i, value in enumerate(operands(ref)):
            if opcode_of(value) != Opcode.ADDRESS or not llvm.is_instruction(value):
                continue
            if value not in here:
                again = self.make.before(before).copy(value)
                self._renew_operands(again, again, here)
                here[value] = again
            set_operand(ref, i, here[value])

    def _end_at_calls(self, block: Ref) -> None:
        inside = [*llvm.children(block, "Instruction")]
        for place, ref in enumerate(inside):
            if llvm.called(ref) in self.functions:
                self._end_block(block, inside[place + 1 :])
                return

    def _end_block(self, block: Ref, rest: list[Ref]) -> None:
        behind = self.module.block(self.function)
        for ref in rest:
            line = metadata.debug_location(ref)
            call("InstructionRemoveFromParent", ref)
            call("InsertIntoBuilderWithName", self.make.at_end(behind).ref, ref, b"")
            call("InstructionSetDebugLoc", ref, line)
        self.make.at_end(block).jump(behind)
        for after in dict.fromkeys(successors(behind)):
            for ref in [*llvm.children(after, "Instruction")]:
                if opcode_of(ref) == Opcode.PHI:
                    with_ways(self.module, ref, {block: behind})
        self._end_at_calls(behind)


def handed_on(function: Ref, functions: Sequence[Ref]) -> set[Ref]:
    """The parameters of a function, the only one that calls itself, that it gives to itself as they
    are."""
    if len(functions) > 1:
        return set()
    calls = [ref for ref in llvm.calls([function]) if llvm.called(ref) == function]
    return {
        parameter
        for i, parameter in enumerate(llvm.parameters(function))
        if not attributes.has_attribute(function, i + 1, "byval")
        and all(operands(ref)[i] == parameter for ref in calls)
    }
