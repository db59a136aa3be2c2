# SPDX-License-Identifier: Apache-2.0
"""The earliest start of every operation under difference constraints, kept as constraints come."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from tandem.schedule.problem import Constraint, Node, Problem


class Unmeetable(Exception):
    """A cycle of constraints that no schedule can meet."""

    def __init__(self, cycle: list[Constraint]) -> None:
        super().__init__()
        self.cycle = cycle


class Starts:
    """The least start of every node for one `ii`. Raises Unmeetable where there is none."""

    def __init__(self, problem: Problem, ii: int) -> None:
        self.nodes = problem.nodes
        self.index = problem.place
        self.origin = problem.origin
        self.ii = ii
        self._leaving = problem.leaving
        self._start = [0] * len(self.nodes)
        self._cause: list[Constraint | None] = [None] * len(self.nodes)
        self._propagate(range(len(self.nodes)))

    def __getitem__(self, node: Node) -> int:
        return self._start[self.index[node]]

    def all(self) -> dict[Node, int]:
        """Every node's start."""
        return dict(zip(self.nodes, self._start, strict=True))

    def delay(self, node: Node, cycle: int, why: str) -> list[Node]:
        """Has `node` start in `cycle` or later; the nodes that start later now. Where that is
        impossible, Unmeetable is raised and all is as before."""
        changed: dict[int, tuple[int, Constraint | None]] = {}
        place = self.index[node]
        if self._start[place] >= cycle:
            return []
        changed[place] = (self._start[place], self._cause[place])
        self._start[place] = cycle
        self._cause[place] = Constraint(self.origin, node, cycle, why=why)
        try:
            self._propagate([place], changed)
        except Unmeetable:
            for i, (start, cause) in changed.items():
                self._start[i], self._cause[i] = start, cause
            raise
        return [self.nodes[i] for i in changed]

    def _propagate(
        self,
        seeds: Iterable[int],
        changed: dict[int, tuple[int, Constraint | None]] | None = None,
    ) -> None:
        """Nodes are in an order in which most constraints lead forward, so each is looked at few
        times; a cycle needs a constraint that leads back."""
        start, cause, ii = self._start, self._cause, self.ii
        heap = list(seeds)
        waiting = set(heap)
        while heap:
            before = heappop(heap)
            waiting.discard(before)
            for after, cycles, per_ii, constraint in self._leaving[before]:
                least = start[before] + cycles - per_ii * ii
                if least <= start[after]:
                    continue
                if changed is not None and after not in changed:
                    changed[after] = (start[after], cause[after])
                start[after], cause[after] = least, constraint
                if after <= before:
                    self._check(before, after, constraint)
                if after not in waiting:
                    waiting.add(after)
                    heappush(heap, after)

    def _check(self, before: int, after: int, closing: Constraint) -> None:
        """Raises Unmeetable if what made `before` start so late is a cycle of constraints, or has
        moved cycle 0."""
        found = [closing]
        places = {after: 0}
        node = before
        while node not in places:
            places[node] = len(found)
            constraint = self._cause[node]
            if constraint is None:
                if after == self.index[self.origin]:
                    raise Unmeetable(found[::-1])
                return
            found.append(constraint)
            node = self.index[constraint.before]
        raise Unmeetable(found[places[node] :][::-1])
