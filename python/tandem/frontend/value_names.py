# SPDX-License-Identifier: Apache-2.0
"""Has values be called as the variables of the C that they are stored to. Clang gives them the name
of what makes them (`add`), and only to the variable its own; names outlive what LLVM does."""

from __future__ import annotations

from tandem.ir.names import is_told_by_clang
from tandem.llvm import read as llvm
from tandem.llvm.edit import rename
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, opcode_of, operands

_CASTS = (Opcode.TRUNC, Opcode.SEXT, Opcode.ZEXT)


def name_values(module: Module) -> bool:
    """Puts variables' names in the place of clang's own: behind the dot is what keeps names
    apart."""
    names: dict[Ref, str] = {}
    for ref in llvm.instructions(module.defined):
        if opcode_of(ref) == Opcode.STORE and llvm.number_bits(llvm.type_accessed(ref)):
            value, place = operands(ref)
            for named, name in _names(value, place).items():
                names.setdefault(named, name)
    for value, name in names.items():
        rename(value, name)
    return bool(names)


def _names(value: Ref, place: Ref) -> dict[Ref, str]:
    """The names of a value that is stored, and of what that was made of by casts."""
    variable = llvm.name(place).removesuffix(".addr") if opcode_of(place) == Opcode.ALLOCA else ""
    found: dict[Ref, str] = {}
    while variable.isidentifier() and opcode_of(value) and is_told_by_clang(llvm.name(value)):
        found[value] = f"{variable}.{llvm.name(value)}"
        if opcode_of(value) not in _CASTS:
            break
        [value] = operands(value)
    return found
