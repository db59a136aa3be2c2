# SPDX-License-Identifier: Apache-2.0
"""The program's files as one LLVM module, in which exactly one function has the kernel's name.

A static function belongs to its file: two files may have different ones of the same name, and a
static function of a header is in every file that includes it. C's linker rejects two definitions
with external linkage; so do we, with both places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import llvmlite.binding as llvm

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.symbols import definition
from tandem.written import demangled

LOCAL = ("internal", "private")
OF_HEADERS = "available_externally"
"""Inline functions of the C library's headers are so, as `atoi`."""
WEAK = (OF_HEADERS, "linkonce", "linkonce_odr", "weak", "weak_odr", "common")
NO_DEFINITION = ("external", "extern_weak", "appending")
"""What only names a variable; lists of LLVM's own, which become one, are none either."""
STOOD_FOR = '"tandem-stood-for"'
"""An attribute of functions that lead to one that is meant by their names."""
SHOWN_NAMES = 8
"""Those that an error lists at most."""
_NAME = r'@(?:"[^"]*"|[-\w.$]+)'
_HEAD = re.compile(
    rf"(?:define (?P<f>\w+|[{{<[])[^@]*(?P<fn>{_NAME})\(|(?P<gn>{_NAME}) = (?P<g>\w+) )"
)
_TYPE = re.compile(r'(%(?:"[^"]*"|[-\w.$]+)) = type ')
_NOT_MEANT = re.compile(r",? ![\w.]+ !\d+| #\d+|^define (internal )?", re.M)
"""Metadata, attribute groups and linkage: they differ between equal functions."""


_ABOUT = re.compile(r" !dbg !(\d+)")
_FILE_AND_LINE = re.compile(r"\b(file|line): !?(\d+)")


@dataclass(frozen=True)
class Definition:
    """A function or variable of a file. `linkage` is LLVM's word, '' for external."""

    linkage: str
    text: str
    is_function: bool

    @property
    def head(self) -> str:
        """Its first line."""
        return self.text.partition("\n")[0]


def read_definitions(text: str) -> dict[str, Definition]:
    """LLVM's name (`@f`, or in quotes) -> what a module's text defines under it."""
    found: dict[str, Definition] = {}
    lines = iter(text.splitlines())
    for line in lines:
        head = _HEAD.match(line)
        if head is None or head["g"] in NO_DEFINITION:
            continue
        rest = [] if head["fn"] is None else iter(lambda: next(lines), "}")
        word = head["f"] or head["g"]
        linkage = word if word in LOCAL + WEAK else ""
        name = head["fn"] or head["gn"]
        found[name] = Definition(linkage, "\n".join([line, *rest]), head["fn"] is not None)
    return found


def c_name(name: str) -> str:
    """The C name that LLVM writes as `@f`, or in quotes with bytes in hexadecimal."""
    plain = name[1:].strip('"')
    data = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), plain)
    return data.encode("latin-1", "replace").decode(errors="replace")


def link(modules: Sequence[str], top: str, files: Sequence[str]) -> llvm.ModuleRef:
    """One module of all files, with `top` visible.

    Raises UserError if `top` is not defined, or not by one function only, or if a name with
    external linkage is defined twice."""
    definitions = [read_definitions(text) for text in modules]
    _check_unique(definitions, files)
    chosen = _choose(modules, definitions, top, files)
    parsed = [llvm.parse_assembly(text) for text in modules]
    kernel = parsed[chosen].get_function(top)
    kernel.linkage = "external"
    first, *others = [parsed[chosen], *parsed[:chosen], *parsed[chosen + 1 :]]
    for module in others:
        first.link_in(module)
    return first


