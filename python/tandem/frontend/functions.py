# SPDX-License-Identifier: Apache-2.0
"""Functions that stay functions during import: their parameters, and the calls of them.

A call ends a block; behind it the caller goes on in another one. A parameter is what a phi is: a
number, or a pointer into the arrays that the calls' pointers lead to.
"""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING

from tandem.frontend.block_loops import IS_BELOW
from tandem.frontend.processes import PROCESS, is_process
from tandem.frontend.state import Importer, value_of, width_of
from tandem.ir.blocks import Block, Call, Edge, Join, Jump, Start, Terminator
from tandem.ir.builder import Builder
from tandem.ir.names import plain
from tandem.ir.ops import Op, Parameter, ResultOp
from tandem.llvm import attributes
from tandem.llvm import read as llvm

if TYPE_CHECKING:
    from tandem.frontend.memories import MemoryTable


def called_functions(module: llvm.Ref, top: str) -> list[llvm.Ref]:
    """The function `top`, and those that it calls, directly and through others."""
    defined = {llvm.name(f): f for f in llvm.children(module, "Function") if llvm.entry(f)}
    defined.pop(IS_BELOW, None)
    found = [defined[top]]
    for function in found:
        for call in llvm.calls([function]):
            callee = defined.get(llvm.name(llvm.call("GetCalledValue", call)))
            if callee is not None and callee not in found:
                found.append(callee)
    return found


def is_call_apart(state: Importer, instruction: llvm.Ref) -> bool:
    """Whether an instruction calls a function that stays one."""
    if llvm.call("GetInstructionOpcode", instruction) != llvm.CALL or len(state.functions) == 1:
        return False
    return llvm.call("GetCalledValue", instruction) in state.functions


def name_functions(state: Importer) -> None:
    """Gives every called function a name that every tool reads."""
    for function in state.functions[1:]:
        own = plain(llvm.name(function).partition(PROCESS)[0], "function")
        names = chain([own], (f"{own}_{n}" for n in count(2)))
        state.names[function] = next(n for n in names if n not in state.names.values())


def create_parameters(state: Importer, memories: MemoryTable, function: llvm.Ref) -> None:
    """The parameters of a called function's first block. Raises UserError for those that are
    neither integers nor pointers, and for such a result."""
    block = state.blocks[llvm.entry(function)]
    if not llvm.result_bits(function) and not llvm.returns_nothing(function):
        raise state.error("call", "a function returns no integer", "return it through a pointer")
    for i, ref in enumerate(llvm.parameters(function)):
        if attributes.has_attribute(function, i + 1, "byval"):
            raise state.error("call", "a struct passed by value to a function", "pass a pointer")
        if llvm.is_pointer(ref):
            parameters = memories.create_phi(state.builders[block], ref)
        else:
            parameters = [Parameter((), width_of(state, ref))]
            state.values[ref] = parameters[0]
        for parameter in parameters:
            parameter.name = llvm.name(ref)
        block.parameters += parameters


def join(state: Importer, builder: Builder, home: llvm.Ref) -> Builder:
    """Ends the builder's block where all processes have to return; the builder behind it."""
    return _go_on(state, builder, home, Join())


def next_turn(state: Importer, builder: Builder, home: llvm.Ref) -> Builder:
    """Ends the builder's block where records are taken or given after others that may have to
    come first; the builder behind it."""
    return _go_on(state, builder, home, Jump())


def _go_on(state: Importer, builder: Builder, home: llvm.Ref, end: Terminator) -> Builder:
    """The builder of a new block, to which the end of the builder's own leads last."""
    behind = Block(f"{state.blocks[home].name}_{len(state.builders)}", line=builder.line)
    state.ends[home] = behind
    end.edges.append(Edge(behind))
    end.line = builder.line
    builder.block.end = end
    following = state.builders[behind] = Builder(state.kernel, behind)
    following.line = builder.line
    return following


def call_apart(
    state: Importer, memories: MemoryTable, builder: Builder, home: llvm.Ref, call: llvm.Ref
) -> Builder:
    """Ends the builder's block with a call; the builder of the block behind it. `home` is the LLVM
    block in which the call stands."""
    function = llvm.call("GetCalledValue", call)
    arguments: list[Op] = []
    for ref, given in llvm.passed(call):
        if llvm.is_pointer(ref):
            arguments += memories.phi_values(builder, ref, given)
        else:
            arguments.append(value_of(state, given))
    into = Edge(state.blocks[llvm.entry(function)], arguments)
    name = state.names[function]
    end = Start if is_process(llvm.name(function)) else Call
    following = _go_on(state, builder, home, end(edges=[into], callee=name))
    if llvm.result_bits(function):
        width = width_of(state, call)
        state.values[call] = following.raw(ResultOp, [], width, function=name)
    return following
