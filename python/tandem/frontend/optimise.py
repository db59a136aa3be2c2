# SPDX-License-Identifier: Apache-2.0
"""LLVM's own passes over the C: one module, everything but functions that are kept apart inlined
into the kernel, loops in the rotated form with one induction variable, nothing vectorised or
unrolled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import llvmlite.binding as llvm

from tandem.frontend.arena import with_ends
from tandem.frontend.assertions import without_assertions
from tandem.frontend.block_loops import IS_BELOW, block_functions, use_block_loops
from tandem.frontend.by_value import own_name, with_plain_kernel
from tandem.frontend.dataflow import has_dataflow, with_rounds
from tandem.frontend.fields import DEEPEST as DEEPEST_FIELD
from tandem.frontend.fields import reads_fields, with_fields
from tandem.frontend.heap import asks_for_blocks, uses_heap, with_blocks, with_own_heap
from tandem.frontend.indirect_calls import (
    called_by_name,
    check_no_indirect_call,
    resolve_indirect_calls,
)
from tandem.frontend.libraries import calling_ours, library_modules, replaced
from tandem.frontend.linking import find_definition, link
from tandem.frontend.llvm_passes import run_all_passes
from tandem.frontend.macros import Declared, called, taken_off, with_macros
from tandem.frontend.partitions import with_partitions
from tandem.frontend.processes import has_streams, is_process, with_processes
from tandem.frontend.program import MAIN
from tandem.frontend.recursion import is_recursive, without_recursion
from tandem.frontend.sharing import Repeated, find_repeated, with_wishes
from tandem.frontend.signs import without_signs
from tandem.frontend.variables import own_all, share_all, told_apart, with_constants
from tandem.frontend.vectors import without_vectors

DEEPEST_CHOICE = 4
"""Functions that are called through pointers may do so too, so deep: one that may lead to itself
would never come to an end."""


@dataclass(frozen=True)
class Optimised:
    """`text`: LLVM IR of the linked modules in which `top` calls only functions that are kept
    `apart`. `repeated`: those of which it would else hold several copies."""

    text: str
    apart: frozenset[str]
    repeated: Repeated
    replaced: frozenset[str]
    """Functions of the C library in it that software calls ours of too."""
    software: str = ""
    """LLVM IR of the program as a processor runs it, where `text` is for hardware alone."""
    has_rounds: bool = False
    """Whether calls of a loop run beside each other."""
    macros: tuple[Declared, ...] = ()
    """Functions in it that are modules of the user's, and only declared."""
    has_fields: bool = False
    """Whether pointers that it reads from structs of the caller are parameters of `top`."""


def optimise(
    modules: Sequence[str],
    top: str,
    files: Sequence[str],
    apart: Collection[str] = (),
    beside: bool = True,
    macros: bool = True,
    heap_bytes: int = 0,
) -> Optimised:
    """What LLVM makes of `top`, with all that it calls inlined but the functions `apart`, as far as
    it leaves more than one call of them. `beside`: whether calls of a loop run beside each other
    where a directive says so; `macros`: whether functions are modules where one says so;
    `heap_bytes`: what is given to blocks from the heap of which nothing else says a size, if it is.

    Raises UserError if `top` is not defined, or by several functions, or calls itself so often as
    is not known."""
    linked, asked = _linked(modules, top, files)
    graph = _call_graph(linked, top)
    has_rounds = beside and has_dataflow(linked, list(graph))
    has_processes = has_rounds or has_streams(linked)
    software = str(linked) if has_processes or is_recursive(graph) else ""
    has_heap = uses_heap(graph.values())
    if has_heap:
        software = software or str(linked)
        linked = llvm.parse_assembly(with_own_heap(str(linked)))
    linked, found = with_macros(linked, asked if macros else {}, top)
    linked = without_vectors(without_assertions(linked))
    if has_rounds:
        linked = with_rounds(linked, list(graph), files)
    if has_processes:
        linked = with_processes(linked, files)
    linked = without_recursion(linked, lambda module: _call_graph(module, top), files)
    graph = _call_graph(linked, top)
    repeated = find_repeated(linked, graph)
    apart = frozenset(apart)
    if processes := frozenset(filter(is_process, graph)):
        apart = processes  # nothing else has two processes call it at a time
        repeated = replace(repeated, wished=frozenset(), large=())
    _inline_all(linked, top, apart)
    for _ in range(DEEPEST_CHOICE):
        resolved = resolve_indirect_calls(linked, top)
        if resolved is None:
            break
        linked = llvm.parse_assembly(resolved)
        linked = without_recursion(linked, lambda module: _call_graph(module, top), files)
        _inline_all(linked, top, apart)
    check_no_indirect_call(linked, top, find_definition(top, files, *modules))
    shared = _called_again(linked, apart)
    if shared != apart:
        return optimise(modules, top, files, shared, beside, macros, heap_bytes)
    scalar = without_vectors(linked)
    if scalar is not linked:
        linked = scalar
        run_all_passes(linked)
    text = str(linked)
    if has_heap:
        if not processes and any(asks_for_blocks(text, name) for name in apart):
            return optimise(modules, top, files, (), beside, macros, heap_bytes)
        made = with_blocks(text, top, heap_bytes)
        if made is not None:
            linked = made
            _inline_all(linked, top, apart)
            linked = llvm.parse_assembly(with_ends(str(linked), top))
            run_all_passes(linked)
            text = str(linked)
    if apart and not processes and reads_fields(text, apart):
        whole = optimise(modules, top, files, (), beside, macros, heap_bytes)
        if whole.has_fields:
            return whole
    fields = with_all_fields(text, top)
    if fields is not None:
        software, linked = software or text, fields
        text = str(linked)
    unsigned = without_signs(text, top)
    if unsigned is not None:
        linked = llvm.parse_assembly(unsigned)
        run_all_passes(linked)
        text = str(linked)
    return Optimised(
        text,
        shared,
        repeated,
        replaced(graph),
        software,
        has_rounds,
        called(found, text),
        fields is not None,
    )