def _check_unique(definitions: Sequence[dict[str, Definition]], files: Sequence[str]) -> None:
    owners: dict[str, tuple[Definition, str]] = {}
    for found, file in zip(definitions, files, strict=True):
        for name, row in found.items():
            if row.linkage:
                continue
            if name in owners:
                plain = c_name(name)
                places = [_find(plain, *owner) for owner in (owners[name], (row, file))]
                raise _multiply_defined(plain, *places)
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
    definitions: Sequence[dict[str, Definition]],
    top: str,
    files: Sequence[str],
) -> int:
    """Which file's `top` is the kernel: the external one, or the static one if all are equal."""
    owned = [{c_name(n): n for n, d in found.items() if d.is_function} for found in definitions]
    having = [i for i, names in enumerate(owned) if top in names]
    if not having:
        hidden = [_stood_for(text) for text in modules]
        own = {
            name
            for names, found, groups in zip(owned, definitions, hidden, strict=True)
            for name, full in names.items()
            if found[full].linkage != OF_HEADERS and not groups & set(found[full].head.split())
        }
        raise _no_function(top, files[0], own)
    linkages = {i: definitions[i][owned[i][top]].linkage for i in having}
    strong = [i for i in having if not linkages[i]]
    rivals = [i for i in having if linkages[i] in LOCAL or i in strong]
    for other in rivals[1:]:
        sides = (rivals[0], other)
        meanings = [_meaning(modules[i], definitions[i], owned[i][top]) for i in sides]
        if meanings[0] != meanings[1]:
            raise _ambiguous(top, *(find_definition(top, [files[i]]) for i in sides))
    return (strong or rivals or having)[0]


def _stood_for(text: str) -> set[str]:
    """The groups of attributes of functions that stand for others, as `#3`."""
    lines = (line for line in text.splitlines() if STOOD_FOR in line)
    return {line.split()[1] for line in lines if line.startswith("attributes ")}


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


def _meaning(text: str, definitions: dict[str, Definition], top: str) -> list[str]:
    """The text of a function and of everything local to its file that it needs, with names and
    annotations that may differ between equal functions taken out."""
    local = {n for n, d in definitions.items() if d.linkage in LOCAL} | {top}
    types = {m[1]: line for line in text.splitlines() if (m := _TYPE.match(line))}
    bodies = {n: _NOT_MEANT.sub("", d.text) for n, d in definitions.items()} | types
    order = {top: 0}

    def numbered(match: re.Match[str]) -> str:
        name = match[0]
        if name in local or name in types:
            return f"@{order.setdefault(name, len(order))}"
        return name

    reference = re.compile(_NAME.replace("@", "[@%]", 1))
    meaning: list[str] = []
    while len(meaning) < len(order):
        meaning.append(reference.sub(numbered, bodies[list(order)[len(meaning)]]))
    return meaning


def find_definition(name: str, files: Sequence[str], *modules: str) -> Place:
    """Where a function is defined: as LLVM's text of it tells, or as well as its name does."""
    for text in modules:
        found = definition(text, name)
        told = found and _told(text, found.line)
        if told:
            return told
    pattern = re.compile(rf"^[\w\s*]*\b{re.escape(name)}\s*\([^;{{]*(\{{.*)?$")
    for file in files:
        with open(file, errors="replace") as handle:
            for number, line in enumerate(handle, 1):
                if pattern.match(line) and not line.startswith((" ", "\t", "#", "/")):
                    return Place(file, number)
    return Place(files[0])


def _told(text: str, head: str) -> Place | None:
    """The place in what a debugger is told of a function with that first line."""
    about = _ABOUT.search(head)
    found = about and re.search(rf"^!{about[1]} = distinct !DISubprogram\((.*)\)$", text, re.M)
    words = dict(_FILE_AND_LINE.findall(found[1])) if found else {}
    if words.keys() < {"file", "line"}:
        return None
    named = rf'^!{words["file"]} = !DIFile\(filename: "(.*?)", directory: "(.*?)"'
    file = re.search(named, text, re.M)
    if file is None:
        return None
    name, folder = (c_name(f"@{part}") for part in file.groups())
    return Place(name if Path(name).exists() else str(Path(folder, name)), int(words["line"]))


def _find(name: str, found: Definition, file: str) -> Place:
    if found.is_function:
        return find_definition(name, [file])
    pattern = re.compile(rf"(?!extern)[^\s#/][^(;=]*\b{re.escape(name)}(?!\w)")
    with open(file, errors="replace") as handle:
        for number, line in enumerate(handle, 1):
            if pattern.match(line):
                return Place(file, number)
    return Place(file)
