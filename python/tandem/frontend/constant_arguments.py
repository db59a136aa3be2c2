# SPDX-License-Identifier: Apache-2.0
"""Numbers that every call gives: `static void f(int n, ...)`, of which all calls say `f(40, ...)`.

Of a function that only its own file can call, and of which nothing but calls speaks, all calls are
known. An integer that is one constant in all of them is that constant in hardware too: loops run a
known number of times, and what depends on it folds away. The argument stays in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvmlite

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.symbols import definition
from tandem.llvm import read as llvm
from tandem.llvm.module import Module, edited, number_of, opened
from tandem.llvm.passes import Passes, run_passes
from tandem.llvm.read import Ref, call


def with_constant_arguments(
    modules: Sequence[str], top: str, place: Place
) -> tuple[list[str], list[Diagnostic]]:
    """Modules in which those integers that all calls of `top` give the same constant for are
    constants, and a note of them."""
    having = [i for i, text in enumerate(modules) if definition(text, top) is not None]
    found = _constants(modules[having[0]], top) if len(having) == 1 else {}
    if not found:  # or a header's, of which each file has its own
        return list(modules), []
    i = having[0]
    made = [*modules[:i], _with(modules[i], top, found), *modules[i + 1 :]]
    return made, [_note(top, found, place)]


def _constants(text: str, top: str) -> dict[str, int]:
    """The parameters that are constants, by their names, with the number that each is."""
    with opened(text) as module:
        if not _calls(module, top):
            return {}
    copy = llvmlite.parse_assembly(text)
    run_passes(copy, Passes.add_sroa_pass, Passes.add_sccp_pass)
    with opened(str(copy)) as module:
        return _same_in_all(module.function(top), _calls(module, top))


def _same_in_all(function: Ref | None, calls: list[Ref]) -> dict[str, int]:
    parameters = llvm.parameters(function) if function and calls else []
    given = [[llvm.operands(ref)[i] for ref in calls] for i in range(len(parameters))]
    return {
        llvm.name(parameter): _number(values[0])
        for parameter, values in zip(parameters, given, strict=True)
        if llvm.constant_number(values[0]) is not None and len(set(values)) == 1
    }


def _number(constant: Ref) -> int:
    """The number that an argument is, 1 for true."""
    is_truth = llvm.number_bits(llvm.type_of(constant)) == 1
    return (llvm.constant_number(constant) or 0) if is_truth else llvm.signed_number(constant)


def _calls(module: Module, top: str) -> list[Ref]:
    """The calls of a function that only its own file can call; none where more than calls speaks of
    it."""
    function = module.function(top)
    if function is None or llvm.linkage(function) not in llvm.LOCAL:
        return []
    users = list(llvm.users(function))
    is_alone = all(llvm.called(ref) == function for ref in users)
    # What is given as an argument too is a use of its own.
    return users if is_alone and len(set(users)) == len(users) else []


def _with(text: str, top: str, constants: dict[str, int]) -> str:
    return edited(text, lambda module: _put(module, top, constants)) or text


def _put(module: Module, top: str, constants: dict[str, int]) -> bool:
    function = module.function(top)
    for parameter in llvm.parameters(function) if function else ():
        number = constants.get(llvm.name(parameter))
        if number is not None:
            by = number_of(llvm.type_of(parameter), number)
            call("ReplaceAllUsesWith", parameter, by)
    return True


def _note(top: str, constants: dict[str, int], place: Place) -> Diagnostic:
    told = " and ".join(f"`{name}` is {number}" for name, number in constants.items())
    return Diagnostic(
        "constant",
        f"in all calls of `{top}` {told}: its hardware is made for that",
        place,
        "take `static` away from the function to have hardware for any numbers",
        severity="note",
    )
