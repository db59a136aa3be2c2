# SPDX-License-Identifier: Apache-2.0
"""Numbers of the least cost under difference constraints: a linear program, whose solution such
constraints make integral; or, where it is large, one after the other for parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import highspy
import numpy as np

from tandem.diagnostics import Diagnostic, InternalError

Row = tuple[int, int, int]
"""(a, b, c): x[b] - x[a] >= c."""
KEPT_SOLUTIONS = 512
"""Most blocks are the same in most of the kernels that are tried, so that four of five programs
have been solved before."""


@dataclass
class Bounds:
    """The least and the greatest value of each variable."""

    least: list[int]
    greatest: list[int]


def solve(cost: Sequence[float], rows: Sequence[Row], bounds: Bounds) -> list[int]:
    """The x of which cost . x is least. No two rows are of the same pair of variables."""
    numbers = (np.array(row, dtype=float) for row in (cost, bounds.least, bounds.greatest))
    table = np.array(rows, dtype=np.int64)
    return list(_solution(*(row.tobytes() for row in numbers), table.tobytes()))


@lru_cache(KEPT_SOLUTIONS)
def _solution(cost: bytes, least: bytes, greatest: bytes, rows: bytes) -> tuple[int, ...]:
    """The same, of arrays of `float` and, of `rows`, of `int64`, as bytes."""
    columns, table = np.frombuffer(cost), np.frombuffer(rows, dtype=np.int64).reshape(-1, 3)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(columns), len(table)
    model.col_cost_ = columns
    model.col_lower_, model.col_upper_ = np.frombuffer(least), np.frombuffer(greatest)
    model.row_lower_ = table[:, 2].astype(float)
    model.row_upper_ = np.full(len(table), highspy.kHighsInf)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.arange(0, 2 * len(table) + 1, 2)
    model.a_matrix_.index_ = table[:, :2].ravel()
    model.a_matrix_.value_ = np.array([-1.0, 1.0] * len(table))
    solver = _solver()
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        status = solver.modelStatusToString(solver.getModelStatus())
        raise InternalError(Diagnostic("schedule", f"the register program ended as {status}"))
    return tuple(round(v) for v in solver.getSolution().col_value)


@cache
def _solver() -> highspy.Highs:
    """One for all programs, which takes longer to make than a small one to solve."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    return solver


def tightest(rows: Iterable[Row]) -> list[Row]:
    """One row for each pair of variables."""
    best: dict[tuple[int, int], int] = {}
    for a, b, c in rows:
        if a != b and best.get((a, b), c) <= c:
            best[a, b] = c
    return [(a, b, c) for (a, b), c in best.items()]


def needed(rows: Sequence[Row]) -> list[Row]:
    """The rows without those that lead forward and follow from two others that do."""
    leaving: dict[int, dict[int, int]] = {}
    entering: dict[int, dict[int, int]] = {}
    for a, b, c in rows:
        if a < b:
            leaving.setdefault(a, {})[b] = c
            entering.setdefault(b, {})[a] = c
    return [(a, b, c) for a, b, c in rows if a > b or not _follows(leaving[a], entering[b], c)]


def _follows(leaving: dict[int, int], entering: dict[int, int], cycles: int) -> bool:
    """Whether some variable is between two, at least so many cycles from one to the other. What
    both have in common takes as long as the shorter of them to find: one end of a long one is read
    all over the block."""
    common = leaving.keys() & entering.keys()
    return bool(common) and any(leaving[i] + entering[i] >= cycles for i in common)


class Windows:
    """A solution that becomes better window by window: some variables move while the others stay
    where they are. `rows` as from `tightest`; `values` meet them."""

    def __init__(self, cost: Sequence[float], rows: Iterable[Row], values: list[int]) -> None:
        self.values = values
        self._cost = cost
        self._leaving: list[list[tuple[int, int]]] = [[] for _ in cost]
        self._entering: list[list[tuple[int, int]]] = [[] for _ in cost]
        for a, b, c in rows:
            self._leaving[a].append((b, c))
            self._entering[b].append((a, c))

    def improve(self, moving: Sequence[int], limit: int) -> None:
        """Gives the `moving` variables their best values from 0 to `limit`, as the others are."""
        place = {column: i for i, column in enumerate(moving)}
        bounds = Bounds([0] * len(moving), [limit] * len(moving))
        rows: list[Row] = []
        for column, i in place.items():
            for after, cycles in self._leaving[column]:
                if after in place:
                    rows.append((i, place[after], cycles))
                else:
                    most = self.values[after] - cycles
                    bounds.greatest[i] = min(bounds.greatest[i], most)
            for before, cycles in self._entering[column]:
                if before not in place:
                    bounds.least[i] = max(bounds.least[i], self.values[before] + cycles)
        cost = [self._cost[column] for column in moving]
        for column, value in zip(moving, solve(cost, rows, bounds), strict=True):
            self.values[column] = value
