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
from dataclasses import dataclass
from itertools import count

import llvmlite.binding as llvm

from tandem.frontend.symbols import STOOD_FOR, symbol
from tandem.frontend.text import definition, made_internal
from tandem.ir.names import unused_name
from tandem.languages.fortran.descriptors import (
    BASE,
    DIMENSIONS,
    EXTENT,
    STRIDE,
    described,
    descriptor,
    got,
    is_box,
    local_name,
)
from tandem.languages.fortran.names import strided_name
from tandem.languages.fortran.procedures import Dummy, DummyKind, Procedure
from tandem.languages.fortran.sizes import Size
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.copies import Copies
from tandem.llvm.edit import add_attribute
from tandem.llvm.module import Module, edited
from tandem.llvm.passes import Passes, run_passes

PLACE = ".addr"
"""Behind the name of what the procedure's own text takes for an argument's place, as in clang's."""
PLAIN_RESULTS = ("void", "i8", "i16", "i32", "i64", "float", "double")


@dataclass(frozen=True)
class Plain:
    """A procedure as a function under a `name`; `numbers`: the arguments that it takes by value, in
    place of their places in memory."""

    procedure: Procedure
    name: str
    result: str
    numbers: frozenset[str]

    @property
    def boxes(self) -> list[Dummy]:
        """The arrays with descriptors that it takes without."""
        return [d for d in self.procedure.dummies if is_box(d)]

    def sizes(self) -> Iterator[tuple[str, Size]]:
        """Arrays whose bytes the numbers that it takes tell."""
        values = (d.name for d in self.procedure.dummies if d.kind is DummyKind.VALUE)
        known = self.numbers.union(values)
        for dummy in self.procedure.dummies:
            if dummy.size is not None and dummy.size.names <= known:
                yield dummy.name, dummy.size

    @property
    def strided(self) -> list[Dummy]:
        """Those of them that calls may have otherwise than contiguous."""
        return [dummy for dummy in self.boxes if "contiguous" not in dummy.attributes]

    def changes(self, dummy: Dummy) -> bool:
        """Whether it takes an argument otherwise than the procedure."""
        return dummy.name in self.numbers or is_box(dummy)


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
    for plain in found:
        text = _with_plain_function(text, plain)
    module = llvm.parse_assembly(text)
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
    kind = _result(function)
    if procedure.is_bound or kind not in PLAIN_RESULTS:
        return None
    numbers = frozenset(
        dummy.name
        for place, dummy in enumerate(procedure.dummies)
        if _is_constant(dummy, place in only_read)
    )
    name = next(name for name in _names(procedure) if name not in known and not _is_of_c(name))
    return Plain(procedure, name, kind, numbers)


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


# -- the functions -------------------------------------------------------------------------------


def _with_plain_function(text: str, plain: Plain) -> str:
    """The module in which the procedure's own text is the function's, and the procedure calls
    it."""
    own = plain.procedure.symbol
    if plain.strided:
        text = edited(text, lambda module: _copy(module, own, strided_name(plain.name))) or text
    found = definition(text, own)
    assert found is not None
    made = [_caller(plain, found.line)]
    lines = "".join(f"\n  {line}" for line in _prelude(plain))
    return "\n".join([text.replace(found.line, f"{_head(plain, found.line)}{lines}", 1), *made])


def _copy(module: Module, own: str, other: str) -> bool:
    """Copies a procedure, for arrays that are not contiguous."""
    copies, function = Copies(module), module.function(own)
    assert function is not None
    copy = copies.made(function, other)
    for attribute in (module.enum_attribute("noinline"), module.attribute(STOOD_FOR)):
        add_attribute(copy, FUNCTION_INDEX, attribute)
    copies.finish()
    return True


def _head(plain: Plain, line: str) -> str:
    """The first line of the function, from that of the procedure."""
    before, _, rest = line.partition(f"@{symbol(plain.procedure.symbol)}(")
    behind = _behind_parameters(rest)
    parameters = ", ".join(_parameters(plain))
    return made_internal(f"{before}@{symbol(plain.name)}({parameters}){behind}")


def _behind_parameters(rest: str) -> str:
    """What stands behind the parameters of a first line, from behind the opening parenthesis on."""
    depth = 1
    for place, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return rest[place + 1 :]
    return ""


def _parameters(plain: Plain) -> Iterator[str]:
    for dummy in plain.procedure.dummies:
        name = local_name(dummy.name)
        if dummy.name in plain.numbers or dummy.kind is DummyKind.VALUE:
            is_signed = dummy.number.startswith("i") and not dummy.is_logical
            yield f"{dummy.number} {'signext ' if is_signed else ''}{name}"
        else:
            alone = "noalias " if dummy.is_steady else ""
            yield f"ptr {alone}{name}"
        if is_box(dummy):
            yield from (f"i64 signext {local_name(extent)}" for extent in _extents(plain, dummy))


def _extents(plain: Plain, dummy: Dummy) -> list[str]:
    """What the extents of an array with a descriptor are called."""
    known = [one.name for one in plain.procedure.dummies]
    base = unused_name(f"{dummy.name}_extent", known)
    return [base] if dummy.rank == 1 else [f"{base}{i + 1}" for i in range(dummy.rank)]


