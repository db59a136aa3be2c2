# SPDX-License-Identifier: Apache-2.0
"""The names of local variables: flang tells them to debuggers alone, and only beside more than
another LLVM takes."""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvm

from tandem.languages.fortran.procedures import Procedure
from tandem.llvm import metadata, read
from tandem.llvm.module import opened

ALLOCA = "alloca"
_GLOBALS = ", globals: !"
"""Of a unit: variables of functions among them, which later LLVMs refuse."""


def named_variables(text: str, told: str, procedures: Sequence[Procedure]) -> str:
    """The module with local variables called as in `told`, the same with what debuggers need.
    Those for arguments have no names: these are the arguments'."""
    taken = {one.symbol: {dummy.name for dummy in one.dummies} for one in procedures}
    names = _names(_without_globals(told))
    module = llvm.parse_assembly(text)
    for function in module.functions:
        own = [i for block in function.blocks for i in block.instructions if i.opcode == ALLOCA]
        known = names.get(function.name, [])
        arguments = taken.get(function.name, set())
        for variable, name in zip(own, known, strict=True) if len(own) == len(known) else ():
            if name not in arguments:
                variable.name = name
    return str(module)


def _without_globals(text: str) -> str:
    first, *rest = text.split(_GLOBALS)
    return first + "".join(part.lstrip("0123456789") for part in rest)


def _names(text: str) -> dict[str, list[str]]:
    """Of each function the names of its local variables in their order, empty where none is
    told."""
    found: dict[str, list[str]] = {}
    with opened(text) as module:
        for function in module.functions:
            names = metadata.declared_variables(module.context, function)
            own = [r for r in read.instructions([function]) if read.opcode_of(r) == read.ALLOCA]
            found[read.name(function)] = [names.get(ref, "") for ref in own]
    return found
