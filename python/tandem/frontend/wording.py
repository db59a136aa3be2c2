# SPDX-License-Identifier: Apache-2.0
"""LLVM's instructions and types in words of C, for diagnostics."""

from __future__ import annotations

import re

from tandem.llvm import read as llvm

_FLOATING = "floating-point arithmetic"
_ATOMIC = "an atomic operation"
_INSTRUCTIONS = {
    **dict.fromkeys(["fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp"], _FLOATING),
    **dict.fromkeys(["uitofp", "sitofp", "fptoui", "fptosi", "fpext", "fptrunc"], _FLOATING),
    **dict.fromkeys(["atomicrmw", "cmpxchg", "fence"], _ATOMIC),
    "ptrtoint": "an address used as a number",
    "inttoptr": "a pointer made from a number",
    "load": "a pointer read from memory",
    "va_arg": "an argument beyond the named ones",
}
_TYPES = {"ptr": "pointer", "x86_fp80": "long double", "fp128": "long double"}


def instruction_words(ref: llvm.Ref) -> str:
    """What an instruction is called in C; LLVM's own text where C has no word."""
    text = re.sub(r", !dbg.*$", "", llvm.text(ref).strip())
    start = r"(?:%\S+ = |ptr (?=\w+ \())?(?:(?:tail|musttail|notail) )?(\w+)"  # a constant's, too
    operation = re.match(start, text)
    known = _INSTRUCTIONS.get(operation[1]) if operation else None
    return known or f"`{text[:80]}`"


def type_words(kind: llvm.Ref) -> str:
    """What a type is called in C."""
    text = llvm.type_text(kind)
    if text.startswith("{"):
        return "struct with a pointer" if "ptr" in text else "struct"
    return "vector" if text.startswith("<") and " x " in text else _TYPES.get(text, text)
