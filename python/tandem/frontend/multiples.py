# SPDX-License-Identifier: Apache-2.0
"""What an LLVM integer is a multiple of, as far as plain arithmetic tells."""

from __future__ import annotations

from tandem.frontend import llvm_c as llvm
from tandem.frontend.bounds import ADD, AND, DEEPEST, FREEZE, MUL, PHI, SELECT, SHL, ZEXT

SUB = 10


def multiple_of(value: llvm.Ref, most: int, depth: int = 0) -> int:
    """The greatest power of two, up to the power of two `most`, that divides a value."""
    number = llvm.constant_number(value)
    if number is not None:
        return min(number & -number, most) if number else most
    if llvm.call("GetValueKind", value) != llvm.VALUE_INSTRUCTION or depth == DEEPEST:
        return 1
    opcode, operands = llvm.call("GetInstructionOpcode", value), llvm.operands(value)
    found = [multiple_of(o, most, depth + 1) for o in operands]
    if opcode == SHL:
        shift = llvm.constant_number(operands[1])
        return min(found[0] << (shift or 0), most)
    if opcode == MUL:
        return min(found[0] * found[1], most)
    if opcode == AND:
        return max(found)
    if opcode in (ADD, SUB, PHI, ZEXT, FREEZE):
        return min(found)
    return min(found[1:]) if opcode == SELECT else 1
