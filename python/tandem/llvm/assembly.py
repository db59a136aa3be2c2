# SPDX-License-Identifier: Apache-2.0
"""What inline assembly says."""

from __future__ import annotations

import ctypes

from tandem.llvm.binding import Ref, call
from tandem.llvm.signatures import SIZE


def inline_assembly(callee: Ref) -> tuple[str, str]:
    """The text of some inline assembly, and what it says of its operands, as LLVM writes that."""
    return _told("GetInlineAsmAsmString", callee), _told("GetInlineAsmConstraintString", callee)


def _told(what: str, value: Ref) -> str:
    length = SIZE()
    data = ctypes.string_at(call(what, value, ctypes.byref(length)), length.value)
    return data.decode("utf-8", "surrogateescape")
