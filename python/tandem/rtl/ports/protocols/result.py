# SPDX-License-Identifier: Apache-2.0
"""What a call returns."""

from __future__ import annotations

from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.rtl.ports.protocol import ELEMENT, Protocol


def _is_result(kernel: Kernel, argument: Argument) -> bool:
    return argument.is_result


# Icarus's bench prints it with the cycles.
PROTOCOL = Protocol("result", 30, "stable from `done` on", _is_result, outputs={"value": ELEMENT})
