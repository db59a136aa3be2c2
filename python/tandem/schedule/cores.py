# SPDX-License-Identifier: Apache-2.0
"""Cores: operators that are a pipeline of their own, made from a function of C. A core takes
operands in every cycle, and gives each result a fixed number of cycles later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tandem.ir.kernel import Block

if TYPE_CHECKING:
    from tandem.schedule.scheduler import KernelSchedule


@dataclass(frozen=True, eq=False)
class Core:
    """`schedule`: of the function, whose parameters are those of its one block. `area` as
    `schedule.area` estimates it."""

    schedule: KernelSchedule
    area: dict[str, int]

    @property
    def block(self) -> Block:
        """The function."""
        return self.schedule.kernel.entry

    @property
    def latency_cycles(self) -> int:
        """From the cycle in which operands arrive, at registers, to that of their result."""
        return self.schedule.blocks[self.block].length

    @property
    def answer_ps(self) -> int:
        """How late in its cycle a result is there."""
        return self.schedule.blocks[self.block].answer_ps

    @property
    def inside_ps(self) -> int:
        """The longest path between two registers inside."""
        return self.schedule.blocks[self.block].longest_ps


Cores = Callable[[str], Core]
"""The core of an operation."""
