# SPDX-License-Identifier: Apache-2.0
"""A call's own ports, of no argument."""

from __future__ import annotations

from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.rtl.ports.protocol import Protocol


def _is_of_no_argument(kernel: Kernel, argument: Argument) -> bool:
    return False


PROTOCOL = Protocol(
    "call",
    10,
    "`reset` is synchronous and high for two cycles or more before the first call; `start` is "
    "high for one cycle, in which a call begins, the next one after `done`; `done` is high "
    "for one cycle, the call's last: its result is there, memories are written at its end",
    _is_of_no_argument,
    {"clk": 1, "reset": 1, "start": 1},
    {"done": 1},
)
