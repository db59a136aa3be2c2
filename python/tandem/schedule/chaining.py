# SPDX-License-Identifier: Apache-2.0
"""Chaining: which operations in a row fit one clock period, by the target's delays."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from tandem.schedule.problem import Constraint, Node, NodeKind, Problem


def add_chaining(problem: Problem, budget_ps: int, shared_register_ps: int = 0) -> None:
    """Operations in a row that do not fit the clock period together start in different cycles. A
    path that begins at a register read all over the design has `shared_register_ps` less."""
    late, users, order = problem.readers.of_shared, problem.readers.users, problem.place
    for start in problem.nodes:
        if start.answer_ps or (start.kind is NodeKind.OP and start.delay_ps):
            extra = shared_register_ps if start in late else 0
            _separate(problem, start, users, order, budget_ps - extra)


def path_delays_ps(
    problem: Problem, start: Mapping[Node, int], shared_register_ps: int
) -> tuple[int, int]:
    """(the longest way from register to register that a schedule leaves, without the registers'
    own part; how much of it comes before what leaves the block in its last cycle)."""
    shared = problem.readers.of_shared
    leaves_ps: dict[Node, int] = {}
    longest = 0
    for node in problem.nodes:
        here = [b for b in node.sources if start[b] + b.latency == start[node]]
        path = max((leaves_ps.get(b, 0) for b in here), default=0) + node.delay_ps + node.request_ps
        longest = max(longest, node.inside_ps, path + (shared_register_ps if node in shared else 0))
        leaves_ps[node] = node.answer_ps or (0 if node.latency else path)
    return longest, leaves_ps[problem.end]


def _separate(
    problem: Problem,
    start: Node,
    users: dict[Node, list[Node]],
    order: dict[Node, int],
    budget: int,
) -> None:
    """Adds a constraint for each end of a path from `start` that is longer than the budget."""
    longest = {start: start.answer_ps or start.delay_ps}
    queue = sorted(users.get(start, []), key=order.__getitem__)
    reached = set(queue)
    queue = deque(queue)
    while queue:
        node = queue.popleft()
        arrivals = [longest[b] for b in node.sources if b in longest]
        path = max(arrivals) + node.delay_ps + node.request_ps
        if path > budget:
            long = Constraint(start, node, start.latency + 1, is_chain=True)
            problem.constraints.append(long)
            continue
        if node.latency:
            continue
        longest[node] = path
        fresh = [u for u in users.get(node, []) if u not in reached]
        if fresh:
            reached.update(fresh)
            queue = deque(sorted([*queue, *fresh], key=order.__getitem__))
