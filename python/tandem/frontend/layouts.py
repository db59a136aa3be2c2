# SPDX-License-Identifier: Apache-2.0
"""C for a processor whose pointers are narrower than this machine's. What C is there (how wide
`long` and `size_t` are, where members lie) clang has said already; how wide a pointer is then only
matters where one lies in memory. A kernel that has none there is compiled as if pointers were as
wide as here: an index of 32 bits that cannot overflow then stays one, where it would else be an
address that may wrap, of which nothing is known. One that has is refused: all that reads memory of
a kernel takes pointers to have the width of this machine's."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import llvmlite.binding as llvm

from tandem.diagnostics import user_error
from tandem.frontend.linking import read_definitions

_LAYOUT = re.compile(r'^target datalayout = "([^"]*)"$', re.M)
_TRIPLE = re.compile(r'^target triple = "[^"]*"$', re.M)
_POINTER = re.compile(r"(?:^|-)p:(\d+)")
_WIDE_BITS = 64
_NAME = re.compile(r'@(?:"[^"]*"|[-\w.$]+)')
_NAMED_TYPE = re.compile(r'%(?:"(?:struct|union)[^"]*"|(?:struct|union)\.[-\w.$]+)')
_TYPE = re.compile(r'^(%(?:"[^"]*"|[-\w.$]+)) = type (.*)$', re.M)
_SPELLED = re.compile(r"[{\[][^\n{}\[\]]*\bptr\b[^\n{}\[\]]*[}\]]")
"""A type with a pointer in it that has no name."""


def with_wide_pointers(modules: Sequence[str], top: str) -> Sequence[str]:
    """The modules, with pointers as wide as this machine's.

    Raises UserError where they are narrower and the function `top`, or what it uses, has some in
    arrays or structs."""
    if not any(_is_narrow(text) for text in modules):
        return modules
    held = next(_held(modules, top), None)
    if held is not None:
        raise user_error(
            "narrow-pointers",
            f"`{top}` uses {held}, which has pointers in it: a kernel for a processor with "
            "pointers of 32 bits takes them as parameters only",
            help="pass what they point to as parameters of their own",
        )
    layout, triple = _own()
    return [_TRIPLE.sub(triple, _LAYOUT.sub(layout, text)) for text in modules]


def _is_narrow(text: str) -> bool:
    layout = _LAYOUT.search(text)
    pointer = _POINTER.search(layout[1]) if layout else None
    return pointer is not None and int(pointer[1]) < _WIDE_BITS


def _held(modules: Sequence[str], top: str) -> Iterator[str]:
    """Types with pointers in them, and variables of such, that a function and all that it may lead
    to use. Of two definitions of one name both count."""
    types = {name: body for text in modules for name, body in _TYPE.findall(text)}
    definitions: dict[str, list[str]] = {}
    for text in modules:
        for name, found in read_definitions(text).items():
            definitions.setdefault(name, []).append(found.text)
    seen, waiting = set(), [f"@{top}"]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for text in definitions.get(name, []):
            yield from _in(text, types)
            waiting += _NAME.findall(text)


def _in(text: str, types: dict[str, str]) -> Iterator[str]:
    if _SPELLED.search(text):
        yield "an array or struct"
    for name in dict.fromkeys(_NAMED_TYPE.findall(text)):
        if _has_pointer(name, types, ()):
            yield f"`{name[1:].strip(chr(34)).replace('.', ' ', 1)}`"


def _has_pointer(name: str, types: dict[str, str], within: tuple[str, ...]) -> bool:
    body = types.get(name, "")
    inner = [found for found in _NAMED_TYPE.findall(body) if found not in (*within, name)]
    is_own = re.search(r"\bptr\b", body) is not None
    return is_own or any(_has_pointer(one, types, (*within, name)) for one in inner)


@functools.cache
def _own() -> tuple[str, str]:
    """This machine's two lines."""
    machine = llvm.Target.from_default_triple().create_target_machine()
    layout, triple = str(machine.target_data), machine.triple
    return f'target datalayout = "{layout}"', f'target triple = "{triple}"'
