# SPDX-License-Identifier: Apache-2.0
"""What an LLVM integer is a multiple of, as far as plain arithmetic tells."""

from __future__ import annotations

from collections.abc import Mapping

from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode

_KNOWN = (
    Opcode.ADD,
    Opcode.SUB,
    Opcode.MUL,
    Opcode.SHL,
    Opcode.AND,
    Opcode.PHI,
    Opcode.SELECT,
    Opcode.ZEXT,
    Opcode.SEXT,
    Opcode.FREEZE,
)


def multiple_of(value: llvm.Ref, most: int) -> int:
    """The greatest power of two, up to the power of two `most`, that divides a value."""
    found = dict.fromkeys(_behind(value), most)
    while True:
        after = {ref: _of(ref, found, most) for ref in found}
        if after == found:
            return found[value]
        found = after


def _behind(value: llvm.Ref) -> list[llvm.Ref]:
    """What a value is computed of."""
    found: dict[llvm.Ref, None] = {}
    work = [value]
    while work:
        ref = work.pop()
        if ref not in found:
            found[ref] = None
            work += llvm.operands(ref) if llvm.opcode_of(ref) in _KNOWN else ()
    return list(found)


def _of(value: llvm.Ref, found: Mapping[llvm.Ref, int], most: int) -> int:
    """Of a value, from what divides its operands."""
    number = llvm.constant_number(value)
    if number is not None:
        return min(number & -number, most) if number else most
    opcode = llvm.opcode_of(value)
    if opcode not in _KNOWN:
        return 1
    operands = llvm.operands(value)
    parts = [found[operand] for operand in operands]
    if opcode == Opcode.SHL:
        return min(parts[0] << (llvm.constant_number(operands[1]) or 0), most)
    if opcode == Opcode.MUL:
        return min(parts[0] * parts[1], most)
    if opcode == Opcode.AND:
        return max(parts)
    return min(parts[1:] if opcode == Opcode.SELECT else parts)
