# SPDX-License-Identifier: Apache-2.0
"""What a procedure of Fortran's is called as, where hardware is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.languages.fortran.descriptors import is_box
from tandem.languages.fortran.procedures import Dummy, DummyKind, Procedure
from tandem.languages.fortran.sizes import Size

PLACE = ".addr"
"""Behind the name of what the procedure's own text takes for an argument's place, as in clang's."""


@dataclass(frozen=True)
class Plain:
    """A procedure as a function under a `name`; `numbers`: the arguments that it takes by value, in
    place of their places in memory."""

    procedure: Procedure
    name: str
    numbers: frozenset[str]

    @property
    def boxes(self) -> list[Dummy]:
        """The arrays with descriptors that it takes without."""
        return [d for d in self.procedure.dummies if is_box(d)]

    def sizes(self) -> Iterator[tuple[str, Size]]:
        """Arrays whose bytes the numbers that it takes tell."""
        values = (d.name for d in self.procedure.dummies if d.kind is DummyKind.VALUE)
        known = self.numbers.union(values)
        for dummy in self.procedure.dummies:
            if dummy.size is not None and dummy.size.names <= known:
                yield dummy.name, dummy.size

    @property
    def strided(self) -> list[Dummy]:
        """Those of them that calls may have otherwise than contiguous."""
        return [dummy for dummy in self.boxes if "contiguous" not in dummy.attributes]

    def changes(self, dummy: Dummy) -> bool:
        """Whether it takes an argument otherwise than the procedure."""
        return dummy.name in self.numbers or is_box(dummy)
