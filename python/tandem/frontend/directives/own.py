# SPDX-License-Identifier: Apache-2.0
"""Tandem's own words, behind `#pragma tandem`, `--directive` and in a file of directives.

pipeline            pipeline the next loop as tightly as it goes
pipeline ii(2)      ... and start one at least every 2 cycles, or say why not
pipeline off        ... or start an iteration when the one before has ended
unroll              make a copy of the next loop's body for each iteration
unroll(4)           ... or 4 of them for an iteration
unroll off          ... or none, however few iterations there are
trips(100)          the next loop runs about so often: it is weighed by that, and by nothing else
dataflow            run the calls of the next loop beside each other, each for another iteration
reassociate         add the terms of the next loop's floating-point sums in any order
inline              the next function is part of each of its callers
inline off          ... or apart, one for all of its calls
recursion(8)        the next function calls itself, and is 8 calls deep at most
heap(4096)          blocks from the heap that the next function asks for have so many bytes at most
overlap(a, b)       the arrays a and b of the next function may overlap: they are parts of one
partition(a, 4)     the local array a, declared next, as four memories
partition(a)        ... or one for each element
macro("f.v", latency 2)    the next function is a module of that file
refine(pipeline)    of a design point: the next loop, or function, is refined so
refine(store-forwarding, 2)  ... with a number
refine(copy-table, sp)    ... or a table that the next function reads
"""

from __future__ import annotations

import re

from tandem.diagnostics import Place, user_error
from tandem.frontend.directives.directive import (
    FUNCTION,
    LOOP,
    MOST_COPIES,
    MOST_CYCLES,
    MOST_DEEP,
    MOST_HEAP,
    Directive,
    is_good_number,
)
from tandem.frontend.directives.spelling import Read, Spelling
from tandem.frontend.partitions import MOST_BANKS

_ARRAY = r"[A-Za-z_][\w.]*"
"""A name as reports have it: what a pointer in a struct leads to is `view.first`."""
_FORM = re.compile(
    r"(pipeline|unroll|trips|dataflow|reassociate|inline|recursion|heap)(?:\s+(off)|\s*(ii)?\s*\(\s*(\d+)\s*\))?$"
)
_PARTITION = re.compile(r"partition\s*\(\s*(\w+)\s*(?:,\s*(\d+)\s*)?\)$")
_OVERLAP = re.compile(rf"overlap\s*\(\s*({_ARRAY}(?:\s*,\s*{_ARRAY})+)\s*\)$")
_KNOWN = (
    "known: `pipeline`, `pipeline ii(N)` with N >= 1, `pipeline off`, `unroll`, `unroll(N)` with N "
    f"from 1 to {MOST_COPIES}, `unroll off`, `trips(N)`, `dataflow`, `reassociate`, `inline`, "
    "`inline off`, "
    f"`recursion(N)` with N from 1 to {MOST_DEEP}, `heap(BYTES)` up to {MOST_HEAP}, "
    "`overlap(ARGUMENT, ARGUMENT)`, "
    f"`partition(ARRAY)`, `partition(ARRAY, N)` with N a power of two up to {MOST_BANKS}, "
    '`extent(ARGUMENT, BYTES)`, `macro("FILE", latency N)`, `refine(NAME)` (docs/ladder.md)'
)
_REFINE = re.compile(r"refine\s*\(\s*([\w-]+)\s*(?:,\s*(\w+)\s*)?\)$")
_MACRO = re.compile(r'macro\s*\(\s*"([^"]+)"\s*((?:,[^,]+)*)\)$')
_LATENCY = re.compile(r"latency\s+(\d{1,9})$")
_MODULE = re.compile(r'module\s+"([A-Za-z_]\w*)"$')
_MACRO_FORM = (
    f'write `macro("FILE", latency N)` with N from 1 to {MOST_CYCLES}, and `, module "NAME"` '
    "behind N where the module has another name than the function"
)
_NO_MACROS = {
    "stateful": "a module may be asked for what is not needed, and one serves several calls",
    "external": "a call of it may be left out, made twice, or made where the C makes none",
}
"""Properties that other compilers' macros may have, and why none of ours has them."""
_NUMBERED = {("pipeline", "ii"), *((n, None) for n in ("unroll", "trips", "recursion", "heap"))}