def as_software(modules: Sequence[str], top: str, files: Sequence[str]) -> str:
    """LLVM IR of a program as a processor runs it, with `top` visible."""
    return str(_linked(modules, top, files)[0])


def _linked(
    modules: Sequence[str], top: str, files: Sequence[str]
) -> tuple[llvm.ModuleRef, dict[str, Declared]]:
    """One module of all files and of what they need of the C library, in which `top` has plain
    arguments; and the functions of it that are to be modules of the user's."""
    texts = [
        use_block_loops(with_partitions(with_wishes(calling_ours(text))))
        for text in told_apart(with_plain_kernel(modules, top))
    ]
    linked, asked = taken_off(link(texts, top, files))
    if top == MAIN:
        own_all(linked)
    else:
        linked = with_constants(linked)
        share_all(linked, {top, own_name(top)})
    if any("@tandem." in text for text in texts):
        linked.link_in(llvm.parse_assembly(block_functions()))
    _link_libraries(linked, top == MAIN)
    return linked, asked


def with_all_fields(text: str, top: str) -> llvm.ModuleRef | None:
    """The module in which pointers in structs of the caller, and in what these lead to, are
    parameters; None where there are none."""
    made = None
    for _ in range(DEEPEST_FIELD):
        found = with_fields(text, top)
        if found is None:
            break
        made = llvm.parse_assembly(found)
        run_all_passes(made)
        text = str(made)
    return made


def _link_libraries(module: llvm.ModuleRef, is_whole: bool) -> None:
    """Adds the functions of the C library that are called; `is_whole`: by a whole program."""
    asked = sorted(f.name for f in module.functions if f.is_declaration)
    for text in library_modules(asked, is_whole):
        module.link_in(llvm.parse_assembly(text))


def _called_again(module: llvm.ModuleRef, apart: Collection[str]) -> frozenset[str]:
    """Those of some functions of which there is not just one call left."""
    if not apart:
        return frozenset()
    calls = Counter(name for f in module.functions if not f.is_declaration for name in _calls(f))
    return frozenset(name for name in apart if calls[name] != 1 or is_process(name))


def _inline_all(module: llvm.ModuleRef, top: str, apart: Collection[str]) -> None:
    for function in module.functions:
        if not function.is_declaration and function.name != top:
            function.linkage = "internal"
            if function.name != IS_BELOW:
                kept = function.name in apart
                function.add_function_attribute("noinline" if kept else "alwaysinline")
    run_all_passes(module)


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


def _call_graph(module: llvm.ModuleRef, top: str) -> dict[str, list[str]]:
    """What `top` and the functions that it leads to call, every call once, callers first."""
    defined = {f.name: f for f in module.functions if not f.is_declaration}
    graph = {top: _calls(defined[top])}
    path, following = [top], [iter(graph[top])]
    finished: dict[str, list[str]] = {}
    while path:
        callee = next(following[-1], None)
        if callee is None:
            last = path.pop()
            finished[last] = graph[last]
            following.pop()
        elif callee in defined and callee not in graph:
            graph[callee] = _calls(defined[callee])
            path.append(callee)
            following.append(iter(graph[callee]))
    return dict(reversed(finished.items()))
