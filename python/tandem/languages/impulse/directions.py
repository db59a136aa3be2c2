# SPDX-License-Identifier: Apache-2.0
"""Which way a process moves what it shares with others, as far as its C tells."""

from __future__ import annotations

from collections.abc import Iterator

import llvmlite.binding as llvm

from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.program import Program
from tandem.languages.impulse.network import Network
from tandem.llvm.passes import Passes, run_passes

READS = frozenset(
    {
        *("co_stream_read", "co_stream_read_nb", "co_stream_eos", "co_signal_wait"),
        *("co_register_read", "co_register_get"),
    }
)
WRITES = frozenset({"co_stream_write", "co_signal_post", "co_register_write", "co_register_put"})
STATIC = -1
"""In place of a parameter: nobody else can call the function."""


def directions(program: Program, network: Network) -> dict[tuple[str, int], bool]:
    """(function, parameter) -> whether a process gives there, as far as its C tells."""
    functions = {process.function for process in network.processes}
    found: dict[tuple[str, int], bool] = {}
    for file in program.files:
        module = llvm.parse_assembly(to_llvm_ir(file))
        run_passes(module, Passes.add_sroa_pass)
        for function in module.functions:
            if function.name in functions and not function.is_declaration:
                found.update(_uses(function))
                found |= {(function.name, STATIC): True} if _is_static(function) else {}
    return found


def _is_static(function: llvm.ValueRef) -> bool:
    return function.linkage == llvm.Linkage.internal


def _uses(function: llvm.ValueRef) -> Iterator[tuple[tuple[str, int], bool]]:
    names = [argument.name for argument in function.arguments]
    for block in function.blocks:
        for instruction in block.instructions:
            operands = list(instruction.operands)
            called = operands[-1].name if instruction.opcode == "call" and operands else ""
            if called not in READS | WRITES and called != "co_stream_open":
                continue
            end = operands[0].name
            if end in names and called != "co_stream_open":
                yield (function.name, names.index(end)), called in WRITES
            elif end in names and operands[1].is_constant:
                yield (function.name, names.index(end)), str(operands[1]) != "i32 0"
