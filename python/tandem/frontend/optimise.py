# SPDX-License-Identifier: Apache-2.0
"""LLVM's own passes over the C: one module, everything inlined into the kernel, loops in the
rotated form with one induction variable, nothing vectorised or unrolled."""

from __future__ import annotations

import re
from collections.abc import Sequence

import llvmlite.binding as llvm

from tandem.diagnostics import UserError, user_error
from tandem.frontend.block_loops import IS_BELOW, block_functions, use_block_loops
from tandem.frontend.indirect_calls import (
    called_by_name,
    check_no_indirect_call,
    resolve_indirect_calls,
)
from tandem.frontend.linking import find_definition, link
from tandem.frontend.signs import without_signs

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
# Loops stay loops rather than becoming calls of memset and memcpy, and the two sides of a branch
# keep their own accesses rather than sharing one through a choice of pointers.
llvm.set_option("tandem", "-disable-loop-idiom-all")
llvm.set_option("tandem", "-sink-common-insts=false")


def optimise(modules: Sequence[str], top: str, files: Sequence[str]) -> str:
    """LLVM IR text of the linked modules in which `top` calls no other function of the program.

    Raises UserError if `top` is not defined, or by several functions, or calls itself directly or
    through others."""
    texts = [use_block_loops(_yielding(text)) for text in modules]
    linked = link(texts, top, files)
    if any("@tandem." in text for text in texts):
        linked.link_in(llvm.parse_assembly(block_functions()))
    _inline_all(linked, top, files)
    resolved = resolve_indirect_calls(linked, top)
    if resolved is not None:
        linked = llvm.parse_assembly(resolved)
        _inline_all(linked, top, files)
    check_no_indirect_call(linked, top, find_definition(top, files))
    text = str(linked)
    unsigned = without_signs(text, top)
    if unsigned is None:
        return text
    linked = llvm.parse_assembly(unsigned)
    _run_passes(linked)
    return str(linked)


def _inline_all(module: llvm.ModuleRef, top: str, files: Sequence[str]) -> None:
    _check_recursion(module, top, files)
    for function in module.functions:
        if not function.is_declaration and function.name != top:
            function.linkage = "internal"
            if function.name != IS_BELOW:
                function.add_function_attribute("alwaysinline")
    _run_passes(module)


def _yielding(text: str) -> str:
    """`noinline` gives way, since a kernel is one piece."""
    return re.sub(r"^attributes .*", lambda m: m[0].replace(" noinline ", " "), text, flags=re.M)


def _calls(function: llvm.ValueRef) -> list[str]:
    names = called_by_name(function)
    if names is not None:
        return names
    return [
        list(instruction.operands)[-1].name
        for block in function.blocks
        for instruction in block.instructions
        if instruction.opcode == "call"
    ]


def _check_recursion(module: llvm.ModuleRef, top: str, files: Sequence[str]) -> None:
    graph = {f.name: _calls(f) for f in module.functions if not f.is_declaration}
    path, following = [top], [iter(graph[top])]
    finished: set[str] = set()
    while path:
        callee = next(following[-1], None)
        if callee is None:
            finished.add(path.pop())
            following.pop()
        elif callee in path:
            raise _recursion([*path[path.index(callee) :], callee], files)
        elif callee in graph and callee not in finished:
            path.append(callee)
            following.append(iter(graph[callee]))


def _recursion(cycle: list[str], files: Sequence[str]) -> UserError:
    return user_error(
        "recursion",
        f"`{cycle[0]}` calls itself: {' -> '.join(cycle)}",
        find_definition(cycle[0], files),
        "hardware has no call stack: rewrite the recursion as a loop",
    )


def _run_passes(module: llvm.ModuleRef) -> None:
    target = llvm.Target.from_default_triple().create_target_machine()
    options = llvm.create_pipeline_tuning_options(2)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
