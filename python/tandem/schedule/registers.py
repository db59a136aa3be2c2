# SPDX-License-Identifier: Apache-2.0
"""The schedule with the fewest register bits, of those as short as the earliest one: a linear
program."""

from __future__ import annotations

import highspy
import numpy as np

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.wiring import bits_of
from tandem.schedule.constraints import Node, Problem

LENGTH_WEIGHT = 1 << 20
"""A cycle of latency outweighs any number of register bits."""


def fewest_registers(problem: Problem, ii: int, found: dict[Node, int]) -> dict[Node, int]:
    """Moves operations of a schedule, but for those that have a unit and the end, to where the
    fewest register bits wait.

    A linear program: minimise the sum of width x lifetime; difference constraints make its
    solution integral."""
    nodes = problem.nodes
    index = {node: i for i, node in enumerate(nodes)}
    rows = [(index[c.before], index[c.after], c.weight(ii)) for c in problem.constraints]
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for before in node.inputs:
            readers.setdefault(before, []).append(node)
    cost = [0.0] * len(nodes)
    for node, width in _kept_bits(problem).items():
        last = len(cost)
        cost.append(float(width))
        cost[index[node]] -= width
        rows += [(index[user], last, 0) for user in [node, *readers.get(node, [])]]
    cost[index[problem.end]] += LENGTH_WEIGHT
    fixed = {index[n]: found[n] for n in nodes if n.unit or n is problem.origin}
    values = _solve(cost, rows, max(found.values()) + 1, fixed)
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
    cost: list[float], rows: list[tuple[int, int, int]], limit: int, fixed: dict[int, int]
) -> list[int]:
    """Minimises cost . x over x[b] - x[a] >= c for each row (a, b, c), 0 <= x <= limit, some of x
    `fixed`."""
    count = len(cost)
    rows = _tightest(rows)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = count, len(rows)
    model.col_cost_ = np.array(cost)
    lower, upper = np.zeros(count), np.full(count, float(limit))
    for i, value in fixed.items():
        lower[i] = upper[i] = value
    model.col_lower_, model.col_upper_ = lower, upper
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
