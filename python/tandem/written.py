# SPDX-License-Identifier: Apache-2.0
"""Names of C++ and Fortran as their authors wrote them."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any

_SYMBOL = re.compile(r"\b_(?:Z|Q[A-Z])\w+")
_FORTRAN = re.compile(r"_Q(?:[A-Z][a-z0-9_]*)+\Z")
_PART = re.compile(r"[A-Z]([a-z0-9_]*)")
"""Of a name of flang's: what it is, in a capital letter, and what it is called."""
_FUNCTION = re.compile(r"(\w+)(?:<.*|\.\d+)?$")


@cache
def demangled(symbol: str) -> str:
    """A symbol of C++ or Fortran as its author wrote it; any other as it is."""
    if _FORTRAN.match(symbol):
        return "::".join(filter(None, _PART.findall(symbol[2:]))) or symbol
    if not symbol.startswith("_Z"):
        return symbol
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return symbol
    demangle.restype = ctypes.c_char_p
    found = demangle(symbol.encode(), None, None, None)
    return found.decode() if found else symbol


def function_name(symbol: str) -> str:
    """A function's own name, as directives have it: without what it is a member of, its parameters,
    and the number by which linkers tell those of several files."""
    found = _FUNCTION.search(demangled(symbol).partition("(")[0])
    return found[1] if found else symbol


def own_name(symbol: str) -> str:
    """The last part of what its author wrote: `count` of `ns::f(int)::count`; of the variable that
    says whether that object is there, `count_guard`."""
    written = demangled(symbol)
    own = written.rpartition("::")[2]
    return f"{own}_guard" if written.startswith("guard variable for ") else own


def as_written(text: str) -> str:
    """Text for a reader, with such symbols in it as their author wrote them."""
    return _SYMBOL.sub(lambda symbol: demangled(symbol[0]), text)


def data_as_written(data: Any) -> Any:
    """The same for all texts in plain data, but for those that name packages."""
    if isinstance(data, str):
        return as_written(data)
    if isinstance(data, list):
        return [data_as_written(row) for row in data]
    if isinstance(data, dict):
        return {k: v if k == "package" else data_as_written(v) for k, v in data.items()}
    return data
