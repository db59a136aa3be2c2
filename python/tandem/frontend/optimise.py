# SPDX-License-Identifier: Apache-2.0
"""LLVM's own passes over the C: one module, everything but functions that are kept apart inlined
into the kernel, loops in the rotated form with one induction variable, nothing vectorised or
unrolled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm

from tandem.diagnostics import UserError, user_error
from tandem.frontend.block_loops import IS_BELOW, block_functions, use_block_loops
from tandem.frontend.indirect_calls import (
    called_by_name,
    check_no_indirect_call,
    resolve_indirect_calls,
)
from tandem.frontend.linking import find_definition, link
from tandem.frontend.partitions import with_partitions
from tandem.frontend.sharing import Repeated, find_repeated, with_wishes
from tandem.frontend.signs import without_signs

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
# Loops stay loops rather than becoming calls of memset and memcpy, and the two sides of a branch
# keep their own accesses rather than sharing one through a choice of pointers.
llvm.set_option("tandem", "-disable-loop-idiom-all")
llvm.set_option("tandem", "-sink-common-insts=false")


@dataclass(frozen=True)
class Optimised:
    """`text`: LLVM IR of the linked modules in which `top` calls only functions that are kept
    `apart`. `repeated`: those of which it would else hold several copies."""

    text: str
    apart: frozenset[str]
    repeated: Repeated


def optimise(
    modules: Sequence[str], top: str, files: Sequence[str], apart: Collection[str] = ()
) -> Optimised:
    """What LLVM makes of `top`, with all that it calls inlined but the functions `apart`, as far as
    LLVM leaves more than one call of them.

    Raises UserError if `top` is not defined, or by several functions, or calls itself directly or
    through others."""
    texts = [use_block_loops(with_partitions(with_wishes(text))) for text in modules]
    linked = link(texts, top, files)
    if any("@tandem." in text for text in texts):
        linked.link_in(llvm.parse_assembly(block_functions()))
    repeated = find_repeated(linked, _call_graph(linked, top, files))
    _inline_all(linked, top, apart)
    resolved = resolve_indirect_calls(linked, top)
    if resolved is not None:
        linked = llvm.parse_assembly(resolved)
        _call_graph(linked, top, files)
        _inline_all(linked, top, apart)
    check_no_indirect_call(linked, top, find_definition(top, files))
    shared = _called_again(linked, apart)
    if shared != frozenset(apart):
        return optimise(modules, top, files, shared)
    text = str(linked)
    unsigned = without_signs(text, top)
    if unsigned is not None:
        linked = llvm.parse_assembly(unsigned)
        _run_passes(linked)
        text = str(linked)
    return Optimised(text, shared, repeated)


def _called_again(module: llvm.ModuleRef, apart: Collection[str]) -> frozenset[str]:
    """Those of some functions of which there is not just one call left."""
    if not apart:
        return frozenset()
    calls = Counter(name for f in module.functions if not f.is_declaration for name in _calls(f))
    return frozenset(name for name in apart if calls[name] != 1)


def _inline_all(module: llvm.ModuleRef, top: str, apart: Collection[str]) -> None:
    for function in module.functions:
        if not function.is_declaration and function.name != top:
            function.linkage = "internal"
            if function.name != IS_BELOW:
                kept = function.name in apart
                function.add_function_attribute("noinline" if kept else "alwaysinline")
    _run_passes(module)


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


def _call_graph(module: llvm.ModuleRef, top: str, files: Sequence[str]) -> dict[str, list[str]]:
    """What `top` and the functions that it leads to call, every call once, callers first. Raises
    UserError where that goes round in a circle."""
    graph = {f.name: _calls(f) for f in module.functions if not f.is_declaration}
    path, following = [top], [iter(graph[top])]
    finished: dict[str, list[str]] = {}
    while path:
        callee = next(following[-1], None)
        if callee is None:
            last = path.pop()
            finished[last] = graph[last]
            following.pop()
        elif callee in path:
            raise _recursion([*path[path.index(callee) :], callee], files)
        elif callee in graph and callee not in finished:
            path.append(callee)
            following.append(iter(graph[callee]))
    return dict(reversed(finished.items()))


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
