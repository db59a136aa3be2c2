# SPDX-License-Identifier: Apache-2.0
"""Which arrays pointers may stand in.

A pointer that is read through another one that was read from memory may be in any array whose
address stands somewhere; few of these hold pointers. A type with pointers in it, or of plain bytes,
tells so. Others tell nothing: pointers are put into arrays of large numbers, which are aligned, and
into unions. What counts there is what is done to the array where it is known to be that one.
"""

from __future__ import annotations

from collections.abc import Sequence

from tandem.frontend.pointers import PointerFacts
from tandem.llvm import read as llvm
from tandem.llvm import sizes

COPIES = ("llvm.memcpy", "llvm.memmove")
"""Copies of what may be pointers."""


class PointerHolders:
    """What the accesses of some functions tell of the arrays that they are known to lead to."""

    def __init__(self, functions: Sequence[llvm.Ref]) -> None:
        direct = PointerFacts(functions, is_through_memory=False)
        self._pointers: set[llvm.Ref] = set()
        self._numbers: set[llvm.Ref] = set()
        for ref in llvm.instructions(functions):
            for place in _places(ref):
                noted = self._pointers if _may_move_pointers(ref) else self._numbers
                noted.update(direct.bases(place))

    def may_hold(self, base: llvm.Ref) -> bool:
        """Whether pointers may stand in an array: if nothing is known of it, they may."""
        if sizes.has_place_for_pointers(base) or base in self._pointers:
            return True
        return base not in self._numbers and not _is_full_of_numbers(base)


def _places(ref: llvm.Ref) -> list[llvm.Ref]:
    """The pointers that an instruction accesses memory through."""
    opcode, operands = llvm.opcode_of(ref), llvm.operands(ref)
    if opcode == llvm.LOAD:
        return operands[:1]
    if opcode == llvm.STORE:
        return operands[1:]
    return operands[:2] if _is_copy(ref) else []


def _may_move_pointers(ref: llvm.Ref) -> bool:
    kind = llvm.call("GetTypeKind", llvm.type_accessed(ref))
    return _is_copy(ref) or kind == llvm.TYPE_POINTER


def _is_copy(ref: llvm.Ref) -> bool:
    return llvm.opcode_of(ref) == llvm.CALL and llvm.name(llvm.operands(ref)[-1]).startswith(COPIES)


def _is_full_of_numbers(base: llvm.Ref) -> bool:
    """Whether a base is a function, or a table without pointers."""
    if llvm.call("GetValueKind", base) != llvm.VALUE_GLOBAL:
        return llvm.call("GetValueKind", base) == llvm.VALUE_FUNCTION
    return bool(llvm.call("IsGlobalConstant", base))
