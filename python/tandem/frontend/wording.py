# SPDX-License-Identifier: Apache-2.0
"""LLVM's instructions and types in words of C, for diagnostics."""

from __future__ import annotations

from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode

_FLOATING = "floating-point arithmetic"
_WORDS: dict[int, str] = {
    **dict.fromkeys([Opcode.FADD, Opcode.FSUB, Opcode.FMUL, Opcode.FDIV, Opcode.FREM], _FLOATING),
    **dict.fromkeys([Opcode.FNEG, Opcode.FCMP, Opcode.FP_EXT, Opcode.FP_TRUNC], _FLOATING),
    **dict.fromkeys([Opcode.UI_TO_FP, Opcode.SI_TO_FP], _FLOATING),
    **dict.fromkeys([Opcode.FP_TO_UI, Opcode.FP_TO_SI], _FLOATING),
    **dict.fromkeys([Opcode.FENCE, Opcode.EXCHANGE, Opcode.UPDATE], "an atomic operation"),
    Opcode.PTR_TO_INT: "an address used as a number",
    Opcode.INT_TO_PTR: "a pointer made from a number",
    Opcode.LOAD: "a pointer read from memory",
    Opcode.VA_ARG: "an argument beyond the named ones",
}
_TYPES = {"ptr": "pointer", "x86_fp80": "long double", "fp128": "long double"}


def instruction_words(ref: llvm.Ref) -> str:
    """What an instruction, or a constant, is called in C; LLVM's own text where C has no word."""
    known = _WORDS.get(llvm.opcode_of(ref))
    return known or f"`{llvm.text(ref).partition(', !dbg ')[0][:80]}`"


def type_words(kind: llvm.Ref) -> str:
    """What a type is called in C."""
    text = llvm.type_text(kind)
    if text.startswith("{"):
        return "struct with a pointer" if "ptr" in text else "struct"
    return "vector" if text.startswith("<") and " x " in text else _TYPES.get(text, text)
