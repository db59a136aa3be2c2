# SPDX-License-Identifier: Apache-2.0
"""What C asserts (`assert`) is so in hardware: the C of every call checks it, and ends the program
where it is not."""

from __future__ import annotations

import llvmlite.binding

from tandem.llvm.edit import erase
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.passes import rewritten
from tandem.llvm.read import call, calls_of, opcode_of

_FAILED = "__assert_fail"


def without_assertions(
    module: llvmlite.binding.ModuleRef,
) -> llvmlite.binding.ModuleRef:
    """The module in which an assertion never fails."""
    has_any = any(function.name == _FAILED for function in module.functions)
    return rewritten(module, _drop) if has_any else module


def _drop(module: Module) -> bool:
    failed = module.function(_FAILED)
    found = [made for made in calls_of(failed) if _is_last(made)] if failed else []
    for made in found:
        erase(made)
    return bool(found)


def _is_last(made: int) -> bool:
    """Whether nothing runs after a call."""
    return opcode_of(call("GetNextInstruction", made)) == Opcode.UNREACHABLE
