# SPDX-License-Identifier: Apache-2.0
"""What a function does, so that the static ones of two files can be told to be equal."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count

from tandem.llvm import read as llvm
from tandem.llvm.module import opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, opcode_of, operands, type_of

_FLAGS = ("GetNSW", "GetNUW")
_WRAPPING = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL)


def meaning(text: str, name: str) -> list[Hashable]:
    """What a function of a module and all that is local to its file and that it needs do: equal for
    functions that do the same in the same words. Names of variables, lines and what is said of
    parameters are no part of it."""
    with opened(text) as module:
        function = module.function(name)
        assert function is not None
        return _Meaning(function).told


class _Meaning:
    def __init__(self, function: Ref) -> None:
        self.order = {function: 0}
        """Functions and variables of the file, in the order of their first use."""
        self.told: list[Hashable] = []
        left = [function]
        while left:
            known = len(self.order)
            self.told.append(self._global(left.pop(0)))
            left += list(self.order)[known:]

    def _global(self, ref: Ref) -> Hashable:
        if not llvm.is_function(ref):
            initial = call("GetInitializer", ref)
            is_constant = call("IsGlobalConstant", ref)
            return is_constant, initial and self._value(initial, {})
        numbers = count()
        places = {value: next(numbers) for value in llvm.parameters(ref)}
        for block in llvm.children(ref, "BasicBlock"):
            places[block] = next(numbers)
            places |= {made: next(numbers) for made in llvm.children(block, "Instruction")}
        inside = llvm.instructions([ref])
        kind = llvm.type_text(call("GlobalGetValueType", ref))
        return kind, *(self._instruction(made, places) for made in inside)

    def _instruction(self, ref: Ref, places: dict[Ref, int]) -> Hashable:
        opcode = opcode_of(ref)
        given = [self._value(value, places) for value in operands(ref)]
        return (
            opcode,
            llvm.type_text(type_of(ref)),
            _details(ref, opcode),
            _blocks(ref, places),
            *given,
        )

    def _value(self, value: Ref, places: dict[Ref, int]) -> Hashable:
        """What a value is: where it is made, or which constant."""
        if value in places:
            return places[value]
        if llvm.is_global(value):
            is_own = llvm.linkage(value) in llvm.LOCAL or value in self.order
            return self._own(value) if is_own else llvm.name(value)
        parts = operands(value) if call("IsConstant", value) else []
        if not parts:
            return llvm.text(value)
        kind = llvm.type_text(type_of(value))
        return kind, opcode_of(value), *(self._value(part, places) for part in parts)

    def _own(self, value: Ref) -> Hashable:
        return "own", self.order.setdefault(value, len(self.order))


def _details(ref: Ref, opcode: int) -> Hashable:
    """What an instruction is beside its type and operands."""
    if opcode == Opcode.ICMP:
        return call("GetICmpPredicate", ref)
    if opcode == Opcode.FCMP:
        return call("GetFCmpPredicate", ref)
    if opcode in _WRAPPING:
        return tuple(call(flag, ref) for flag in _FLAGS)
    if opcode == Opcode.ADDRESS:
        return llvm.type_text(call("GetGEPSourceElementType", ref))
    if opcode == Opcode.ALLOCA:
        return llvm.type_text(call("GetAllocatedType", ref))
    if opcode in (Opcode.LOAD, Opcode.STORE):
        return llvm.is_volatile(ref)
    if opcode in (Opcode.EXTRACT_VALUE, Opcode.INSERT_VALUE):
        return llvm.first_index(ref)
    return None


def _blocks(ref: Ref, places: dict[Ref, int]) -> Hashable:
    """Where the values of a phi come from."""
    is_phi = opcode_of(ref) == Opcode.PHI
    return tuple(places[block] for block in llvm.incoming_blocks(ref)) if is_phi else ()
