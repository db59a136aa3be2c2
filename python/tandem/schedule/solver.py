# SPDX-License-Identifier: Apache-2.0
"""Solving a block's difference constraints: the earliest schedule, the recurrence in the way of
one, and the schedule of the same length with the fewest register bits."""

from __future__ import annotations

from collections import deque

import highspy
import numpy as np

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.kernel import Op
from tandem.ir.wiring import bits_of
from tandem.schedule.constraints import Constraint, Node, Problem, sources

CYCLE_CHECK_PERIOD = 8
"""Rounds of relaxation between two looks for a cycle that keeps it from ending."""
LENGTH_WEIGHT = 1 << 20
"""A cycle of latency outweighs any number of register bits."""


SHARED_READERS = 8
"""From how many operations on a value from outside the block counts as read all over the design."""


def add_chaining(problem: Problem, budget_ps: int, shared_register_ps: int = 0) -> None:
    """Operations in a row that do not fit the clock period together start in different cycles. A
    path that begins at a register read all over the design has `shared_register_ps` less."""
    late = _reading_shared(problem)
    users: dict[Node, list[Node]] = {}
    for node in problem.nodes:
        for before in node.inputs:
            if not before.latency:
                users.setdefault(before, []).append(node)
    order = {node: i for i, node in enumerate(problem.nodes)}
    for start in problem.nodes:
        if start.kind == "op" and start.delay_ps:
            extra = shared_register_ps if start in late else 0
            _separate(problem, start, users, order, budget_ps - extra)


def _reading_shared(problem: Problem) -> set[Node]:
    """Nodes that read a value from outside the block which many others read too."""
    readers: dict[Op, list[Node]] = {}
    for node in problem.nodes:
        if node.kind == "op" and node.op is not None:
            for source in sources(node.op.operands):
                if source not in problem.node_of:
                    readers.setdefault(source, []).append(node)
    many = (nodes for nodes in readers.values() if len(nodes) >= SHARED_READERS)
    return {node for nodes in many for node in nodes}


def _separate(
    problem: Problem,
    start: Node,
    users: dict[Node, list[Node]],
    order: dict[Node, int],
    budget: int,
) -> None:
    """Adds a constraint for each end of a path from `start` that is longer than the budget."""
    longest = {start: start.delay_ps}
    queue = sorted(users.get(start, []), key=order.__getitem__)
    reached = set(queue)
    queue = deque(queue)
    while queue:
        node = queue.popleft()
        arrivals = [longest[b] for b in node.inputs if b in longest]
        path = max(arrivals) + node.delay_ps
        if path > budget:
            problem.need(start, node, 1)
            continue
        longest[node] = path
        fresh = [u for u in users.get(node, []) if u not in reached]
        if fresh:
            reached.update(fresh)
            queue = deque(sorted([*queue, *fresh], key=order.__getitem__))


def earliest(problem: Problem, ii: int) -> dict[Node, int] | list[Constraint]:
    """The least start of every node, or a cycle of constraints that no schedule can meet."""
    start = dict.fromkeys(problem.nodes, 0)
    cause: dict[Node, Constraint] = {}
    ordered = _in_order(problem)
    for turn in range(len(problem.nodes) + 1):
        changed = None
        for constraint in ordered:
            least = start[constraint.before] + constraint.cycles - constraint.per_ii * ii
            if least > start[constraint.after]:
                start[constraint.after] = least
                cause[constraint.after] = constraint
                changed = constraint.after
        if start[problem.origin] > 0:
            return _cycle(cause, problem.origin)
        if changed is None:
            return start
        if turn % CYCLE_CHECK_PERIOD == CYCLE_CHECK_PERIOD - 1:
            found = _cycle(cause, changed)
            if sum(c.cycles - c.per_ii * ii for c in found) > 0:
                return found
    return _cycle(cause, changed or problem.origin)


def _in_order(problem: Problem) -> list[Constraint]:
    order = {node: i for i, node in enumerate(problem.nodes)}
    return sorted(problem.constraints, key=lambda c: order[c.before])


def _cycle(cause: dict[Node, Constraint], node: Node) -> list[Constraint]:
    """The constraints around a positive cycle, found by walking causes back."""
    for _ in range(len(cause) + 1):
        if node not in cause:
            break
        node = cause[node].before
    found: list[Constraint] = []
    seen: set[Node] = set()
    while node in cause and node not in seen:
        seen.add(node)
        found.append(cause[node])
        node = cause[node].before
    return found[::-1]


def fewest_registers(problem: Problem, ii: int, asap: dict[Node, int]) -> dict[Node, int]:
    """Among the schedules as short as the earliest one, one with the fewest register bits.

    A linear program: minimise the sum of width x lifetime; difference constraints make its
    solution integral."""
    nodes = problem.nodes
    index = {node: i for i, node in enumerate(nodes)}
    rows: list[tuple[int, int, int]] = []
    for c in problem.constraints:
        rows.append((index[c.before], index[c.after], c.cycles - c.per_ii * ii))
    cost = [0.0] * len(nodes)
    for node, width in _kept_bits(problem).items():
        last = len(cost)
        cost.append(float(width))
        cost[index[node]] -= width
        for user in nodes:
            if node in user.inputs:
                rows.append((index[user], last, 0))
        rows.append((index[node], last, 0))
    cost[index[problem.end]] += LENGTH_WEIGHT
    values = _solve(cost, rows, max(asap.values()) + 1, index[problem.origin])
    return {node: values[index[node]] for node in nodes}


def _kept_bits(problem: Problem) -> dict[Node, int]:
    """Bits of each node's result that later nodes read."""
    bits: dict[Node, set[int]] = {}
    for node in problem.nodes:
        for value in _operands(problem, node):
            for bit in bits_of(value):
                if type(bit) is not int and bit[0] in problem.node_of:
                    bits.setdefault(problem.node_of[bit[0]], set()).add(bit[1])
    return {node: len(found) for node, found in bits.items()}


def _operands(problem: Problem, node: Node) -> list:
    block = problem.block
    if node.kind == "op" and node.op is not None:
        return node.op.operands
    if node.kind == "write" and node.op is not None:
        return [block.back_edge.arguments[block.parameters.index(node.op)]]
    if node.kind == "decide" and block.end.condition is not None:
        return [block.end.condition]
    return []


def _solve(
    cost: list[float], rows: list[tuple[int, int, int]], limit: int, origin: int
) -> list[int]:
    """Minimises cost . x over x[b] - x[a] >= c for each row (a, b, c), 0 <= x <= limit."""
    count = len(cost)
    rows = _tightest(rows)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = count, len(rows)
    model.col_cost_ = np.array(cost)
    upper = np.full(count, float(limit))
    upper[origin] = 0.0
    model.col_lower_, model.col_upper_ = np.zeros(count), upper
    model.row_lower_ = np.array([float(c) for _, _, c in rows])
    model.row_upper_ = np.full(len(rows), highspy.kHighsInf)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.arange(0, 2 * len(rows) + 1, 2)
    model.a_matrix_.index_ = np.array([i for a, b, _ in rows for i in (a, b)])
    model.a_matrix_.value_ = np.array([-1.0, 1.0] * len(rows))
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        status = solver.modelStatusToString(solver.getModelStatus())
        raise InternalError(Diagnostic("schedule", f"the register program ended as {status}"))
    return [round(v) for v in solver.getSolution().col_value]


def _tightest(rows: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    best: dict[tuple[int, int], int] = {}
    for a, b, c in rows:
        if a != b:
            best[a, b] = max(c, best.get((a, b), c))
    return [(a, b, c) for (a, b), c in best.items()]
