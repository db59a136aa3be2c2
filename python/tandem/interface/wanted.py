# SPDX-License-Identifier: Apache-2.0
"""A C function that is to be a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.interface.options import AnyPath, Building, clock_ps, with_defaults
from tandem.languages.discovery import Given, find_program
from tandem.languages.impulse.offload import with_network
from tandem.loading import load_compiler
from tandem.progress import stage

if TYPE_CHECKING:
    from tandem.compiler.compile import Compiled
    from tandem.compiler.goals import Goal
    from tandem.schedule.delays import Target


@dataclass(frozen=True)
class Wanted:
    """A function of a program, and what is asked of its kernel."""

    source: Path
    function: str
    target: Target
    period_ps: int
    goal: Goal
    given: Given

    @staticmethod
    def of(source: AnyPath, function: str, target: str, clock_ns: float, asked: Building) -> Wanted:
        """Raises UserError for a clock, a target or a goal that there is not."""
        period_ps = clock_ps(clock_ns)
        load_compiler()
        from tandem.compiler.compile import find_target
        from tandem.compiler.goals import find_goal

        said = with_defaults(asked)
        family = find_target(target)
        goal = find_goal(said["optimise"], said["room"], said["budget_s"])
        given = said["given"] or Given()
        return Wanted(Path(source), function, family, period_ps, goal, given)

    def of_network(self) -> Wanted:
        """The function that a process of a network becomes; itself where it is none. Raises
        UserError where the network cannot be hardware."""
        given, (function,) = with_network(self.source, self.given, (self.function,))
        return replace(self, function=function, given=given)

    def compiled(self, **how: Any) -> Compiled:
        """Its kernel; `how` as `compile_kernel` has it, and raises."""
        from tandem.compiler.compile import compile_kernel

        with stage("reading the C"):
            program = find_program(self.source, self.given)
        with stage(f"compiling {self.function}"):
            return compile_kernel(
                program, self.function, self.target, self.period_ps, goal=self.goal, **how
            )
