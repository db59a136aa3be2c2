# SPDX-License-Identifier: Apache-2.0
"""Functions that all of their calls could share, rather than each having a copy.

What the C marks `noinline` is kept apart. Of the rest those are told that are large and that a
kernel would hold more than once: whether one of them for all calls is better shows when the kernel
is made so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import llvmlite.binding as llvm

from tandem import policy
from tandem.llvm import attributes, metadata, read
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.edit import add_attribute
from tandem.llvm.module import Module, opened
from tandem.llvm.read import call

NO_LINE = ("", 0)
Lines = frozenset[tuple[str, int]]
"""Lines of C, each with its file."""
APART = "tandem-apart"
"""LLVM's attribute for what is kept apart, in place of the one that would forbid inlining."""
OURS = "tandem."
"""What functions are called that no C names."""


def wish(module: Module) -> bool:
    """Makes `noinline` a wish of ours. `optnone`, which is for compilers, goes with it."""
    refused = [attributes.attribute_kind(name) for name in ("noinline", "optnone")]
    found = [f for f in module.functions if attributes.has_attribute(f, FUNCTION_INDEX, "noinline")]
    for function in found:
        for kind in refused:
            call("RemoveEnumAttributeAtIndex", function, FUNCTION_INDEX, kind)
        add_attribute(function, FUNCTION_INDEX, module.attribute(APART))
    return bool(found)


@dataclass(frozen=True)
class Repeated:
    """Functions of which a kernel would hold several copies: `wished` are those that the C keeps
    apart, `large` those that may be worth it, the one with which most is saved first. `once`: those
    that the C keeps apart and that are called once."""

    wished: frozenset[str]
    large: tuple[str, ...]
    once: frozenset[str] = frozenset()
    graph: dict[str, list[str]] = field(default_factory=dict)
    """What the kernel and the functions that it leads to call, every call once, callers first."""
    text: str = ""
    """LLVM IR of all of them, where there are large ones."""

    @cached_property
    def lines(self) -> dict[str, Lines]:
        """Of each large function, the lines that only it, and what nothing but it calls, has in the
        C. Read when a kernel is there to be compared: most that is optimised is never asked."""
        return _own_lines(self.text, self.graph, self.large) if self.large else {}

    @property
    def several(self) -> frozenset[str]:
        """All functions of the C of which there would be several copies."""
        copies = count_copies(self.graph)
        return frozenset(n for n in self.graph if copies[n] > 1 and not n.startswith(OURS))

    def left(self, apart: Collection[str]) -> dict[str, Lines]:
        """The large functions of which there are several copies left where some are `apart`, and
        their lines."""
        copies = count_copies(self.graph, apart)
        left = [name for name in self.large if copies[name] > 1 and name not in apart]
        return {name: self.lines[name] for name in left}


def find_repeated(module: llvm.ModuleRef, graph: dict[str, list[str]]) -> Repeated:
    """`graph`: what the kernel and the functions that it leads to call, every call once, callers
    first."""
    copies = count_copies(graph)
    found = [n for n in graph if copies[n] > 1 and not n.startswith(OURS)]
    functions = {name: module.get_function(name) for name in graph}
    called = list(graph)[1:]
    once = frozenset(n for n in called if copies[n] == 1 and _has(functions[n], APART))
    if not found:
        return Repeated(frozenset(), (), once, graph)
    sizes: dict[str, int] = {}
    for name in reversed(graph):
        inner = sum(sizes.get(callee, 0) for callee in graph[name])
        sizes[name] = str(functions[name]).count("\n  ") + inner
    wished = {n for n in found if _has(functions[n], APART)}
    copied = {n for n in found if _has(functions[n], "alwaysinline")}
    large = [
        n for n in found if n not in wished | copied and sizes[n] >= policy.SHARED_INSTRUCTIONS
    ]
    large.sort(key=lambda name: -(copies[name] - 1) * sizes[name])
    text = str(module) if large else ""
    return Repeated(frozenset(wished), tuple(large), once, graph, text)


def _own_lines(text: str, graph: dict[str, list[str]], names: Collection[str]) -> dict[str, Lines]:
    of = defaultdict[str, Lines](frozenset)  # of what is called through a pointer there are none
    with opened(text) as module:
        for ref in module.functions:
            found = map(metadata.location, read.instructions([ref]))
            of[read.name(ref)] = frozenset(found) - {NO_LINE}
    own = {}
    for name in names:
        inside = _led_to(graph, name)
        others = _led_to(graph, next(iter(graph)), but=name)
        lines = Lines().union(*(of[n] for n in inside - others))
        own[name] = lines.difference(*(of[n] for n in others))
    return own


def _led_to(graph: dict[str, list[str]], first: str, but: str | None = None) -> set[str]:
    """A function and all that it leads to, but for what only goes through another one."""
    found, left = set[str](), [first]
    while left:
        name = left.pop()
        if name not in found and name != but:
            found.add(name)
            left += graph.get(name, [])
    return found


def count_copies(graph: dict[str, list[str]], apart: Collection[str] = ()) -> Counter[str]:
    """How many copies of each function a kernel holds, and of those `apart` how many calls."""
    copies = Counter([next(iter(graph))])
    for caller, callees in graph.items():
        times = min(1, copies[caller]) if caller in apart else copies[caller]
        for callee in callees:
            copies[callee] += times
    return copies


def _has(function: llvm.ValueRef, attribute: str) -> bool:
    """Whether a function has an attribute, of LLVM's or of ours (in quotes)."""
    words = (word for found in function.attributes for word in bytes(found).decode().split())
    return any(word.strip('"') == attribute for word in words)
