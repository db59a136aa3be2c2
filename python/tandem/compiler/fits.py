# SPDX-License-Identifier: Apache-2.0
"""A kernel with its clock: what is asked for, and what has come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tandem.compiler.tried import Figures, Step
from tandem.ir.kernel import Kernel
from tandem.passes.shape import Shape
from tandem.schedule.expected import Trips, expected_cycles
from tandem.schedule.scheduled import KernelSchedule


@dataclass(frozen=True)
class Asked:
    """The clock that is asked for. One that `is_free` may be slower also where the kernel is only
    better so, or where a directive's `ii` cannot be had otherwise. Of two clocks that is better
    with the smaller time x period^-`exponent`: the slower one takes fewer registers."""

    clock_ps: int
    is_free: bool = False
    exponent: float = 0.0

    def cost(self, time_ps: float, clock_ps: int) -> float:
        """What a kernel costs that takes such a time with a clock: less is better."""
        return time_ps / clock_ps**self.exponent

    def most_ps(self, cost: float, clock_ps: int) -> float:
        """The time in which a kernel costs so much with a clock."""
        return cost * clock_ps**self.exponent


@dataclass
class Fit:
    """A schedule, and how it came about: the period in which every operation that can be split was
    to fit, and the shape of the kernel. `reason`: why its clock is slower than asked for, a
    sentence, or empty; `is_large`: whether the kernel, as the first clock splits it, is too large
    for other shapes to be made with any but this clock; `is_cut`: whether more would have been
    tried, had there been time; `fastest`: what the fastest kernel takes that was tried instead;
    `steps` from the first kernel to this one."""

    schedule: KernelSchedule
    split_ps: int
    shape: Shape = field(default_factory=Shape)
    reason: str = ""
    is_large: bool = False
    is_cut: bool = False
    fastest: Figures | None = None
    steps: tuple[Step, ...] = ()


MayWin = Callable[[Kernel, Callable[[Trips], float], float], bool]
"""Whether a kernel may be worth more than the best one so far, that takes no less than such a time
(ps, by how often loops run whose count is not known), and no fewer look-up tables and registers."""


def any_may(_kernel: Kernel, _time_ps: Callable[[Trips], float], _cells: float) -> bool:
    return True


def time_of(schedule: KernelSchedule) -> float:
    """What a call is expected to take, in ps."""
    return expected_cycles(schedule) * schedule.clock_ps