def read_own(words: str, shown: str, place: Place) -> Directive | None:
    """The directive; None for an `extent`, which is read by `annotations.read_claims`. Raises
    UserError for what is not known."""
    if words.startswith("extent"):
        return None
    if re.match(r"macro\b", words):
        return _read_macro(words, shown, place)
    if re.match(r"refine\b", words):
        return _read_refinement(words, shown, place)
    partition = _PARTITION.match(words)
    if partition and is_good_number("partition", int(partition[2] or 2)):
        array, count = partition.groups()
        return Directive("partition", shown, place, number=int(count or 0), array=array)
    overlap = _OVERLAP.match(words)
    if overlap:
        arrays = tuple(dict.fromkeys(re.findall(_ARRAY, overlap[1])))
        if len(arrays) > 1:
            return Directive("overlap", shown, place, arrays=arrays)
    found = _FORM.match(words)
    if not found or not _has_good_number(found):
        raise user_error("pragma", f"unknown directive `{shown}`", place, _KNOWN)
    name, off, _, number = found.groups()
    is_bare = name in ("reassociate", "dataflow") and (off or number)
    if is_bare or (name in ("trips", "recursion", "heap") and (off or not number)):
        raise user_error("pragma", f"unknown directive `{shown}`", place, _KNOWN)
    return Directive(name, shown, place, bool(off), int(number or 0))


def _read_refinement(words: str, shown: str, place: Place) -> Directive:
    """A refinement. Raises UserError for one that is not known, or that lacks what it is about."""
    from tandem.passes.refinements import DIRECTED, KINDS, TABLE

    found = _REFINE.match(words)
    kind = KINDS.get(found[1]) if found else None
    if found is None or kind is None or kind.name not in DIRECTED:
        cure = f"write `refine(NAME)`; known are: {', '.join(DIRECTED)}"
        raise user_error("pragma", f"unknown directive `{shown}`", place, cure)
    more = found[2] or ""
    wanted = "a number" if kind.counts else "the name of a table" if kind.about == TABLE else ""
    if bool(more) != bool(wanted) or (kind.counts and not re.fullmatch(r"\d{1,5}", more)):
        cure = f"write `refine({kind.name}, {'N' if kind.counts else 'TABLE'})`"
        cure = cure if wanted else f"write `refine({kind.name})`"
        raise user_error("pragma", f"`{shown}` needs {wanted or 'nothing more'}", place, cure)
    number, table = (int(more), "") if kind.counts else (0, more)
    refined = LOOP if kind.about == "loop" else FUNCTION
    return Directive(
        "refine", shown, place, number=number, array=table, refinement=kind.name, refined=refined
    )


def _has_good_number(form: re.Match[str]) -> bool:
    name, _, ii, number = form.groups()
    return number is None or ((name, ii) in _NUMBERED and is_good_number(name, int(number)))


def _read_macro(words: str, shown: str, place: Place) -> Directive:
    """The declaration of a macro. Raises UserError for one that cannot be read, or that no macro
    here can be."""
    found = _MACRO.match(words)
    if found is None:
        raise user_error("pragma", f"cannot read `{shown}`", place, _MACRO_FORM)
    latency, module = 0, ""
    for part in (part.strip() for part in found[2].split(",")[1:]):
        if part in _NO_MACROS:
            text = f"`{shown}`: a macro cannot be {part}: {_NO_MACROS[part]}"
            cure = "keep what lasts in variables of the C, and pass it to the macro"
            raise user_error("macro", text, place, cure)
        if (cycles := _LATENCY.match(part)) and not latency:
            latency = int(cycles[1])
        elif (name := _MODULE.match(part)) and not module:
            module = name[1]
        else:
            raise user_error("pragma", f"`{shown}`: unknown part `{part}`", place, _MACRO_FORM)
    if not is_good_number("macro", latency):
        raise user_error("pragma", f"`{shown}` says no latency from 1 on", place, _MACRO_FORM)
    return Directive("macro", shown, place, number=latency, verilog=found[1], module=module)


def _read(words: str, shown: str, place: Place) -> Read:
    return Read(read_own(words, shown, place))


SPELLING = Spelling("tandem", _read, stands_before=True, any_case=False)