def _prelude(plain: Plain) -> Iterator[str]:
    """Instructions that put the arguments where the procedure's text looks for them."""
    for dummy in plain.procedure.dummies:
        place = local_name(f"{dummy.name}{PLACE}")
        if dummy.name in plain.numbers:
            yield f"{place} = alloca {dummy.number}, align {dummy.bytes}"
            yield f"store {dummy.number} {local_name(dummy.name)}, ptr {place}, align {dummy.bytes}"
        elif is_box(dummy):
            yield f"{place} = alloca {descriptor(dummy)}, align 8"
            yield from described(dummy, place, _extents(plain, dummy))


def _caller(plain: Plain, line: str) -> str:
    """The procedure, which reads what the function takes by value, and calls that; the copy of it
    where an array is not contiguous. In its own file it is part of its callers: a procedure that
    calls itself is a function that does."""
    lines = [line for dummy in plain.procedure.dummies for line in _read(plain, dummy)]
    call = _call(plain, plain.name, _given(plain))
    if plain.strided:
        conditions = []
        for dummy in plain.strided:
            lines += _widths(dummy)
            conditions += [(name, test) for name, test in _tests(dummy)]
        lines += [*(test for _, test in conditions), *_all([name for name, _ in conditions])]
        other = _call(plain, strided_name(plain.name), _passed_on(plain))
        lines += ["br i1 %all, label %plain, label %strided", "plain:", *call]
        call = ["strided:", *other]
    body = "".join(f"  {one}\n" for one in [*lines, *call])
    head = line.partition(" !dbg ")[0].removesuffix(" {")
    return f'{head} alwaysinline "{STOOD_FOR}" {{\n{body}}}\n'


def _call(plain: Plain, callee: str, given: Iterator[str]) -> list[str]:
    call = f"call {plain.result} @{symbol(callee)}({', '.join(given)})"
    if plain.result == "void":
        return [call, "ret void"]
    name = f"%{callee.replace('.', '_')}.result"
    return [f"{name} = {call}", f"ret {plain.result} {name}"]


def _read(plain: Plain, dummy: Dummy) -> Iterator[str]:
    """Instructions that read an argument's number, or what its descriptor says."""
    own = _own(plain, dummy)
    if dummy.name in plain.numbers:
        value = local_name(f"{dummy.name}.value")
        yield f"{value} = load {dummy.number}, ptr {own}, align {dummy.bytes}"
    elif is_box(dummy):
        yield from got(dummy, own, (BASE,), "ptr", "base")
        for i in range(dummy.rank):
            yield from got(dummy, own, (DIMENSIONS, i, EXTENT), "i64", f"extent{i}")
            yield from got(dummy, own, (DIMENSIONS, i, STRIDE), "i64", f"step{i}")


def _own(plain: Plain, dummy: Dummy) -> str:
    """What an argument is called in the first line of the procedure."""
    return local_name(f"{dummy.name}{PLACE if plain.changes(dummy) else ''}")


def _given(plain: Plain) -> Iterator[str]:
    """What the function is given."""
    for dummy in plain.procedure.dummies:
        if dummy.name in plain.numbers:
            yield f"{dummy.number} {local_name(f'{dummy.name}.value')}"
        elif is_box(dummy):
            yield f"ptr {local_name(f'{dummy.name}.base')}"
            yield from (f"i64 {local_name(f'{dummy.name}.extent{i}')}" for i in range(dummy.rank))
        else:
            kind = dummy.number if dummy.kind is DummyKind.VALUE else "ptr"
            yield f"{kind} {_own(plain, dummy)}"


def _passed_on(plain: Plain) -> Iterator[str]:
    """The procedure's own arguments."""
    for dummy in plain.procedure.dummies:
        kind = dummy.number if dummy.kind is DummyKind.VALUE else "ptr"
        yield f"{kind} {_own(plain, dummy)}"


def _widths(dummy: Dummy) -> Iterator[str]:
    """Instructions for the bytes from one element to the next of each dimension but the first,
    where an array is contiguous."""
    for i in range(dummy.rank - 1):
        extent = local_name(f"{dummy.name}.extent{i}")
        yield f"{local_name(f'{dummy.name}.wide{i + 1}')} = mul i64 {_width(dummy, i)}, {extent}"


def _width(dummy: Dummy, dimension: int) -> str:
    return local_name(f"{dummy.name}.wide{dimension}") if dimension else str(dummy.bytes)


def _tests(dummy: Dummy) -> Iterator[tuple[str, str]]:
    """Conditions that say together that an array is contiguous, and how each is made."""
    for i in range(dummy.rank):
        name, step = local_name(f"{dummy.name}.is_next{i}"), local_name(f"{dummy.name}.step{i}")
        yield name, f"{name} = icmp eq i64 {step}, {_width(dummy, i)}"


def _all(conditions: list[str]) -> Iterator[str]:
    """Instructions that make `%all` of conditions."""
    whole, last = "true", len(conditions) - 1
    for i, condition in enumerate(conditions):
        name = "%all" if i == last else f"%all{i}"
        yield f"{name} = and i1 {whole}, {condition}"
        whole = name
