# SPDX-License-Identifier: Apache-2.0
"""Cores: operators that are a pipeline of their own, made from a function of C, or of the user's
own Verilog. A core takes operands in every cycle, and gives each result a fixed number of cycles
later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tandem.ir.blocks import Block
from tandem.ir.kernel import Macro

if TYPE_CHECKING:
    from tandem.schedule.scheduled import KernelSchedule


@dataclass(frozen=True, eq=False)
class Core:
    """`schedule`: of the function, whose parameters are those of its one block. `area` as
    `schedule.area` estimates it. `macro`: the module of the user's that the hardware has; the
    function, in one cycle, then stands for it in models. Nothing is known of its area, and of its
    paths that they begin and end with registers."""

    schedule: KernelSchedule
    area: dict[str, int]
    macro: Macro | None = None

    @property
    def block(self) -> Block:
        """The function."""
        return self.schedule.kernel.entry

    @property
    def latency_cycles(self) -> int:
        """From the cycle in which operands arrive, at registers, to that of their result."""
        return self.macro.latency if self.macro else self.schedule.blocks[self.block].length

    @property
    def answer_ps(self) -> int:
        """How late in its cycle a result is there."""
        return 0 if self.macro else self.schedule.blocks[self.block].answer_ps

    @property
    def inside_ps(self) -> int:
        """The longest path between two registers inside."""
        return 0 if self.macro else self.schedule.blocks[self.block].longest_ps


class Cores(Protocol):
    """What makes the core of an operation, for a clock."""

    def __call__(self, kind: str, /) -> Core: ...

    @property
    def clock_ps(self) -> int:
        """The clock that they are made for."""
        ...

    @property
    def slower_ps(self) -> Sequence[int]:
        """The slower clocks that cores can be made for, by length."""
        ...

    def at(self, clock_ps: int) -> Cores:
        """What makes cores for a slower clock: of fewer stages."""
        ...
