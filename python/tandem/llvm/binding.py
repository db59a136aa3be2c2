# SPDX-License-Identifier: Apache-2.0
"""The LLVM-C functions inside PyCDE's CIRCT library.

llvmlite runs passes but cannot show predicates, types of address computations, initialisers or
debug locations, and changes nothing; this library's LLVM-C can. It is not an official interface of
PyCDE, so the version is pinned and tests/test_frontend.py reads one of everything.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError
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
    library.LLVMInstallFatalErrorHandler(_give_up)
    return found


@ctypes.CFUNCTYPE(None, ctypes.c_char_p)
def _give_up(reason: bytes) -> None:
    """LLVM gives up, and lets nobody go on from there: told as every fault of ours is, where it
    would else end the process with a signal."""
    fault = InternalError(
        Diagnostic("llvm-ir", f"LLVM gives up: {reason.decode(errors='replace')}")
    )
    sys.stdout.flush()
    report = "this is a fault of Tandem's own; please report it with the C that shows it"
    print(fault, report, sep="\n", file=sys.stderr, flush=True)
    os._exit(fault.exit_status)


def function(name: str) -> Callable[..., Any]:
    """The LLVM-C function `LLVM<name>`, for who calls it often."""
    return _functions()[name]


def call(name: str, *arguments: Any) -> Any:
    """What the LLVM-C function `LLVM<name>` returns."""
    return _functions()[name](*arguments)


def array(values: Sequence[Ref]) -> ctypes.Array[Any]:
    """Some objects, as LLVM-C takes several."""
    return (REF * len(values))(*values)
