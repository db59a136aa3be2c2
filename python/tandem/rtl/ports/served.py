# SPDX-License-Identifier: Apache-2.0
"""An argument of a call as Icarus's test bench serves it (tandem.models.icarus)."""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.argument import Argument
from tandem.rtl.ports.names import signal_name

Lines = dict[str, list[str]]
"""Of the bench, by when they run: `reads` before the call; `before` the clock falls, `after` that
and `late`, when it has risen, in each cycle."""


@dataclass(frozen=True)
class Served:
    """An argument of the call, as the test bench has it."""

    argument: Argument
    stem: str
    """What its ports begin with."""
    value: bytes
    interval: int
    """Cycles between two records of a stream."""

    @property
    def tb(self) -> str:
        """What the bench's own names begin with."""
        return f"tb_{self.argument.name}"

    @property
    def count(self) -> int:
        """The elements of an array."""
        memory = self.argument.memory
        assert memory is not None
        return len(self.value) // (memory.element_bits // 8)

    def ports(self, *roles: str) -> list[str]:
        """The names of the ports that have these roles."""
        return [signal_name(self.stem, role) for role in roles]

    def waits(self) -> list[str]:
        """How a branch ends in which a record has moved."""
        wait = f"{self.tb}_wait"
        return [
            f"  {wait} = {self.interval - 1};",
            f"end else if ({wait} > 0) {wait} = {wait} - 1;",
        ]
