# SPDX-License-Identifier: Apache-2.0
"""Chaining: which operations in a row fit one clock period, by the target's delays."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from tandem.ir.ops import Op, Parameter
from tandem.ir.wiring import makers_of
from tandem.schedule.problem import Constraint, Node, NodeKind, Problem

SHARED_READERS = 8
"""From how many operations on a value from outside the block counts as read all over the design."""


SHARED_BITS = 256
"""The same of one bit: how many bits it decides."""


def add_chaining(problem: Problem, budget_ps: int, shared_register_ps: int = 0) -> None:
    """Operations in a row that do not fit the clock period together start in different cycles. A
    path that begins at a register read all over the design has `shared_register_ps` less."""
    late = _reading_shared(problem)
    users: dict[Node, list[Node]] = {}
    for node in problem.nodes:
        for before in _read_by(node):
            users.setdefault(before, []).append(node)
    order = {node: i for i, node in enumerate(problem.nodes)}
    for start in problem.nodes:
        if start.answer_ps or (start.kind is NodeKind.OP and start.delay_ps):
            extra = shared_register_ps if start in late else 0
            _separate(problem, start, users, order, budget_ps - extra)


def path_delays_ps(
    problem: Problem, start: Mapping[Node, int], shared_register_ps: int
) -> tuple[int, int]:
    """(the longest way from register to register that a schedule leaves, without the registers'
    own part; how much of it comes before what leaves the block in its last cycle)."""
    shared = _reading_shared(problem)
    leaves_ps: dict[Node, int] = {}
    longest = 0
    for node in problem.nodes:
        here = [b for b in _read_by(node) if start[b] + b.latency == start[node]]
        path = max((leaves_ps.get(b, 0) for b in here), default=0) + node.delay_ps + node.request_ps
        longest = max(longest, node.inside_ps, path + (shared_register_ps if node in shared else 0))
        leaves_ps[node] = node.answer_ps or (0 if node.latency else path)
    return longest, leaves_ps[problem.end]


def _read_by(node: Node) -> list[Node]:
    return node.inputs if node.reads is None else node.reads


def _reading_shared(problem: Problem) -> set[Node]:
    """Nodes that read what many others read too: a value from outside the block, or a bit of the
    loop's that chooses between the bits of many values."""
    readers: dict[Op, list[Node]] = {}
    for node in problem.nodes:
        operands = node.op.operands if node.kind is NodeKind.OP and node.op is not None else ()
        for source in makers_of(operands):
            if source not in problem.node_of or _is_flag(source):
                readers.setdefault(source, []).append(node)
    many = (nodes for source, nodes in readers.items() if _are_many(source, nodes))
    return {node for nodes in many for node in nodes}


def _is_flag(value: Op) -> bool:
    return isinstance(value, Parameter) and value.width == 1


def _are_many(source: Op, readers: list[Node]) -> bool:
    if _is_flag(source):
        return sum(node.op.width for node in readers if node.op is not None) >= SHARED_BITS
    return len(readers) >= SHARED_READERS


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
        arrivals = [longest[b] for b in _read_by(node) if b in longest]
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
