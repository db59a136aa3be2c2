# SPDX-License-Identifier: Apache-2.0
"""The program's files as one LLVM module, in which exactly one function has the kernel's name.

A static function belongs to its file: two files may have different ones of the same name, and a
static function of a header is in every file that includes it. C's linker rejects two definitions
with external linkage; so do we, with both places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import llvmlite.binding as llvm

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.meaning import meaning
from tandem.frontend.symbols import Symbol, definition, symbols_of
from tandem.written import demangled

OF_HEADERS = 1
"""LLVMLinkage of inline functions of the C library's headers, as `atoi`."""
WEAK = (OF_HEADERS, 2, 3, 5, 6, 14)
"""... of what several modules may define: available_externally, linkonce, weak, and common."""
SHOWN_NAMES = 8
"""Those that an error lists at most."""
APPENDING = 7
"""... of lists of LLVM's own, which become one."""


def definitions_of(text: str) -> dict[str, Symbol]:
    """What a module defines, by its names."""
    return {
        name: found
        for name, found in symbols_of(text).items()
        if found.is_defined and found.linkage != APPENDING
    }


def link(modules: Sequence[str], top: str, files: Sequence[str]) -> llvm.ModuleRef:
    """One module of all files, with `top` visible.

    Raises UserError if `top` is not defined, or not by one function only, or if a name with
    external linkage is defined twice."""
    definitions = [definitions_of(text) for text in modules]
    _check_unique(definitions, files)
    chosen = _choose(modules, definitions, top, files)
    parsed = [llvm.parse_assembly(text) for text in modules]
    kernel = parsed[chosen].get_function(top)
    kernel.linkage = "external"
    first, *others = [parsed[chosen], *parsed[:chosen], *parsed[chosen + 1 :]]
    for module in others:
        first.link_in(module)
    return first


def _check_unique(definitions: Sequence[dict[str, Symbol]], files: Sequence[str]) -> None:
    owners: dict[str, tuple[Symbol, str]] = {}
    for found, file in zip(definitions, files, strict=True):
        for name, row in found.items():
            if row.is_local or row.linkage in WEAK:
                continue
            if name in owners:
                places = [_find(*owner) for owner in (owners[name], (row, file))]
                raise _multiply_defined(name, *places)
            owners[name] = row, file


def _multiply_defined(name: str, first: Place, second: Place) -> UserError:
    return user_error(
        "multiply-defined",
        f"`{name}` is defined twice: here and in {first}",
        second,
        "keep one of them, with `extern` declarations elsewhere, or make each `static`; a C file "
        "that another one includes must not be compiled as well",
    )


def _choose(
    modules: Sequence[str],
    definitions: Sequence[dict[str, Symbol]],
    top: str,
    files: Sequence[str],
) -> int:
    """Which file's `top` is the kernel: the external one, or the static one if all are equal."""
    owned = [{n: d for n, d in found.items() if d.is_function} for found in definitions]
    having = [i for i, names in enumerate(owned) if top in names]
    if not having:
        rows = [row for found in owned for row in found.values() if not row.is_stood_for]
        own = {row.name for row in rows if row.linkage != OF_HEADERS}
        raise _no_function(top, files[0], own)
    kinds = {i: owned[i][top] for i in having}
    strong = [i for i in having if not kinds[i].is_local and kinds[i].linkage not in WEAK]
    rivals = [i for i in having if kinds[i].is_local or i in strong]
    meanings = {i: meaning(modules[i], top) for i in rivals} if len(rivals) > 1 else {}
    for other in rivals[1:]:
        if meanings[rivals[0]] != meanings[other]:
            raise _ambiguous(top, *(find_definition(top, [files[i]]) for i in (rivals[0], other)))
    return (strong or rivals or having)[0]


def _no_function(top: str, file: str, names: set[str]) -> UserError:
    return user_error(
        "no-function",
        f"no function named `{top}` is defined",
        Place(file),
        _known(top, sorted(set(map(demangled, names)))),
    )


def _known(wanted: str, names: Sequence[str]) -> str:
    """The names that could be meant, and how many there are."""
    if len(names) <= SHOWN_NAMES:
        return f"defined are: {', '.join(names) or 'none'}"
    nearest = get_close_matches(wanted, names, SHOWN_NAMES, 0.0)
    return f"nearest of the {len(names)} that are defined: {', '.join(nearest)}"


def _ambiguous(top: str, first: Place, second: Place) -> UserError:
    return user_error(
        "ambiguous",
        f"`{top}` is defined here and, differently, in {first}",
        second,
        "rename one of the two, or give only the file that holds the kernel",
    )


def find_definition(name: str, files: Sequence[str], *modules: str) -> Place:
    """Where a function is defined: as LLVM's IR of it tells, or as well as its name does."""
    for text in modules:
        found = definition(text, name)
        if found and found.place:
            return found.place
    pattern = re.compile(rf"^[\w\s*]*\b{re.escape(name)}\s*\([^;{{]*(\{{.*)?$")
    for file in files:
        text = Path(file).read_text(errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if pattern.match(line) and not line.startswith((" ", "\t", "#", "/")):
                return Place(file, number)
    return Place(files[0])


def _find(found: Symbol, file: str) -> Place:
    if found.is_function:
        return found.place or find_definition(found.name, [file])
    pattern = re.compile(rf"(?!extern)[^\s#/][^(;=]*\b{re.escape(found.name)}(?!\w)")
    with open(file, errors="replace") as handle:
        for number, line in enumerate(handle, 1):
            if pattern.match(line):
                return Place(file, number)
    return Place(file)
