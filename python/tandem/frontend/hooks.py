# SPDX-License-Identifier: Apache-2.0
"""Variables that are pointers to functions, and only ever set to one.

A library that chooses between versions of a function says so where it begins, `transform =
transform_plain;`, and calls `transform` everywhere. Hardware has no addresses of functions; but a
call through nothing is none, so that a call through such a variable is one of that function.
"""

from __future__ import annotations

from tandem.frontend.own_pointers import UNDEFINED
from tandem.llvm import read as llvm
from tandem.llvm.edit import set_operand
from tandem.llvm.module import Module
from tandem.llvm.read import Ref, call, opcode_of, operands, users


def call_what_is_set(module: Module) -> None:
    """In a module of the whole program, has calls through such a variable name the function; what
    else is done with what it holds stays."""
    set_to = {variable: _only_function(variable) for variable in module.variables}
    for variable, function in ((v, f) for v, f in set_to.items() if f):
        for ref in _calls_through(variable, function):
            set_operand(ref, len(operands(ref)) - 1, function)


def _calls_through(variable: Ref, function: Ref) -> list[Ref]:
    """The calls through what is read of a variable, as of a function of that type."""
    kind = call("GlobalGetValueType", function)
    read = [user for user in users(variable) if opcode_of(user) == llvm.LOAD]
    made = [user for pointer in read for user in users(pointer) if llvm.called(user) == pointer]
    return [ref for ref in made if call("GetCalledFunctionType", ref) == kind]


def _only_function(variable: Ref) -> Ref | None:
    """The function that a variable of the program is set to, if it is nothing else but unset before
    that; None where it is set to several, or others may set it."""
    kind = call("GlobalGetValueType", variable)
    first = call("GetInitializer", variable)
    if call("GetTypeKind", kind) != llvm.TYPE_POINTER or not first:
        return None
    values = {first}
    for user in users(variable):
        if opcode_of(user) == llvm.STORE and operands(user)[1] == variable:
            values.add(operands(user)[0])
        elif opcode_of(user) != llvm.LOAD:
            return None
    functions = [value for value in values if llvm.is_function(value)]
    others = {call("GetValueKind", value) for value in values if value not in functions}
    return functions[0] if len(functions) == 1 and others <= UNDEFINED else None
