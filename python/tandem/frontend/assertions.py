# SPDX-License-Identifier: Apache-2.0
"""What C asserts (`assert`) is so in hardware: the C of every call checks it, and ends the program
where it is not."""

from __future__ import annotations

import re

import llvmlite.binding as llvm

_FAILED = "@__assert_fail("
_CALL = re.compile(r"^  (?:tail )?call void @__assert_fail\([^\n]*\n(?=  unreachable)", re.M)


def without_assertions(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """The module in which an assertion never fails."""
    text = str(module)
    return llvm.parse_assembly(_CALL.sub("", text)) if _FAILED in text else module
