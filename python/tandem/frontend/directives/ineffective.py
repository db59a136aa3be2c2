# SPDX-License-Identifier: Apache-2.0
"""Directives that were understood, and have no effect on this kernel after all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from tandem.diagnostics import Diagnostic
from tandem.frontend.directives.directive import ARRAY, LOOP, no_effect
from tandem.frontend.directives.rewrite import Placed
from tandem.written import demangled

_LOOP = re.compile(r"^!\d+ = distinct !\{!\d+, !(\d+)[,}]", re.M)
_LINE = re.compile(r"^!(\d+) = !DILocation\(line: (\d+)", re.M)
_FUNCTION = re.compile(r'^!\d+ = distinct !DISubprogram\(name: "([^"]*)"', re.M)

_ONCE = "it is called once, and so is part of its caller"
_NO_SUM = (
    "it is for a loop with no other in it and one way out, and a sum or product of floating-point "
    "numbers in it that nothing else reads"
)
_INLINED = "a struct by value, or another type that only a copy can do without, keeps it inlined"


def not_kept_apart(
    directives: Sequence[Placed], inlined: Collection[str], once: Collection[str]
) -> Iterator[Diagnostic]:
    """What is told of `inline off` where functions that the kernel calls several times are inlined
    all the same, and where it calls them `once`."""
    for found in directives:
        if found.directive.name == "inline" and found.directive.off:
            if _is_among(found.function, inlined):
                yield _told(found, f"`{found.function}` is inlined: {_INLINED}")
            elif _is_among(found.function, once):
                yield _told(found, f"`{found.function}` is inlined: {_ONCE}")


def without_loops(directives: Sequence[Placed], text: str) -> Iterator[Diagnostic]:
    """What is told of directives about loops of which LLVM has left nothing in a kernel's text. A
    function of which nothing is left either may be none of the kernel's."""
    lines = dict(_LINE.findall(text))
    left = {int(lines.get(start, 0)) for start in _LOOP.findall(text)}
    functions = set(_FUNCTION.findall(text))
    for found in directives:
        directive = found.directive
        is_lost = directive.subject == LOOP and found.where.line not in left
        is_gone = directive.leaves_no_loop or directive.name == "dataflow"
        if is_lost and not is_gone and found.function in functions:
            yield _told(found, "no loop is left there: what it computes takes no iterations")


def taken_anyway(directives: Sequence[Placed]) -> Iterator[Diagnostic]:
    """What is told of refinements where the compiler takes all that are worth it."""
    for found in directives:
        if found.directive.refinement:
            yield _told(found, "refinements are taken by themselves, but of a build with --point")


def in_order(directives: Sequence[Placed], split: Collection[int]) -> Iterator[Diagnostic]:
    """What is told of `reassociate` before loops of which no sum is split."""
    for found in directives:
        if found.directive.name == "reassociate" and found.where.line not in split:
            yield _told(found, _NO_SUM)


def now_registers(
    directives: Sequence[Placed], before: Collection[str], after: Iterable[str]
) -> Iterator[Diagnostic]:
    """What is told of arrays in banks that became none, given the names of the kernel's memories
    before and after all passes. With a bank an element registers are what was asked for."""
    left = list(after)
    for found in directives:
        array, banks = found.directive.array, found.directive.number
        if found.directive.subject != ARRAY or not banks or array not in before:
            continue
        if not any(re.fullmatch(rf"{array}(_\w+)?", name) for name in left):
            yield _told(found, f"`{array}` became registers, of which all can be read at once")


def _told(found: Placed, reason: str) -> Diagnostic:
    return no_effect(found.directive.shown, found.directive.place, reason)


def _is_among(function: str, symbols: Collection[str]) -> bool:
    """Whether a function of the C is one of LLVM's, which may have a number behind its name."""
    names = {re.split(r"[.(]", demangled(symbol).rpartition("::")[2])[0] for symbol in symbols}
    return function in names
