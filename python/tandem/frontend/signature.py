# SPDX-License-Identifier: Apache-2.0
"""The arguments and the result of a kernel."""

from __future__ import annotations

from tandem.frontend import llvm_c as llvm
from tandem.frontend.state import Importer
from tandem.ir.kernel import Argument, Op

RET = 1


def read_signature(state: Importer) -> None:
    kernel = state.kernel
    for i in range(llvm.call("CountParams", state.function)):
        ref = llvm.call("GetParam", state.function, i)
        name = llvm.name(ref) or f"argument{i}"
        kind = llvm.call("TypeOf", ref)
        which = llvm.call("GetTypeKind", kind)
        if which == llvm.TYPE_POINTER:
            if any(llvm.has_attribute(state.function, i + 1, a) for a in ("byval", "sret")):
                raise state.error(
                    "struct-argument",
                    f"`{name}` is a struct passed by value",
                    "pass a pointer to it, or its members",
                )
            kernel.arguments.append(Argument(name, "pointer", "in", "void *"))
        elif which == llvm.TYPE_INTEGER:
            width = llvm.call("GetIntTypeWidth", kind)
            op = Op("argument", (), width, {"name": name}, name=name)
            is_signed = llvm.has_attribute(state.function, i + 1, "signext")
            c_type = _c_type(width, is_signed)
            kernel.arguments.append(
                Argument(name, "scalar", "in", c_type, width, op=op, signed=is_signed)
            )
            state.values[ref] = op
        else:
            raise state.error(
                "argument-type",
                f"`{name}` has the type {llvm.type_text(kind)}",
                "this version takes integers and pointers to integers",
            )
        if ".coerce" in name:
            raise state.error(
                "struct-argument",
                f"`{name.split('.')[0]}` is a struct passed by value",
                "pass a pointer to it, or its members",
            )
    _result(state)


def _c_type(width: int, is_signed: bool) -> str:
    if width == 1:
        return "_Bool"
    return f"{'' if is_signed else 'u'}int{width}_t" if width <= 64 else "unsigned __int128"


def _result(state: Importer) -> None:
    for ref in llvm.children(state.function, "BasicBlock"):
        end = llvm.call("GetBasicBlockTerminator", ref)
        if llvm.call("GetInstructionOpcode", end) == RET and llvm.operands(end):
            kind = llvm.call("TypeOf", llvm.operands(end)[0])
            if llvm.call("GetTypeKind", kind) != llvm.TYPE_INTEGER:
                raise state.error(
                    "result-type",
                    f"the function returns {llvm.type_text(kind)}",
                    "this version returns integers or nothing",
                )
            width = llvm.call("GetIntTypeWidth", kind)
            state.kernel.arguments.append(
                Argument(
                    "result"
                    if all(a.name != "result" for a in state.kernel.arguments)
                    else "result_",
                    "scalar",
                    "out",
                    _c_type(width, llvm.has_attribute(state.function, 0, "signext")),
                    width,
                )
            )
            return
