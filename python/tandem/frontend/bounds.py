# SPDX-License-Identifier: Apache-2.0
"""The greatest number that an LLVM integer can be, as far as plain arithmetic tells."""

from __future__ import annotations

from tandem.frontend.guards import Guards
from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode

LEAST = ("llvm.umin", "llvm.smin")
DEEPEST, WIDEST = 32, 64
"""Operations in a row that are looked at, and bits of an integer."""


def greatest(value: llvm.Ref, where: llvm.Ref) -> int | None:
    """The greatest number that a value can be, taken as unsigned, whenever the instruction `where`
    is reached; None where nothing is known: every number of its type is possible."""
    known = llvm.constant_number(value)
    return _Bounds(Guards(where)).greatest(value, 0) if known is None else known


class _Bounds:
    """What is known of values on the way to one; of those that are met again meanwhile, nothing."""

    def __init__(self, guards: Guards | None = None) -> None:
        self.guards = guards
        self.known: dict[llvm.Ref, int | None] = {}

    def greatest(self, value: llvm.Ref, depth: int) -> int | None:
        if value not in self.known:
            self.known[value] = None
            found = [self._new(value, depth), self.guards and self.guards.greatest(value)]
            self.known[value] = min((most for most in found if most is not None), default=None)
        return self.known[value]

    def _new(self, value: llvm.Ref, depth: int) -> int | None:
        number = llvm.constant_number(value)
        if number is not None:
            return number
        if llvm.call("GetValueKind", value) != llvm.VALUE_INSTRUCTION or depth == DEEPEST:
            return None
        opcode, operands = llvm.call("GetInstructionOpcode", value), llvm.operands(value)
        if opcode == Opcode.ZEXT:
            most = self.greatest(operands[0], depth + 1)
            narrow = llvm.number_bits(llvm.call("TypeOf", operands[0]))
            return (1 << narrow) - 1 if most is None else most
        if opcode == Opcode.CALL:
            callee = llvm.name(llvm.call("GetCalledValue", value))
            return self._least(operands[:2], depth) if callee.startswith(LEAST) else None
        operands = operands[1 if opcode == Opcode.SELECT else 0 :]
        # What a phi hands on may be older than what the branches are about.
        inside = _Bounds() if opcode == Opcode.PHI and self.guards else self
        most = _of(opcode, [inside.greatest(o, depth + 1) for o in operands])
        width = llvm.number_bits(llvm.call("TypeOf", value))
        # A sign that may be set would be copied, and a result that does not fit wraps.
        return None if most is None or most >> (width - 1) else most

    def _least(self, operands: list[llvm.Ref], depth: int) -> int | None:
        known = [m for o in operands if (m := self.greatest(o, depth + 1)) is not None]
        return min(known, default=None)


def _of(opcode: int, most: list[int | None]) -> int | None:
    """Of an operation, from what its operands can be."""
    known = [m for m in most if m is not None]
    if opcode == Opcode.AND:
        return min(known, default=None)
    if opcode == Opcode.UREM:
        return most[1] - 1 if most[1] else None
    if len(known) < len(most):
        return None
    a, b = known[0], known[-1]
    if opcode in (Opcode.PHI, Opcode.SELECT):
        return max(known)
    if opcode in (Opcode.TRUNC, Opcode.SEXT, Opcode.FREEZE, Opcode.UDIV, Opcode.LSHR):
        return a
    sums: dict[int, int] = {
        Opcode.ADD: a + b,
        Opcode.MUL: a * b,
        Opcode.OR: (1 << max(a.bit_length(), b.bit_length())) - 1,
    }
    return a << b if opcode == Opcode.SHL and b < WIDEST else sums.get(opcode)
