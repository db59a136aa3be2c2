# SPDX-License-Identifier: Apache-2.0
"""The reservation table: in which cycle, modulo `ii` in a loop, a unit serves which operation.

Operations are taken as early as the constraints let them, those with more behind them first. Where
a unit is taken the operation waits until it is free; where it cannot, because a recurrence leaves
no room, the one in its way waits instead.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from tandem.schedule.problem import Node, Problem
from tandem.schedule.starts import Starts, Unmeetable

WAITS_LIMIT = 1.5
"""How often, on average, an operation may be made to wait before the table counts as full. Where
all find a place it is hardly ever more than once."""


@dataclass
class Reservation:
    """`port`: which of its unit's equal ports serves an operation."""

    ii: int
    capacity: dict[str, int]
    port: dict[Node, int] = field(default_factory=dict)
    _taken: dict[tuple[str, int, int], Node] = field(default_factory=dict)
    _slot: dict[Node, tuple[str, int, int]] = field(default_factory=dict)
    _sent: dict[Node, tuple[str, int]] = field(default_factory=dict)
    """Where operations that found their unit taken wait for their turn."""
    _waiting: Counter[tuple[str, int]] = field(default_factory=Counter)

    def _slot_of(self, cycle: int) -> int:
        return cycle % self.ii if self.ii else cycle

    def meet(self, one: int, other: int) -> bool:
        """Whether two cycles are one place in the table."""
        return self._slot_of(one) == self._slot_of(other)

    def take(self, node: Node, cycle: int) -> Node | None:
        """Reserves a port of the node's unit in a cycle; the node that has the last one of them
        instead if all are taken."""
        slot = self._slot_of(cycle)
        key = (node.unit, slot, 0)
        for port in range(self.capacity[node.unit]):
            key = (node.unit, slot, port)
            if key not in self._taken:
                self._taken[key] = node
                self._slot[node], self.port[node] = key, port
                self.forget(node)
                return None
        return self._taken[key]

    def send(self, node: Node, cycle: int) -> int:
        """Has the node wait for the first cycle from `cycle` on in which a port of its unit is free
        and not already waited for; where there is none, for one that is free."""
        self.forget(node)
        free = self._free_from(node, cycle, heeded=True)
        if free is None:
            free = self._free_from(node, cycle, heeded=False)
        if free is None:
            return cycle
        self._sent[node] = place = (node.unit, self._slot_of(free))
        self._waiting[place] += 1
        return free

    def _free_from(self, node: Node, cycle: int, heeded: bool) -> int | None:
        """The first cycle with a free port; with `heeded` one that nobody waits for."""
        unit, ports = node.unit, range(self.capacity[node.unit])
        for later in range(cycle, cycle + self.ii) if self.ii else count(cycle):
            slot = self._slot_of(later)
            free = sum((unit, slot, port) not in self._taken for port in ports)
            if free > (self._waiting[unit, slot] if heeded else 0):
                return later
        return None

    def forget(self, node: Node) -> None:
        """Has the node wait for nothing."""
        place = self._sent.pop(node, None)
        if place is not None:
            self._waiting[place] -= 1

    def leave(self, node: Node, cycle: int) -> None:
        """Gives up what the node has, and what it waits for if that is not `cycle`, in which it now
        starts."""
        if self._sent.get(node) != (node.unit, self._slot_of(cycle)):
            self.forget(node)
        key = self._slot.pop(node, None)
        if key is not None:
            del self._taken[key]
            del self.port[node]


def reserve(problem: Problem, starts: Starts, ii: int) -> Reservation:
    """Gives every operation that needs one a port for its cycle, delaying `starts` as needed; `ii`
    is 0 for a block that is no loop. Raises Unmeetable if that fails."""
    table = Reservation(ii, problem.capacity)
    nodes = [node for node in problem.nodes if node.unit]
    after = problem.behind
    order = {node: i for i, node in enumerate(nodes)}
    heap = [(starts[node], -after[node], i) for i, node in enumerate(nodes)]
    heap.sort()
    reserved: dict[Node, int] = {}
    left = 1 + int(WAITS_LIMIT * len(nodes))
    while heap:
        _, _, i = heappop(heap)
        node = nodes[i]
        if reserved.get(node) == starts[node]:
            continue
        other = table.take(node, starts[node])
        if other is None:
            reserved[node] = starts[node]
            continue
        left -= 1
        if not left:
            raise Unmeetable([])
        for late in {node, *_make_way(table, starts, node, other)}:
            if late.unit and reserved.get(late) != starts[late]:
                table.leave(late, starts[late])
                reserved.pop(late, None)
                heappush(heap, (starts[late], -after[late], order[late]))
    return table


def _make_way(table: Reservation, starts: Starts, node: Node, other: Node) -> list[Node]:
    """The nodes that start later once one of two that meet on a unit waits. Raises Unmeetable where
    a recurrence keeps them at that distance: then each takes the other along."""
    try:
        moved = _wait(table, starts, node)
    except Unmeetable as first:
        try:
            return _wait(table, starts, other)
        except Unmeetable:
            raise first from None
    if table.meet(starts[node], starts[other]):
        moved += _wait(table, starts, other)
        if table.meet(starts[node], starts[other]):
            raise Unmeetable([])
    return moved


def _wait(table: Reservation, starts: Starts, node: Node) -> list[Node]:
    cycle = table.send(node, starts[node] + 1)
    try:
        return starts.delay(node, cycle, f"`{node.unit}`")
    except Unmeetable:
        table.forget(node)
        raise
