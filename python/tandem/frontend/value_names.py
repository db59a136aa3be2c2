# SPDX-License-Identifier: Apache-2.0
"""Has values be called as the variables of the C that they are stored to. Clang gives them the name
of what makes them (`add`), and only to the variable its own; names outlive what LLVM does."""

from __future__ import annotations

import re

from tandem.ir.names import is_told_by_clang

_FUNCTION = re.compile(r"^define .*?^}", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"^  %([A-Za-z_]\w*?)(?:\.addr)? = alloca", re.MULTILINE)
_STORE = re.compile(
    r"^  store (?:i\d+|float|double) %([A-Za-z]\w*), ptr %([A-Za-z_]\w*?)(?:\.addr)?,", re.MULTILINE
)
_MADE = re.compile(r"^  %([A-Za-z]\w*) = ", re.MULTILINE)
_CAST = re.compile(r"^  %(\w+) = (?:trunc|sext|zext) [\w ]+ %([A-Za-z]\w*) to", re.MULTILINE)
_VALUE = re.compile(r"%[A-Za-z]\w*\b(?!\.)")


def with_values_named(text: str) -> str:
    """LLVM IR as clang makes it, with variables' names in the place of its own."""
    return _FUNCTION.sub(lambda found: _named(found[0]), text)


def _named(function: str) -> str:
    names = _names(function)
    return _VALUE.sub(lambda found: names.get(found[0], found[0]), function) if names else function


def _names(function: str) -> dict[str, str]:
    """Values -> what they are to be called: behind the dot is what keeps names apart."""
    variables, made = set(_VARIABLE.findall(function)), set(_MADE.findall(function))
    casts = dict(_CAST.findall(function))
    names: dict[str, str] = {}
    for value, variable in _STORE.findall(function):
        if variable not in variables:
            continue
        while value in made and is_told_by_clang(value):
            names.setdefault(f"%{value}", f"%{variable}.{value}")
            value = casts.get(value, "")
    return names
