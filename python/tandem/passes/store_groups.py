# SPDX-License-Identifier: Apache-2.0
"""Stores of one block of which at most one happens, so that one store can do for all of them.

The cases of an interpreter each write a register: as stores of their own they would take turns at
the memory's port. Stores at one place become one in any case. Stores at different places become one
in a memory of the kernel's own, and only if there are a few of them: what is known of each index
alone (extents, distances) is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.kernel import Kernel, Op
from tandem.ir.wiring import bits_of, is_constant
from tandem.passes.predicates import NEVER, Condition, Predicates

FEWEST_PLACES = 3


@dataclass
class Access:
    """A load or store, and the condition under which it happens."""

    op: Op
    condition: Condition


class StoreGroups:
    """Groups of stores, each of which can move to the place of its group's last one."""

    def __init__(self, kernel: Kernel, predicates: Predicates) -> None:
        self.kernel = kernel
        self.predicates = predicates
        self._groups: list[list[Access]] = []
        self._open: list[list[Access]] = []
        """Those whose stores exclude every access that came after them."""

    def see(self, access: Access) -> None:
        """The next access in program order."""
        self._open = [group for group in self._open if self._passes(group, access)]
        if access.op.kind == "store":
            self._home(access.op).append(access)

    def _passes(self, group: list[Access], access: Access) -> bool:
        """Whether the group's stores may as well come after an access."""
        if group[0].op.memory != access.op.memory:
            return True
        both = (self.predicates.both(store.condition, access.condition) for store in group)
        return all(condition == NEVER for condition in both)

    def _home(self, store: Op) -> list[Access]:
        """The group of a store, a new one where it fits in none."""
        found = next((g for g in self._open if self._alike(g[0].op, store)), None)
        if found is None:
            found = []
            self._groups.append(found)
            self._open.append(found)
        return found

    def _alike(self, one: Op, other: Op) -> bool:
        if one.memory != other.memory or one.index.width != other.index.width:
            return False
        if bits_of(one.index) == bits_of(other.index):
            return True
        if self.kernel.memories[one.memory].kind != "ram":
            return False
        return not any(is_constant(bits_of(op.index)) for op in (one, other))

    def worthwhile(self) -> list[list[Access]]:
        """The groups of which one store shall be made."""
        return [group for group in self._groups if _is_worthwhile(group)]


def _is_worthwhile(group: list[Access]) -> bool:
    places = {bits_of(store.op.index) for store in group}
    return len(group) > 1 and (len(places) == 1 or len(group) >= FEWEST_PLACES)
