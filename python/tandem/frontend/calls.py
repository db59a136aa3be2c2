# SPDX-License-Identifier: Apache-2.0
"""Calls during import: LLVM's intrinsics; everything else has been inlined, or cannot be."""

from __future__ import annotations

from tandem.diagnostics import UserError
from tandem.frontend.block_loops import IS_BELOW
from tandem.frontend.fields import FIELD
from tandem.frontend.floats import FUNCTIONS, float_function, is_of_class, split
from tandem.frontend.heap import RELEASE
from tandem.frontend.instructions import (
    INTRINSICS,
    OVERFLOWS,
    build_intrinsic,
    build_with_overflow,
)
from tandem.frontend.macros import PREFIX, is_macro
from tandem.frontend.memories import MemoryTable
from tandem.frontend.state import Importer, outside_call, value_of, width_of
from tandem.ir.builder import Builder
from tandem.ir.ops import MacroOp
from tandem.llvm import read as llvm

PROBE = "tandem_extent_"
"""Prefix of the functions to which a copy of the C hands the sizes that it tells."""
IGNORED_CALLS = (
    "llvm.lifetime",
    "llvm.stacksave",
    "llvm.stackrestore",
    "llvm.dbg",
    "llvm.assume",
    "llvm.experimental.noalias",
    "llvm.invariant",
)
OUTPUT = frozenset(
    [
        "printf",
        "puts",
        "putchar",
        "putc",
        "fputc",
        "fputs",
        "fprintf",
        "fwrite",
        "fflush",
        "perror",
        "vprintf",
        "vfprintf",
        "setbuf",
        "setvbuf",
    ]
)
"""Functions that show something: the C does so in every mode, and no hardware is made of them."""
ENDS = frozenset(
    {
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "abort",
        "__assert_fail",
        "llvm.trap",
        "llvm.ubsantrap",
    }
)
"""Functions that end the program: the kernel ends with them."""


def build_call(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> None:
    """Translates a call. Raises UserError for one that no hardware is made of."""
    callee = llvm.name(llvm.call("GetCalledValue", ref))
    if callee.startswith(IGNORED_CALLS):
        return
    if callee.startswith(PROBE):
        state.kernel.probes[callee] = value_of(state, llvm.operands(ref)[0])
    elif callee == FIELD:
        memories.tell_of_field(builder, ref)
    elif callee == RELEASE:
        memories.check_released(ref)
    elif is_macro(callee):
        function = callee.removeprefix(PREFIX)
        parts = [value_of(state, o) for o in llvm.operands(ref)[:-1]]
        state.values[ref] = builder.build(MacroOp, parts, width_of(state, ref), function=function)
    else:
        _build_known(state, memories, builder, ref, callee)


def _build_known(
    state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref, callee: str
) -> None:
    """Translates a call of one of LLVM's functions, or the C library's, that are operations."""
    base = callee.rsplit(".", 1)[0] if callee.startswith("llvm.") else callee
    short = ".".join(callee.split(".")[:2])
    if short in ("llvm.memcpy", "llvm.memmove", "llvm.memset"):
        memories.block_operation(builder, short, ref)
    elif callee == IS_BELOW:
        state.values[ref] = memories.is_below(builder, *llvm.operands(ref)[:2])
    elif base in OVERFLOWS:
        parts = [value_of(state, o) for o in llvm.operands(ref)[:-1]]
        state.pairs[ref] = build_with_overflow(builder, base, parts)
    elif base in INTRINSICS or short in INTRINSICS:
        name = base if base in INTRINSICS else short
        parts = [value_of(state, o) for o in llvm.operands(ref)[:-1]]
        state.values[ref] = build_intrinsic(builder, name, parts, width_of(state, ref))
    elif name := float_function(callee):
        count, build = FUNCTIONS[name]
        parts = [value_of(state, o) for o in llvm.operands(ref)[:count]]
        state.values[ref] = build(builder, parts, width_of(state, ref))
    elif short == "llvm.modf":
        state.pairs[ref] = split(builder, value_of(state, llvm.operands(ref)[0]))
    elif callee.startswith("llvm.is.fpclass."):
        value, classes = (value_of(state, o) for o in llvm.operands(ref)[:2])
        state.values[ref] = is_of_class(builder, value, classes.value)
    elif callee not in ENDS and (callee not in OUTPUT or llvm.call("GetFirstUse", ref)):
        raise _refused(state, callee)


def _refused(state: Importer, callee: str) -> UserError:
    """Why no hardware is made of a call."""
    if callee in OUTPUT:
        cure = "leave it unused: only the C prints, and hardware knows no count of characters"
        return state.error("call", f"the result of `{callee}` is used", cure)
    if callee.startswith(("llvm.va_start", "llvm.va_copy")):
        cure = "give it a fixed number of parameters, or an array"
        return state.error("call", "arguments beyond the named ones", cure)
    if not callee:
        return state.error("assembly", "inline assembly", "write in C what it does")
    return outside_call(state, callee)
