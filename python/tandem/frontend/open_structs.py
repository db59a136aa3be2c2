# SPDX-License-Identifier: Apache-2.0
"""Structs by value that hold pointers: `struct view { int *first; size_t count; }`.

What is behind such a pointer only a parameter of its own can lead to. Clang hands the parts of such
a struct on in registers, which are parameters already (`%in.coerce0`); here they get the names that
C has for them (`%in.first`), for reports and directives to speak of.
"""

from __future__ import annotations

import re
from collections import defaultdict

_FUNCTION = re.compile(r"^define [^\n]*\.coerce[^\n]*\n.*?^\}\n", re.M | re.S)
_PART = re.compile(r"(?<=[(,])\s*(\S+) [^,%]*%([\w$]+)\.coerce(\d*)\b")


def with_members_named(text: str) -> str:
    """The text of a module as clang makes it, in which the parts of such structs have names."""
    return _FUNCTION.sub(lambda function: _named(function[0], text), text)


def _named(function: str, text: str) -> str:
    parts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for kind, struct, number in _PART.findall(function.partition("\n")[0]):
        parts[struct].append((kind, number))
    for struct, found in parts.items():
        if any(kind == "ptr" for kind, _ in found):
            members = _members(struct, len(found), function, text)
            for (_, number), member in zip(found, members, strict=True):
                name = re.escape(f"%{struct}.coerce{number}")
                function = re.sub(rf"{name}(?![\w$.])", f"%{struct}.{member}", function)
    return function


def _members(struct: str, count: int, function: str, text: str) -> list[str]:
    """The names of a struct's members, as the C uses them; a number for one that it does not use,
    or where the parts are not the members."""
    numbers = [str(i) for i in range(count)]
    variable = re.search(rf'%{re.escape(struct)} = alloca (%(?:[\w.$]+|"[^"]*")),', function)
    kind = re.escape(variable[1]) if variable else "%"
    made = re.search(rf"^{kind} = type \{{ (.*) \}}$", text, re.M)
    if made is None or len(made[1].split(", ")) != count:
        return numbers
    place = rf"getelementptr inbounds(?: nuw)? {kind}, ptr [^,\n]+, i32 0, i32"
    uses = [re.findall(rf"%([A-Za-z_]\w*) = {place} {i}\b", text) for i in range(count)]
    # The first of equal names is as it is in C; LLVM puts numbers behind others of a function.
    return [min(u, key=len, default=n) for u, n in zip(uses, numbers, strict=True)]
