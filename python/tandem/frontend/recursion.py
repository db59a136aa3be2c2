# SPDX-License-Identifier: Apache-2.0
"""Functions that call themselves, directly or through others.

LLVM makes loops of calls with which a function ends. Where the C says how deep the others go
(`#pragma tandem recursion(8)`), they get a stack of so many frames (`stack.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import llvmlite.binding as llvmlite

from tandem.diagnostics import UserError, user_error
from tandem.frontend.directives.directive import DEPTH_MARK
from tandem.frontend.linking import find_definition
from tandem.frontend.stack import with_stack
from tandem.llvm import attributes
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.module import opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.passes import Passes, run_passes
from tandem.llvm.read import opcode_of

_MARK = "min-legal-vector-width"
Calls = Callable[[llvmlite.ModuleRef], dict[str, list[str]]]
"""What the kernel leads to, and what each of those calls."""


def is_recursive(graph: dict[str, list[str]]) -> bool:
    """Whether some function leads to itself."""
    return bool(_circles(graph))


def without_recursion(
    module: llvmlite.ModuleRef, calls: Calls, files: Sequence[str]
) -> llvmlite.ModuleRef:
    """The module, in which no function that `calls` tells of leads to itself. Raises UserError
    where the C does not say how deep it goes."""
    if not _circles(calls(module)):
        return module
    _make_loops(module)
    while circles := _circles(calls(module)):
        depths = _depths(module)
        depth = max(depths[name] for name in circles)
        if not depth:
            raise _endless(circles, calls(module), str(module), files)
        _check_arrays(module, circles, files)
        module = with_stack(module, _entry(calls(module), circles), circles, depth)
    return module


def _entry(graph: dict[str, list[str]], circle: Sequence[str]) -> str:
    """One of a circle of functions that others call, or the kernel."""
    outside = (callees for name, callees in graph.items() if name not in circle)
    called = {name for callees in outside for name in callees}
    return next((name for name in circle if name in called), next(iter(graph)))


def _make_loops(module: llvmlite.ModuleRef) -> None:
    run_passes(
        module,
        Passes.add_sroa_pass,
        Passes.add_instruction_combine_pass,
        Passes.add_simplify_cfg_pass,
        Passes.add_tail_call_elimination_pass,
    )


def _circles(graph: dict[str, list[str]]) -> list[str]:
    """Functions that lead to each other, all those of one such set."""
    reached = {name: _reached(graph, name) for name in graph}
    first = next((name for name in graph if name in reached[name]), None)
    if first is None:
        return []
    return [name for name in graph if name in reached[first] and first in reached[name]]


def _reached(graph: dict[str, list[str]], start: str) -> set[str]:
    found: set[str] = set()
    work = list(graph[start])
    while work:
        name = work.pop()
        if name in graph and name not in found:
            found.add(name)
            work += graph[name]
    return found


def _depths(module: llvmlite.ModuleRef) -> dict[str, int]:
    """How deep the C says that functions go, 0 where it does not."""
    with opened(str(module)) as found:
        marks = {
            llvm.name(f): attributes.string_attribute(f, FUNCTION_INDEX, _MARK)
            for f in found.functions
        }
    return {name: max(0, int(mark or 0) - DEPTH_MARK) for name, mark in marks.items()}


def _check_arrays(module: llvmlite.ModuleRef, circles: Sequence[str], files: Sequence[str]) -> None:
    """Raises UserError for a local array of variable size: a frame is as large as every other."""
    with opened(str(module)) as found:
        functions = [f for f in found.defined if llvm.name(f) in circles]
        varying = [llvm.name(f) for f in functions if any(map(_varies, llvm.instructions([f])))]
    for name in circles:
        if name in varying:
            raise user_error(
                "recursion",
                f"`{name}` calls itself, and has a local array of variable size",
                find_definition(name, files, str(module)),
                "give the array a fixed size, the largest that it needs",
            )


def _varies(ref: llvm.Ref) -> bool:
    """Whether an instruction makes a local array of variable size."""
    if opcode_of(ref) != Opcode.ALLOCA:
        return False
    return llvm.constant_number(llvm.operands(ref)[0]) is None


def _endless(
    circles: list[str], graph: dict[str, list[str]], text: str, files: Sequence[str]
) -> UserError:
    path = [circles[0]]
    while path.count(path[-1]) == 1:
        path.append(next(name for name in graph[path[-1]] if name in circles))
    cycle = path[path.index(path[-1]) :]
    return user_error(
        "recursion",
        f"`{cycle[0]}` calls itself: {' -> '.join(cycle)}",
        find_definition(cycle[0], files, text),
        "say with `#pragma tandem recursion(N)` before it how deep it goes, or write a loop",
    )
