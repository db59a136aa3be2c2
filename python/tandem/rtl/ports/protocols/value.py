# SPDX-License-Identifier: Apache-2.0
"""A number that a call is given."""

from __future__ import annotations

from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.rtl.ports.protocol import ELEMENT, Protocol
from tandem.rtl.ports.served import Lines, Served


def _is_value(kernel: Kernel, argument: Argument) -> bool:
    return argument.op is not None and argument.memory is None and not argument.is_result


def _serve(served: Served, lines: Lines) -> None:
    """The same during the whole call."""
    (port,), width = served.ports("value"), served.argument.width
    number = int.from_bytes(served.value, "little") & ((1 << width) - 1)
    lines["reads"].append(f"{port} = {width}'h{number:x};")


PROTOCOL = Protocol(
    "value",
    20,
    "stable from `start` to `done`",
    _is_value,
    {"value": ELEMENT},
    value=lambda module, wires: wires["value"],
    serve=_serve,
)
