# SPDX-License-Identifier: Apache-2.0
"""The LLVM-C functions inside PyCDE's CIRCT library.

llvmlite runs passes but cannot show predicates, types of address computations, initialisers or
debug locations, and changes nothing; this library's LLVM-C can. It is not an official interface of
PyCDE, so the version is pinned and tests/test_frontend.py reads one of everything.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tandem.llvm.signatures import REF, SIGNATURES

Ref = int
"""An LLVM object: its address."""


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """The functions of the library, by their names without `LLVM`: asked a hundred thousand times
    for a kernel."""
    spec = importlib.util.find_spec("pycde")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent / "circt" / "_mlir_libs"
    library = ctypes.CDLL(str(folder / "libPyCDE_CIRCTPythonCAPI.so"))
    found = {name: getattr(library, f"LLVM{name}") for name in SIGNATURES}
    for name, (result, *arguments) in SIGNATURES.items():
        found[name].restype, found[name].argtypes = result, arguments
    return found


def call(name: str, *arguments: Any) -> Any:
    """The LLVM-C function `LLVM<name>`."""
    return _functions()[name](*arguments)


def array(values: Sequence[Ref]) -> ctypes.Array[Any]:
    """Some objects, as LLVM-C takes several."""
    return (REF * len(values))(*values)
