# SPDX-License-Identifier: Apache-2.0
"""Processes and streams (`tandem/stream.h`) in LLVM IR: what of the header is hardware, and what
only makes it run in software.

The header's functions that a kernel knows become declarations, and each call that starts a process
gets a copy of its function, which is the process.
"""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvmlite

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.sharing import APART
from tandem.llvm import metadata
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.copies import Copies
from tandem.llvm.edit import add_attribute, erase, rename, replace, set_operand
from tandem.llvm.module import Module, number_of
from tandem.llvm.passes import Passes, rewritten, run_passes
from tandem.llvm.read import Ref, call

WRITE, READ, WORD, DEPTH, TRY_WRITE, TRY_READ, EMPTY, FULL = (
    f"tandem_stream_{name}"
    for name in ("write", "read", "word", "depth", "try_write", "try_read", "empty", "full")
)
STREAM_CALLS = frozenset({WRITE, READ, WORD, DEPTH, TRY_WRITE, TRY_READ, EMPTY, FULL})
JOIN = "tandem_join"
STARTING, STARTED = "tandem_starting", "tandem_started"
_HARDWARE = "tandem_is_hardware"
KNOWN = (*sorted(STREAM_CALLS), JOIN, STARTING, STARTED)
"""Functions of the header that become hardware."""
_AS_IT_IS = ("noduplicate", "nomerge", "nounwind")
PROCESS = ".process"
"""What the name of a process has behind its function's, with its number."""


def is_process(name: str) -> bool:
    """Whether a function is one of the copies that are processes."""
    return PROCESS in name


def has_streams(module: llvmlite.ModuleRef) -> bool:
    """Whether the module includes `tandem/stream.h`, and uses it."""
    return any(function.name == _HARDWARE for function in module.functions)


def with_processes(module: llvmlite.ModuleRef, files: Sequence[str]) -> llvmlite.ModuleRef:
    """A module with streams as hardware sees it. Raises UserError where what is started is no
    function of the program."""
    module = rewritten(module, _as_hardware)
    _drop_software(module)
    return rewritten(module, lambda module: _copy_all(module, files))


def _as_hardware(module: Module) -> bool:
    for name in KNOWN:
        function = module.function(name)
        if function is not None and llvm.entry(function):
            _only_declare(module, function, name)
    asked = module.function(_HARDWARE)
    for ref in llvm.calls_of(asked) if asked else ():
        replace(ref, number_of(llvm.type_of(ref), 1))
    return True


def _only_declare(module: Module, function: Ref, name: str) -> None:
    """Has a function of the header be only declared. No call of it is copied: a loop that takes a
    record to know whether it goes on would take two of them. No two are made one, which could be
    about either of two streams."""
    rename(function, f"{name}.software")
    kinds = [llvm.type_of(parameter) for parameter in llvm.parameters(function)]
    made = module.declared(name, llvm.result_type(function), kinds)
    for word in _AS_IT_IS:
        add_attribute(made, FUNCTION_INDEX, module.enum_attribute(word))
    call("ReplaceAllUsesWith", function, made)
    call("DeleteFunction", function)


def _drop_software(module: llvmlite.ModuleRef) -> None:
    """Leaves out what is never reached in hardware."""
    run_passes(
        module,
        Passes.add_simplify_cfg_pass,
        Passes.add_instruction_combine_pass,
        Passes.add_simplify_cfg_pass,
    )


def _copy_all(module: Module, files: Sequence[str]) -> bool:
    """Has each start call a copy of its function."""
    marks = [mark for mark in map(module.function, (STARTING, STARTED)) if mark]
    copies = Copies(module)
    for number, (begin, started) in enumerate(_starts(module)):
        function = llvm.called(started) if started else None
        if function is None or not started or not llvm.entry(function):
            raise _no_process(begin, files)
        copy = copies.made(function, f"{llvm.name(function)}{PROCESS}{number}")
        add_attribute(copy, FUNCTION_INDEX, module.attribute(APART))
        set_operand(started, call("GetNumOperands", started) - 1, copy)
    copies.finish()
    for ref in [ref for mark in marks for ref in llvm.calls_of(mark)]:
        erase(ref)
    return True


def _starts(module: Module) -> list[tuple[Ref, Ref | None]]:
    """Where each start of a process begins, and its last call, if there is one of a function."""
    starts = []
    for function in module.defined:
        begin = last = None
        for ref in llvm.instructions([function]):
            called = llvm.name_called(ref)
            if called == STARTING:
                begin, last = ref, None
            elif called == STARTED and begin is not None:
                starts.append((begin, last))
                begin = None
            elif called:
                last = ref
    return starts


def _no_process(begin: Ref, files: Sequence[str]) -> UserError:
    function = llvm.function_of(begin)
    return user_error(
        "process",
        "what `tandem_start` starts is no function of the program",
        metadata.definition_place(function) or Place(files[0]),
        "start a call of a function that has its C here: `tandem_start(filter(&a, &b))`",
    )
