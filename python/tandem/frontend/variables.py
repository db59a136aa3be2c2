# SPDX-License-Identifier: Apache-2.0
"""Variables that live outside of functions: a kernel and the rest of the program share them.

A variable, or a constant, that is local to its file, or to a function, has its file's number behind
its name in the module of the whole program, so that it can be found again in the program's own
modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

import llvmlite.binding as llvmlite

from tandem.frontend.linking import APPENDING
from tandem.frontend.symbols import EXTERNAL, rename_all
from tandem.llvm import read as llvm
from tandem.llvm.module import Module, edited, opened
from tandem.llvm.passes import Passes, run_passes
from tandem.llvm.read import Ref, call

_OWNER = re.compile(r"(.+)\.file(\d+)\Z", re.S)
_OF_COMPILER = "llvm.metadata"
"""The section of what only LLVM reads."""
_HIDDEN = llvm.HIDDEN


def tell_apart(module: Module, number: int) -> bool:
    """Gives each local variable and constant a name that no other file has: with the number of its
    own behind it."""
    local = [llvm.name(variable) for variable in module.variables if _is_of_file(variable)]
    return rename_all(module, {name: f"{name}.file{number}" for name in local})


def _is_of_file(variable: Ref) -> bool:
    is_local = llvm.linkage(variable) in llvm.LOCAL
    return is_local and llvm.section(variable) != _OF_COMPILER


def make_constant(module: Module, text: str) -> bool:
    """Declares local variables constant that no code changes; whether there are any. `text`: of a
    module with the same code."""
    local = _local_variables(module)
    if not local:
        return False
    copy = llvmlite.parse_assembly(text)
    run_passes(copy, Passes.add_global_opt_pass)
    with opened(str(copy)) as left:
        unchanged = (local & {*map(llvm.name, left.variables)}) - _local_variables(left)
    for name in unchanged:
        call("SetGlobalConstant", module.variable(name), 1)
    return bool(unchanged)


def _local_variables(module: Module) -> set[str]:
    """The variables of a module that may change and that no other one sees."""
    return {llvm.name(v) for v in module.variables if _is_local(v)}


def _is_local(variable: Ref) -> bool:
    return llvm.linkage(variable) in llvm.LOCAL and not call("IsGlobalConstant", variable)


def share_all(module: Module, kernel: Set[str]) -> bool:
    """Tells LLVM that the rest of the program, which it does not see, uses the variables. Those
    that in truth nothing but the functions of the kernel uses are hidden, and no others are."""
    local = {variable for variable in module.variables if _is_local(variable)}
    private = _used_by_nothing_but(module, kernel, local)
    for variable in module.variables:
        if variable in local:
            call("SetLinkage", variable, EXTERNAL)
        call("SetVisibility", variable, _HIDDEN if variable in private else 0)
    return True


def _used_by_nothing_but(module: Module, kernel: Set[str], variables: Set[Ref]) -> set[Ref]:
    """Those of some variables that only the functions of the kernel name, or what nothing but these
    leads to: local functions that nothing else names."""
    if not variables:
        return set()
    uses = {ref: set(_named(ref)) - {ref} for ref in [*module.functions, *module.variables]}
    lists = [v for v in module.variables if llvm.linkage(v) == APPENDING]
    others = {ref for list_ in lists for ref in uses.pop(list_)}
    kernels = {f for f in module.functions if llvm.name(f) in kernel}
    own = {f for f in module.defined if llvm.linkage(f) in llvm.LOCAL}
    own = (own - others) | kernels
    while outside := {n for user in uses.keys() - own for n in uses[user]} & own - kernels:
        own -= outside
    named = others.union(*(uses[user] for user in uses.keys() - own))
    return {variable for variable in variables if variable not in named}


def _named(ref: Ref) -> Iterator[Ref]:
    """The functions and variables that one names."""
    if llvm.is_function(ref):
        return llvm.globals_in(v for made in llvm.instructions([ref]) for v in llvm.operands(made))
    initial = call("GetInitializer", ref)
    return llvm.globals_in([initial] if initial else [])


def own_all(module: llvmlite.ModuleRef) -> None:
    """Tells LLVM that there is no code but this which uses the variables that it defines."""
    for variable in module.global_variables:
        if not variable.is_declaration and variable.linkage != llvmlite.Linkage.appending:
            variable.linkage = "internal"


def source_name(name: str) -> str:
    """The name of a variable in its own file."""
    found = _OWNER.match(name)
    return found[1] if found else name


def made_visible(modules: Sequence[str], names: Sequence[str]) -> list[str]:
    """The program's own modules, in which other objects reach these variables of `tell_apart`."""
    result = list(modules)
    for name in names:
        found = _OWNER.match(name)
        if found is None:
            continue
        own, place = found[1], int(found[2])
        made = edited(result[place], lambda module, own=own, name=name: _show(module, own, name))
        result[place] = made or result[place]
    return result


def _show(module: Module, own: str, name: str) -> bool:
    rename_all(module, {own: name})
    variable = module.variable(name)
    if variable and llvm.linkage(variable) in llvm.LOCAL:
        call("SetLinkage", variable, EXTERNAL)
        # Others know where it is: it cannot be merged with its like.
        call("SetUnnamedAddress", variable, 0)
    return variable is not None
