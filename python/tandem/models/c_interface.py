# SPDX-License-Identifier: Apache-2.0
"""A kernel's function as C that we write calls it. The C names of the user's own parameters can be
anything, so that ours count: `a0`, `a1`, ... in the manifest's order."""

from __future__ import annotations

from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.kernel import Kernel


def c_result(kernel: Kernel) -> str:
    """The C type that the function returns."""
    result = next((a for a in kernel.arguments if a.is_result), None)
    return result.c_type if result else "void"


def prototype(kernel: Kernel, name: str) -> str:
    """The function's prototype under another name, each parameter as wide as a caller passes it."""
    rows = [(i, a) for i, a in enumerate(kernel.arguments) if a.is_parameter]
    parameters = ", ".join(_parameter(i, a) for i, a in rows) or "void"
    return f"{c_result(kernel)} {name}({parameters})"


def _parameter(position: int, argument: Argument) -> str:
    kind = "void *" if argument.kind is not ArgumentKind.SCALAR else f"{argument.c_type} "
    return f"{kind}a{position}"


def call(kernel: Kernel, callee: str) -> str:
    """The call of `callee` with our parameters, as a C expression."""
    rows = [f"a{i}" for i, a in enumerate(kernel.arguments) if a.is_parameter]
    return f"{callee}({', '.join(rows)})"


def trampoline(kernel: Kernel, callee: str) -> str:
    """The C statement that calls `callee` on `data[]`."""
    uses = []
    result = ""
    for i, argument in enumerate(kernel.arguments):
        if not (argument.is_parameter or argument.is_result):
            continue
        if argument.kind is not ArgumentKind.SCALAR:
            uses.append(f"data[{i}]")
        elif argument.is_result:
            result = f"*({argument.c_type} *)data[{i}] = "
        else:
            uses.append(f"*({argument.c_type} *)data[{i}]")
    return f"{result}{callee}({', '.join(uses)});"
