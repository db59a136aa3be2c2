# SPDX-License-Identifier: Apache-2.0
"""The schedule with the fewest register bits, of those as short as the earliest one: a linear
program, in a large block one for each of many windows."""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.ops import mask
from tandem.ir.wiring import bits_of, segments
from tandem.schedule.least_cost import Bounds, Windows, needed, solve, tightest
from tandem.schedule.problem import Node, NodeKind, Problem

LENGTH_WEIGHT = 1 << 20
"""A cycle of latency outweighs any number of register bits."""
EARLIER_WEIGHT = 1 / 16
"""Of a cycle less until it is known what comes behind a pipeline that may be left early: where that
takes no register it is better known."""
WHOLE_ROWS = 60_000
"""A program of more rows is solved in windows: its time grows with their square."""
WINDOW_NODES = 200
"""Nodes that move together. Each is in two windows, so that what is at the end of one is in the
middle of the other."""


@dataclass(frozen=True)
class Settled:
    """When everything starts, and how many bits wait in registers then, each counted once a
    cycle."""

    starts: dict[Node, int]
    waiting_bits: float


def fewest_registers(
    problem: Problem, ii: int, found: dict[Node, int], whole_rows: int = WHOLE_ROWS
) -> Settled:
    """Moves operations of a schedule, but for those that have a unit and the end, to where the
    fewest register bits wait.

    A linear program: minimise the sum of width x lifetime. Of more than `whole_rows` rows an
    approximation, which costs about a percent of the flip-flops where it is worst."""
    program = _Program(problem, ii)
    start = [found[node] for node in problem.nodes]
    solved = program.whole if len(program.rows) <= whole_rows else program.in_windows
    return program.settled(solved(start))


def without_units(problem: Problem, ii: int, found: dict[Node, int]) -> Settled | None:
    """The same with operations that have a unit moved too, as if each had its own; None where there
    are none, or that would take long."""
    program = _Program(problem, ii)
    if not any(node.unit for node in problem.nodes) or len(program.rows) > WHOLE_ROWS:
        return None
    program.fixed = {problem.place[problem.origin], program.end}
    return program.settled(program.whole([found[node] for node in problem.nodes]))


class _Program:
    """A variable for each node's start and, behind those, one for the last cycle in which each
    result that is read is needed, and one for that in which the loop could be left."""

    def __init__(self, problem: Problem, ii: int) -> None:
        nodes = problem.nodes
        index = problem.place
        self.problem = problem
        self.nodes = len(nodes)
        rows = [(index[c.before], index[c.after], c.weight(ii)) for c in problem.constraints]
        self.cost = [0.0] * len(nodes)
        self.fixed = {index[n] for n in nodes if n.unit or n is problem.origin}
        self.end = index[problem.end]
        readers: dict[Node, list[Node]] = {}
        for node in nodes:
            for before in node.inputs:
                readers.setdefault(before, []).append(node)
        for node, width in _kept_bits(problem).items():
            last = len(self.cost)
            self.cost.append(float(width))
            self.cost[index[node]] -= width
            rows += [(index[user], last, 0) for user in [node, *readers.get(node, [])]]
        if problem.early and ii:
            rows += [(index[node], len(self.cost), -by) for node, by in problem.early.items()]
            self.cost.append(problem.early_bits)
            self.cost[index[problem.decide]] += EARLIER_WEIGHT
        self.rows = tightest(rows)
        self.cost[self.end] += LENGTH_WEIGHT

    def settled(self, values: list[int]) -> Settled:
        """A solution, and what it costs but for its length."""
        cost = sum(c * v for c, v in zip(self.cost, values, strict=True))
        starts = dict(zip(self.problem.nodes, values, strict=False))
        return Settled(starts, cost - LENGTH_WEIGHT * values[self.end])

    def whole(self, start: list[int]) -> list[int]:
        """The best starts."""
        limit = max(start) + 1
        bounds = Bounds([0] * len(self.cost), [limit] * len(self.cost))
        for i in self.fixed:
            bounds.least[i] = bounds.greatest[i] = start[i]
        return solve(self.cost, self.rows, bounds)

    def in_windows(self, start: list[int]) -> list[int]:
        """Better starts than those given, which are the earliest: from the end to the beginning, so
        that there is room where an operation would be later."""
        rows = needed(self.rows)
        last_reads: list[list[int]] = [[] for _ in start]
        values = start + [0] * (len(self.cost) - len(start))
        for a, b, _ in rows:
            if b >= self.nodes:
                values[b] = max(values[b], values[a])
                last_reads[a].append(b)
        windows = Windows(self.cost, rows, values)
        order = [i for i in range(self.nodes) if i not in self.fixed and i != self.end]
        order.sort(key=start.__getitem__)
        for first in reversed(range(0, len(order), WINDOW_NODES // 2)):
            moving = order[first : first + WINDOW_NODES]
            reads = dict.fromkeys(read for i in moving for read in last_reads[i])
            windows.improve([*moving, *reads], max(start))
        return windows.values


def _kept_bits(problem: Problem) -> dict[Node, int]:
    """Bits of each node's result that later nodes read."""
    bits: dict[Node, int] = {}
    for node in problem.nodes:
        read = (part for value in _operands(problem, node) for part in segments(bits_of(value)))
        for source, low, width in read:
            if source is not None and source in problem.node_of:
                made = problem.node_of[source]
                bits[made] = bits.get(made, 0) | mask(width) << low
    return {node: found.bit_count() for node, found in bits.items()}


def _operands(problem: Problem, node: Node) -> list:
    block = problem.block
    if node.kind is NodeKind.OP and node.op is not None:
        return node.op.operands
    if node.kind is NodeKind.WRITE and node.op is not None:
        return [block.back_edge.arguments[block.parameters.index(node.op)]]
    if node.kind is NodeKind.DECIDE and block.end.condition is not None:
        return [block.end.condition]
    return []
