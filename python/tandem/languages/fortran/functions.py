# SPDX-License-Identifier: Apache-2.0
"""Fortran's procedures as functions that hardware can be made of.

Fortran passes all by its place in memory. So each procedure becomes a function under its author's
name that takes by value what is a number and does not change, and calls of the procedure lead to it
by way of one with the procedure's own symbol, which reads those numbers. Of an array with a
descriptor the function takes the place and the extents of a contiguous one; for another one there
is a copy of the procedure that software calls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Sequence
from itertools import count

import llvmlite.binding as llvm

from tandem.languages.fortran.making import make_functions
from tandem.languages.fortran.plain import PLACE, Plain
from tandem.languages.fortran.procedures import Dummy, DummyKind, Procedure
from tandem.llvm.module import edited
from tandem.llvm.passes import Passes, run_passes

PLAIN_RESULTS = ("void", "i8", "i16", "i32", "i64", "float", "double")


def with_plain_functions(
    text: str, procedures: Sequence[Procedure], several: Collection[str] = ()
) -> tuple[str, list[Plain]]:
    """The module with a function for each of its procedures that can have one. `several`: names
    that more than one procedure of the program has."""
    module = llvm.parse_assembly(text)
    only_read = _only_read(text)
    known = {*(function.name for function in module.functions), *several}
    found: list[Plain] = []
    for procedure in procedures:
        function = _defined(module, procedure)
        if function is None:
            continue
        plain = _plain(procedure, function, known, only_read[procedure.symbol])
        _name_parameters(function, procedure, plain)
        if plain is not None:
            known.add(plain.name)
            found.append(plain)
    text = str(module)
    module = llvm.parse_assembly(edited(text, lambda made: make_functions(made, found)) or text)
    run_passes(module, Passes.add_always_inliner_pass)
    _name_entries(module)
    return str(module), found


def _name_entries(module: llvm.ModuleRef) -> None:
    """Gives first blocks their label, without which LLVM's text begins them with nothing."""
    for function in module.functions:
        for block in list(function.blocks)[:1]:
            block.name = block.name or "entry"


def _defined(module: llvm.ModuleRef, procedure: Procedure) -> llvm.ValueRef | None:
    """The function that a procedure is, if its arguments are those that Fortran has."""
    names = {function.name: function for function in module.functions}
    function = names.get(procedure.symbol)
    if function is None or function.is_declaration:
        return None
    return function if len(list(function.arguments)) == len(procedure.dummies) else None


def _only_read(text: str) -> dict[str, set[int]]:
    """Of each function, the places of the parameters behind which something is read, and nothing
    written: what is not looked at may be no place."""
    module = llvm.parse_assembly(text)
    run_passes(
        module,
        Passes.add_post_order_function_attributes_pass,
        Passes.add_rpo_function_attrs_pass,
    )
    return {
        function.name: {
            place
            for place, argument in enumerate(function.arguments)
            if b"readonly" in list(argument.attributes)
        }
        for function in module.functions
    }


def _name_parameters(function: llvm.ValueRef, procedure: Procedure, plain: Plain | None) -> None:
    for argument, dummy in zip(function.arguments, procedure.dummies, strict=True):
        is_changed = plain is not None and plain.changes(dummy)
        argument.name = f"{dummy.name}{PLACE if is_changed else ''}"


def _plain(
    procedure: Procedure, function: llvm.ValueRef, known: set[str], only_read: set[int]
) -> Plain | None:
    """The function for a procedure: none for one that C has named and can call."""
    if procedure.is_bound or _result(function) not in PLAIN_RESULTS:
        return None
    numbers = frozenset(
        dummy.name
        for place, dummy in enumerate(procedure.dummies)
        if _is_constant(dummy, place in only_read)
    )
    name = next(name for name in _names(procedure) if name not in known and not _is_of_c(name))
    return Plain(procedure, name, numbers)


def _result(function: llvm.ValueRef) -> str:
    """LLVM's type of what a function returns."""
    return str(function.global_value_type).partition(" (")[0]


def _is_constant(dummy: Dummy, is_only_read: bool) -> bool:
    if dummy.kind is not DummyKind.SCALAR or not dummy.is_steady:
        return False
    return is_only_read or "intent_in" in dummy.attributes


def _names(procedure: Procedure) -> Iterator[str]:
    """What the function may be called, the best first."""
    whole = f"{procedure.module}_{procedure.name}" if procedure.module else procedure.name
    yield from (procedure.name, whole, f"{whole}_procedure")
    yield from (f"{whole}_procedure{number}" for number in count(2))


def _is_of_c(name: str) -> bool:
    """Whether compilers take a function of that name for one of C's own."""
    libraries = (ctypes.CDLL(library) for library in ("libc.so.6", "libm.so.6"))
    return any(hasattr(library, name) for library in libraries)
