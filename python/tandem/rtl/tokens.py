# SPDX-License-Identifier: Apache-2.0
"""Tokens: in which of its cycles a block is, a bit a cycle. Bits of cycles that follow each other
are one shift register, as long as somebody asks; over a long wait a counter carries the token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tandem.rtl.text import Module, Wire

Named = Callable[[str, int], Wire]
"""Declares a register of a block's control: the end of its name, and its bits."""


@dataclass
class Ending:
    """Tokens of iterations after the last end where it `leaves`, in the cycles before `decide`."""

    leaves: Wire
    decide: int


@dataclass
class Shift:
    """A shift register: its bit of a number has what that of the number below had a cycle before,
    and the lowest, of the number `first`, what has entered."""

    module: Module
    stem: str
    first: int
    last: int
    """The highest number there may be."""
    asked: int = -1
    """The highest that somebody asked for."""

    def bit(self, number: int) -> Wire:
        self.asked = max(self.asked, number)
        return Wire(f"%{self.stem}.{number}", 1)

    def drive(self, end: str, named: Named, enters: Wire, ending: Ending | None = None) -> None:
        """Makes it, if it is asked for; `end`: of its name."""
        count = self.asked - self.first + 1
        if count < 1:
            return
        end = f"{end}{self.first}" if count == 1 else end
        register = named(end, count)
        self.module.first_bits[register.name[1:]] = self.first
        following = [self._entering(register, place, enters) for place in range(count)]
        self.module.drive_register(register, self._together(following, ending), 0)
        for place in range(count):
            bit = self.module.extract(register, place, 1)
            self.module.give(self.bit(self.first + place), bit)

    def _entering(self, register: Wire, place: int, enters: Wire) -> Wire:
        return self.module.extract(register, place - 1, 1) if place else enters

    def _together(self, following: Sequence[Wire], ending: Ending | None) -> Wire:
        """What the register takes, the lowest bit first."""
        module = self.module
        if ending is None or ending.decide < self.first:
            return module.concat(following[::-1])
        ends = min(ending.decide - self.first + 1, len(following))
        stays = module.replicate(module.invert(ending.leaves), ends)
        low = module.logic("and", [module.concat(following[:ends][::-1]), stays])
        return module.concat([*following[ends:][::-1], low])


@dataclass
class Tokens:
    """Those of a block, and where it goes from it. `cycles`: those whose tokens are registers,
    `enters`: what the first of them is a cycle later."""

    module: Module
    label: str
    cycles: Sequence[int]
    enters: Wire
    ending: Ending | None = None
    taken: dict[int, Wire] = field(default_factory=dict)
    """Edge number -> it is taken in this cycle."""

    def __post_init__(self) -> None:
        self.shifts: list[Shift] = []
        self._of: dict[int, Shift] = {}
        for cycle in self.cycles:
            if cycle - 1 not in self._of:
                stem = f"{self.label}_valid.{len(self.shifts)}"
                self.shifts.append(Shift(self.module, stem, cycle, cycle))
            self._of[cycle] = self.shifts[-1]
            self.shifts[-1].last = cycle

    def at(self, cycle: int) -> Wire:
        """That an iteration is in the cycle."""
        is_register = cycle or cycle in self._of
        return self._of[cycle].bit(cycle) if is_register else self.enters

    def drive(self, named: Named) -> None:
        """Makes what somebody has asked for, the last cycles first: they ask for others."""
        before = [0, *(shift.last for shift in self.shifts)]
        for number, shift in reversed([*enumerate(self.shifts)]):
            if shift.asked >= 0:
                enters = self._entering(named, before[number], shift.first)
                shift.drive(f"valid{number or ''}", named, enters, self.ending)

    def _entering(self, named: Named, before: int, first: int) -> Wire:
        """What enters the shift register that begins with a cycle, `before` which there is a token
        last. Over a wait a counter says when."""
        if first <= 1:
            return self.enters
        module, wait = self.module, first - before - 1
        left = named(f"waits{before}", wait.bit_length())
        module.drive_down(left, self.at(before), wait)
        return module.compare("eq", left, module.constant(1, left.width))
