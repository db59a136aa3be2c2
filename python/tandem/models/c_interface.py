# SPDX-License-Identifier: Apache-2.0
"""A kernel's function as C that we write calls it. The C names of the user's own parameters can be
anything, so that ours count: `a0`, `a1`, ... in the manifest's order."""

from __future__ import annotations

from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.kernel import Kernel
from tandem.ir.ops.c import c_type


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


def scalar_bytes(argument: Argument) -> int:
    """Bytes of a scalar as C passes it."""
    return max(1, 1 << (argument.width - 1).bit_length() >> 3)


def load_argument(argument: Argument, position: int, name: str) -> list[str]:
    """C that declares `name` with a scalar's or a block's value. A block that a call does not use
    is not looked at."""
    size = (argument.width + 7) // 8
    kind = c_type(argument.width)
    source = f"data[{position}]"
    guard = f"if (bytes[{position}]) " if argument.kind is ArgumentKind.BLOCK else ""
    shifted = f"{name} << 8" if argument.width > 8 else "0"
    return [
        f"{kind} {name} = 0;",
        f"{guard}{{ unsigned char b[{size}]; memcpy(b, {source}, {size}); "
        f"for (int i = {size}; i--;) {name} = ({kind})({shifted} | b[i]); }}",
    ]
