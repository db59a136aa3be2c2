# SPDX-License-Identifier: Apache-2.0
"""Functions that call themselves, directly or through others, without a stack.

LLVM makes loops of calls with which a function ends. Where the C says how deep the others go
(`#pragma tandem recursion(8)`), there is a copy of the functions for each depth, which calls those
of the next one; beyond the last nothing may call, as a stack may not overflow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import llvmlite.binding as llvm

from tandem.diagnostics import UserError, user_error
from tandem.frontend.directives.directive import DEPTH_MARK
from tandem.frontend.linking import find_definition
from tandem.frontend.llvm_passes import Passes, run_passes
from tandem.frontend.sharing import APART
from tandem.frontend.symbols import Copies, function_text, renamed

LEVEL = ".depth"
"""What the name of a copy has behind the function's, with its number."""

_MARK = re.compile(r'"min-legal-vector-width"="(\d+)"')
Calls = Callable[[llvm.ModuleRef], dict[str, list[str]]]
"""What the kernel leads to, and what each of those calls."""


def without_recursion(module: llvm.ModuleRef, calls: Calls, files: Sequence[str]) -> llvm.ModuleRef:
    """The module, in which no function that `calls` tells of leads to itself. Raises UserError
    where the C does not say how deep it goes."""
    if not _circles(calls(module)):
        return module
    _make_loops(module)
    while circles := _circles(calls(module)):
        depth = max(_depth(module.get_function(name)) for name in circles)
        if not depth:
            raise _endless(circles, calls(module), files)
        module = llvm.parse_assembly(_with_copies(str(module), circles, depth))
    return module


def is_copy(name: str) -> bool:
    """Whether a function is one of those for a depth."""
    return LEVEL in name


def _make_loops(module: llvm.ModuleRef) -> None:
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


def _depth(function: llvm.ValueRef) -> int:
    """How deep the C says that a function goes, 0 where it does not."""
    marks = (_MARK.search(str(attributes)) for attributes in function.attributes)
    numbers = [int(mark[1]) for mark in marks if mark]
    return max((n - DEPTH_MARK for n in numbers if n > DEPTH_MARK), default=0)


def _with_copies(text: str, names: list[str], depth: int) -> str:
    """The module's text with copies of some functions: the functions themselves are the first."""
    copies = Copies(text)
    for name in names:
        body = function_text(text, name) or ""
        for level in range(1, depth):
            copy = renamed(body, {n: f"{n}{LEVEL}{level}" for n in names})
            copies.add(_called(copy, names, level, level + 1), APART)
        copies.add(_beyond(body, name, depth), APART)
    for name in names:
        body = function_text(text, name) or ""
        text = text.replace(body, _called(body, names, 0, 1), 1)
    return f"{text}\n{copies.text()}"


def _called(body: str, names: list[str], level: int, onward: int) -> str:
    """A copy's text, in which it calls those of the next depth."""
    head, _, rest = body.partition("\n")
    own = {f"{n}{LEVEL}{level}" if level else n: f"{n}{LEVEL}{onward}" for n in names}
    return f"{head}\n{renamed(rest, own)}"


def _beyond(body: str, name: str, depth: int) -> str:
    """What is called where a call would go too deep: nothing."""
    head = renamed(body, {name: f"{name}{LEVEL}{depth}"}).partition("\n")[0]
    return f"{head}\n  unreachable\n}}\n"


def _endless(circles: list[str], graph: dict[str, list[str]], files: Sequence[str]) -> UserError:
    path = [circles[0]]
    while path.count(path[-1]) == 1:
        path.append(next(name for name in graph[path[-1]] if name in circles))
    cycle = path[path.index(path[-1]) :]
    return user_error(
        "recursion",
        f"`{cycle[0]}` calls itself: {' -> '.join(cycle)}",
        find_definition(cycle[0], files),
        "say with `#pragma tandem recursion(N)` before it how deep it goes, or write a loop",
    )
