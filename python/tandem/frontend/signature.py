# SPDX-License-Identifier: Apache-2.0
"""The arguments and the result of a kernel."""

from __future__ import annotations

from tandem.diagnostics import UserError
from tandem.frontend import llvm_c as llvm
from tandem.frontend.state import Importer
from tandem.frontend.wording import type_words
from tandem.ir.kernel import Argument, Op

RET = 1


def read_signature(state: Importer) -> None:
    """Adds an argument for each parameter, in their order, and one for the result.

    Raises UserError for what is neither an integer nor a pointer."""
    for i in range(llvm.call("CountParams", state.function)):
        ref = llvm.call("GetParam", state.function, i)
        name = llvm.name(ref) or _unused(state, f"argument{i}")
        if llvm.is_pointer(ref):
            if llvm.has_attribute(state.function, i + 1, "sret"):
                cure = "return it through a pointer"
                raise state.error("result-type", "the function returns a struct", cure)
            if llvm.has_attribute(state.function, i + 1, "byval"):
                raise _struct_argument(state, name)
            state.kernel.arguments.append(Argument(name, "pointer", "in", "void *"))
        elif ".coerce" in name:
            raise _struct_argument(state, name.split(".")[0])
        elif llvm.is_integer(ref):
            _add_scalar(state, ref, name, llvm.has_attribute(state.function, i + 1, "signext"))
        else:
            raise state.error(
                "argument-type",
                f"`{name}` has the type {type_words(llvm.call('TypeOf', ref))}",
                "this version takes integers and pointers to integers",
            )
    _add_result(state)


def _struct_argument(state: Importer, name: str) -> UserError:
    return state.error(
        "struct-argument",
        f"`{name}` is a struct passed by value",
        "pass a pointer to it, or its members",
    )


def _unused(state: Importer, name: str) -> str:
    """The name, with underscores until no parameter has it."""
    params = range(llvm.call("CountParams", state.function))
    taken = {llvm.name(llvm.call("GetParam", state.function, i)) for i in params}
    while name in taken:
        name += "_"
    return name


def _add_scalar(state: Importer, ref: llvm.Ref, name: str, is_signed: bool) -> None:
    width = llvm.call("GetIntTypeWidth", llvm.call("TypeOf", ref))
    op = Op("argument", (), width, {"name": name}, name=name)
    c_type = _c_type(width, is_signed)
    argument = Argument(name, "scalar", "in", c_type, width, op=op, signed=is_signed)
    state.kernel.arguments.append(argument)
    state.values[ref] = op


def _c_type(width: int, is_signed: bool) -> str:
    if width == 1:
        return "_Bool"
    return f"{'' if is_signed else 'u'}int{width}_t" if width <= 64 else "unsigned __int128"


def _add_result(state: Importer) -> None:
    for ref in llvm.children(state.function, "BasicBlock"):
        end = llvm.call("GetBasicBlockTerminator", ref)
        if llvm.call("GetInstructionOpcode", end) != RET or not llvm.operands(end):
            continue
        value = llvm.operands(end)[0]
        kind = llvm.call("TypeOf", value)
        if not llvm.is_integer(value):
            raise state.error(
                "result-type",
                f"the function returns a {type_words(kind)}",
                "this version returns integers or nothing",
            )
        width = llvm.call("GetIntTypeWidth", kind)
        c_type = _c_type(width, llvm.has_attribute(state.function, 0, "signext"))
        name = _unused(state, "result")
        state.kernel.arguments.append(Argument(name, "scalar", "out", c_type, width))
        return
