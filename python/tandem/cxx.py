# SPDX-License-Identifier: Apache-2.0
"""Names of C++ as their authors wrote them."""

from __future__ import annotations

import ctypes
import re
from functools import cache

_SYMBOL = re.compile(r"\b_Z[A-Z]\w*")


@cache
def demangled(symbol: str) -> str:
    """A C++ symbol as its author wrote it; any other as it is."""
    if not symbol.startswith("_Z"):
        return symbol
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return symbol
    demangle.restype = ctypes.c_char_p
    found = demangle(symbol.encode(), None, None, None)
    return found.decode() if found else symbol


def as_written(text: str) -> str:
    """Text for a reader, with C++ symbols in it as their author wrote them."""
    return _SYMBOL.sub(lambda symbol: demangled(symbol[0]), text)
