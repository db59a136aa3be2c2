# SPDX-License-Identifier: Apache-2.0
"""Variables that live outside of functions: a kernel and the rest of the program share them.

A variable, or a constant, that is local to its file, or to a function, has its file's number behind
its name in the module of the whole program, so that it can be found again in the program's own
modules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

import llvmlite.binding as llvm

from tandem.frontend.linking import LOCAL, c_name, read_definitions
from tandem.frontend.symbols import renamed, symbol
from tandem.llvm.passes import Passes, run_passes

_OWNER = re.compile(r"(.+)\.file(\d+)\Z", re.S)
_VARIABLE = re.compile(r"[^=]*= [^{\[]*?\bglobal ")
_OBJECT = re.compile(r"[^=]*= [^{\[]*?\b(?:global|constant) ")
_OF_COMPILER = 'section "llvm.metadata"'
_NAME = re.compile(r'@(?:"[^"]*"|[-\w.$]+)')
_LIST = re.compile(r"@[^=]* = appending ")
"""What LLVM itself uses: a list of constructors, say."""


def told_apart(modules: Sequence[str]) -> list[str]:
    """The modules with each local variable and constant under a name that no other file has."""
    return [
        renamed(text, {name: f"{name}.file{i}" for name in _local_objects(text)})
        for i, text in enumerate(modules)
    ]


def _local_objects(text: str) -> list[str]:
    definitions = read_definitions(text).items()
    local = [(n, d.text) for n, d in definitions if not d.is_function and d.linkage in LOCAL]
    return [c_name(n) for n, line in local if _OBJECT.match(line) and _OF_COMPILER not in line]


def with_constants(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """The module with local variables that no code changes declared constant."""
    local = {v.name: v for v in module.global_variables if _is_local(v)}
    if not local:
        return module
    copy = llvm.parse_assembly(str(module))
    run_passes(copy, Passes.add_global_opt_pass)
    text = str(module)
    for variable in copy.global_variables:
        before = local.get(variable.name)
        if before is not None and not _VARIABLE.match(str(variable)):
            line = str(before)
            text = text.replace(f"{line}\n", f"{line.replace(' global ', ' constant ', 1)}\n", 1)
    return llvm.parse_assembly(text)


def _is_local(variable: llvm.ValueRef) -> bool:
    linkage = variable.linkage in (llvm.Linkage.internal, llvm.Linkage.private)
    return linkage and bool(_VARIABLE.match(str(variable)))


def share_all(module: llvm.ModuleRef, kernel: Set[str]) -> None:
    """Tells LLVM that the rest of the program, which it does not see, uses the variables. Those
    that in truth nothing but the functions of the kernel uses are hidden, and no others are."""
    local = {variable.name for variable in module.global_variables if _is_local(variable)}
    private = _used_by_nothing_but(str(module), kernel, local) if local else frozenset[str]()
    for variable in module.global_variables:
        if variable.name in local:
            variable.linkage = "external"
        if variable.name in private:
            variable.visibility = "hidden"
        elif variable.visibility != llvm.Visibility.default:
            variable.visibility = "default"


def _used_by_nothing_but(text: str, kernel: Set[str], names: Set[str]) -> frozenset[str]:
    """Those of some variables that only the functions of the kernel name, or what nothing but these
    leads to: local functions that nothing else names."""
    definitions = {c_name(name): found for name, found in read_definitions(text).items()}
    uses = {name: set(_named(found.text)) - {name} for name, found in definitions.items()}
    others = {name for line in text.splitlines() if _LIST.match(line) for name in _named(line)}
    own = {n for n, found in definitions.items() if found.is_function and found.linkage in LOCAL}
    own = (own - others) | kernel
    while outside := {n for user in definitions.keys() - own for n in uses[user]} & own - kernel:
        own -= outside
    named = others.union(*(uses[user] for user in definitions.keys() - own))
    return frozenset(names - named)


def _named(text: str) -> list[str]:
    return [c_name(name) for name in _NAME.findall(text)]


def own_all(module: llvm.ModuleRef) -> None:
    """Tells LLVM that there is no code but this which uses the variables that it defines."""
    for variable in module.global_variables:
        if not variable.is_declaration and variable.linkage != llvm.Linkage.appending:
            variable.linkage = "internal"


def source_name(name: str) -> str:
    """The name of a variable in its own file."""
    found = _OWNER.match(name)
    return found[1] if found else name


def made_visible(modules: Sequence[str], names: Sequence[str]) -> list[str]:
    """The program's own modules, in which other objects reach these variables of `told_apart`."""
    result = list(modules)
    for name in names:
        found = _OWNER.match(name)
        if found is None:
            continue
        own, place = found[1], int(found[2])
        text = renamed(result[place], {own: name})
        # Others know where it is: it cannot be merged with its like.
        line = rf"^(@{re.escape(symbol(name))} = )(?:internal|private) (?:unnamed_addr )?"
        result[place] = re.sub(line, r"\1", text, count=1, flags=re.M)
    return result
