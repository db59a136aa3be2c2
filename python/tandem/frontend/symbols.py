# SPDX-License-Identifier: Apache-2.0
"""Names of functions and variables in LLVM IR: who defines them, and giving their definition and
their uses other names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tandem.diagnostics import Place
from tandem.llvm import attributes, metadata
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.edit import copy_signature, rename
from tandem.llvm.module import Module, edited, opened
from tandem.llvm.read import Ref, call
from tandem.written import demangled, own_name

EXTERNAL = 0
STOOD_FOR = "tandem-stood-for"
"""The attribute of functions that lead to one that is meant by their names."""
KEPT_TABLES = 64
"""Of the modules whose names were read last, which are asked for again and again."""
_PLAIN = re.compile(r"[-a-zA-Z._][-a-zA-Z._0-9]*\Z")
_AT_BEGIN_AND_END = ("llvm.global_ctors", "llvm.global_dtors")


@dataclass(frozen=True)
class Symbol:
    """A function or variable of a module. `linkage`: LLVMLinkage; `place`: where the C has it, as
    far as a debugger is told."""

    name: str
    is_function: bool
    is_defined: bool
    linkage: int
    place: Place | None = None
    is_stood_for: bool = False
    """Whether it leads to another function, which is meant by its name."""

    @property
    def is_local(self) -> bool:
        """Whether only its own module sees it."""
        return self.linkage in llvm.LOCAL


@lru_cache(KEPT_TABLES)
def symbols_of(text: str) -> Mapping[str, Symbol]:
    """The functions and variables of a module, aliases apart, by their names."""
    with opened(text) as module:
        return {
            found.name: found
            for found in [*map(_function, module.functions), *map(_variable, module.variables)]
        }


def _function(ref: Ref) -> Symbol:
    is_defined, place = bool(llvm.entry(ref)), metadata.definition_place(ref)
    is_stood_for = attributes.string_attribute(ref, FUNCTION_INDEX, STOOD_FOR) is not None
    return Symbol(llvm.name(ref), True, is_defined, llvm.linkage(ref), place, is_stood_for)


def _variable(ref: Ref) -> Symbol:
    is_defined = bool(call("GetInitializer", ref))
    return Symbol(llvm.name(ref), False, is_defined, llvm.linkage(ref))


def without_constructors(text: str) -> str:
    """The module with nothing in it that runs when it is loaded or given back."""
    return edited(text, _drop_constructors) or text


def _drop_constructors(module: Module) -> bool:
    found = [list_ for name in _AT_BEGIN_AND_END if (list_ := module.variable(name))]
    for variable in found:
        call("DeleteGlobal", variable)
    return bool(found)


def symbol(name: str) -> str:
    """A global name as LLVM writes it, without the `@`."""
    if _PLAIN.match(name):
        return name
    escaped = "".join(
        c if 32 <= b < 127 and c not in '"\\' else f"\\{b:02X}"
        for b in name.encode("utf-8", "surrogateescape")
        for c in [chr(b)]
    )
    return f'"{escaped}"'


def definition(text: str, name: str) -> Symbol | None:
    """The function that a module defines, None if it has none of that name."""
    found = symbols_of(text).get(name) if symbol(name) in text else None
    return found if found and found.is_function and found.is_defined else None


def declares(text: str, name: str) -> bool:
    """Whether the module uses a function that another one defines."""
    found = symbols_of(text).get(name) if symbol(name) in text else None
    return found is not None and found.is_function and not found.is_defined


def redirected(text: str, name: str, original: str, stub: str, make_visible: bool) -> str:
    """The module with the definition of `name` called `original` and every use of it `stub`, which
    another module defines. An alias stays one of the definition."""

    def change(module: Module) -> bool:
        function = module.function(name)
        if function and llvm.entry(function):
            _redirect(module, function, original, stub)
            if make_visible and llvm.linkage(function) in llvm.LOCAL:
                call("SetLinkage", function, EXTERNAL)
        elif function:
            rename(function, stub)
        return function is not None

    return edited(text, change) or text


def _redirect(module: Module, function: Ref, original: str, stub: str) -> None:
    rename_global(module, function, original)
    kind = call("GlobalGetValueType", function)
    other = call("AddFunction", module.ref, stub.encode("utf-8", "surrogateescape"), kind)
    copy_signature(function, other)
    aliases = [a for a in llvm.children(module.ref, "GlobalAlias") if _leads_to(a, function)]
    call("ReplaceAllUsesWith", function, other)
    for alias in aliases:
        call("AliasSetAliasee", alias, function)


def _leads_to(alias: Ref, function: Ref) -> bool:
    return call("AliasGetAliasee", alias) == function


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The module with some globals called otherwise, at their definitions and everywhere."""
    names = {name: other for name, other in names.items() if symbol(name) in text}
    return (edited(text, lambda module: rename_all(module, names)) if names else None) or text


def rename_all(module: Module, names: Mapping[str, str]) -> bool:
    """Gives some globals of a module other names; whether it has any of them."""
    found = [(ref, other) for name, other in names.items() if (ref := module.named(name))]
    for ref, other in found:
        rename_global(module, ref, other)
    return bool(found)


def rename_global(module: Module, ref: Ref, other: str) -> None:
    """Gives a global another name, and the group of which it is the key, too: another module may
    have that one. What has the name already is what is meant."""
    group = llvm.is_object(ref) and call("GetComdat", ref)
    is_key = group and group == call("GetOrInsertComdat", module.ref, llvm.encoded(llvm.name(ref)))
    taken = module.named(other)
    if taken and taken != ref:
        call("ReplaceAllUsesWith", ref, taken)
        call("DeleteFunction" if llvm.is_function(ref) else "DeleteGlobal", ref)
        return
    rename(ref, other)
    if is_key:
        made = call("GetOrInsertComdat", module.ref, llvm.encoded(other))
        call("SetComdatSelectionKind", made, call("GetComdatSelectionKind", group))
        call("SetComdat", ref, made)


def resolved(modules: Sequence[str], name: str) -> str:
    """The symbol of a function that the user names: as in C, or a C++ function as it is written
    (`ns::f(int const*, int)`, or `ns::f` where there is one). Names of no function stay."""
    if any(definition(text, name) is not None for text in modules):
        return name
    symbols = {found for text in modules for found in _mangled(symbols_of(text).values())}
    written = {demangled(symbol): symbol for symbol in symbols}
    wanted = _spaceless(name)
    fitting = [s for d, s in written.items() if wanted in (_spaceless(d), _spaceless(_head(d)))]
    fitting = fitting or [
        s for d, s in written.items() if s.startswith("_Q") and own_name(s) == wanted
    ]
    return fitting[0] if len(fitting) == 1 else name


def _mangled(symbols: Iterable[Symbol]) -> list[str]:
    """The functions whose names are another one than their author's: of C++ and of Fortran."""
    found = (row.name for row in symbols if row.is_function and row.is_defined)
    return [name for name in found if name.startswith(("_Z", "_Q"))]


def is_defined(modules: Sequence[str], name: str) -> bool:
    """Whether a function that the user names is in a program."""
    symbol = resolved(modules, name)
    return any(definition(text, symbol) is not None for text in modules)


def _head(written: str) -> str:
    """A C++ name without its parameters, the last ones in it: what stands in a function, as its
    lambdas do, has that one's before its own name."""
    depth = 0
    for place in range(written.rfind(")"), -1, -1):
        depth += {")": 1, "(": -1}.get(written[place], 0)
        if not depth:
            return written[:place]
    return written


def _spaceless(text: str) -> str:
    return "".join(text.split())
