# SPDX-License-Identifier: Apache-2.0
"""The arguments and the result of a kernel."""

from __future__ import annotations

from tandem.frontend.addresses import OFFSET_BITS
from tandem.frontend.returned import MADE
from tandem.frontend.state import NUMBERS_ONLY, Importer
from tandem.frontend.wording import type_words
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.names import unused_name
from tandem.ir.ops import ArgumentOp
from tandem.llvm import attributes
from tandem.llvm import read as llvm


def read_signature(state: Importer) -> None:
    """Adds an argument for each parameter, in their order, and one for the result. There are no
    structs among them: see by_value.py.

    Raises UserError for what is neither a number nor a pointer."""
    names = [llvm.name(ref) for ref in llvm.parameters(state.function)]
    for i, ref in enumerate(llvm.parameters(state.function)):
        name = names[i] or unused_name(f"argument{i}", names)
        if llvm.is_pointer(ref):
            made = attributes.string_attribute(state.function, i + 1, MADE) is not None
            state.kernel.arguments.append(
                Argument(name, ArgumentKind.POINTER, "in", "void *", made=made)
            )
        elif llvm.number_bits(llvm.call("TypeOf", ref)):
            _add_scalar(
                state, ref, name, attributes.has_attribute(state.function, i + 1, "signext")
            )
        else:
            raise state.error(
                "argument-type",
                f"`{name}` has the type {type_words(llvm.call('TypeOf', ref))}",
                f"{NUMBERS_ONLY}, and pointers to them",
            )
    _add_result(state)


def _add_scalar(state: Importer, ref: llvm.Ref, name: str, is_signed: bool) -> None:
    kind = llvm.call("TypeOf", ref)
    width = llvm.number_bits(kind)
    op = ArgumentOp((), width, {"name": name}, name=name)
    c_type = _c_type(kind, is_signed)
    argument = Argument(name, ArgumentKind.SCALAR, "in", c_type, width, op=op, signed=is_signed)
    state.kernel.arguments.append(argument)
    state.values[ref] = op


def _c_type(kind: llvm.Ref, is_signed: bool) -> str:
    width = llvm.number_bits(kind)
    if llvm.call("GetTypeKind", kind) != llvm.TYPE_INTEGER:
        return {32: "float", 64: "double"}[width]
    if width == 1:
        return "_Bool"
    return f"{'' if is_signed else 'u'}int{width}_t"


def _add_result(state: Importer) -> None:
    for ref in llvm.children(state.function, "BasicBlock"):
        end = llvm.call("GetBasicBlockTerminator", ref)
        if llvm.call("GetInstructionOpcode", end) != llvm.RET or not llvm.operands(end):
            continue
        value = llvm.operands(end)[0]
        kind = llvm.call("TypeOf", value)
        name = unused_name("result", {a.name for a in state.kernel.arguments})
        if llvm.is_pointer(value):
            state.kernel.arguments.append(
                Argument(name, ArgumentKind.SCALAR, "out", "void *", OFFSET_BITS)
            )
            return
        width = llvm.number_bits(kind)
        if not width:
            text = f"the function returns a {type_words(kind)}"
            raise state.error("result-type", text, f"{NUMBERS_ONLY}, or returns nothing")
        c_type = _c_type(kind, attributes.has_attribute(state.function, 0, "signext"))
        float_bytes = 0 if llvm.is_integer(value) else width // 8
        state.kernel.arguments.append(
            Argument(name, ArgumentKind.SCALAR, "out", c_type, width, float_bytes=float_bytes)
        )
        return
