# SPDX-License-Identifier: Apache-2.0
"""When two accesses of a loop meet: what is said of it, against trying all pairs of iterations."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tandem.analysis.affine import UNKNOWN, Distance, dependence_distance
from tandem.analysis.linear import Linear, taken_apart
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.ops import Add, Parameter, constant
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
ROWS_OF_A_TABLE = """
double top(const double change[64], int rows)
{
    double costs[20][8] = {{1, 2, 3, 4, 5, 6, 7, 8}};
    for (int t = 1; t < (rows & 15); t++)
        for (int now = 0; now < 8; now++) {
            double least = costs[t - 1][0] + change[now];
            #pragma tandem unroll
            for (int before = 1; before < 4; before++) {
                double cost = costs[t - 1][before] + change[before];
                least = cost < least ? cost : least;
            }
            costs[t][now] = least;
        }
    return costs[rows & 15][rows >> 4 & 7];
}
"""


def meetings(earlier: Linear, later: Linear, trips: int) -> set[int]:
    """After how many iterations `later` is where `earlier` has been."""
    size = 1 << earlier.width
    places = [
        [(form.constant + i * form.step) % size for i in range(trips)] for form in (earlier, later)
    ]
    return {j - i for i in range(trips) for j in range(i, trips) if places[0][i] == places[1][j]}


@pytest.mark.parametrize("seed", range(8))
def test_accesses_that_are_said_to_keep_clear_do(seed: int) -> None:
    numbers = random.Random(seed)
    clear = 0
    for _ in range(500):
        width, trips = numbers.randint(3, 7), numbers.randint(1, 12)
        a, b = (
            Linear(width, numbers.randrange(1 << width), numbers.randint(-4, 4)) for _ in range(2)
        )
        found, met = dependence_distance(a, b, trips), meetings(a, b, trips)
        if found is None:
            clear += 1
            assert not met, (a, b, trips)
        elif isinstance(found, Distance):
            assert all(m == found.first or found.period for m in met)
            assert not met or min(met) >= found.first
        else:
            assert found == UNKNOWN
    assert clear > 50


def test_a_row_that_is_written_is_not_the_row_before(tmp_path: Path, target: Target) -> None:
    """Whatever a row is made of, an iteration waits for no store of the iteration before it."""
    file = tmp_path / "rows.c"
    file.write_text(ROWS_OF_A_TABLE)
    schedule = compile_kernel(Program.of(file), "top", target, CLOCK_PS, slower_clock=True).schedule
    kinds = [s.limits.binding.kind for s in schedule.blocks.values() if s.ii and s.limits.binding]
    assert "dependence" not in kinds


def test_a_sum_is_taken_apart_where_all_that_it_loses_is_lost_anyway() -> None:
    x = Parameter((), 8, name="x")
    total = Add((x, constant(250, 8)), 8)
    for width, factor in ((8, 1), (8, 3), (10, 4), (10, 12), (7, 1)):
        found = taken_apart(Linear(width, terms={total: factor}))
        assert (found.terms, found.constant) == ({x: factor}, 250 * factor)
    for width, factor in ((9, 1), (11, 4), (10, 6)):
        form = Linear(width, terms={total: factor})
        assert taken_apart(form) == form, "x + 250 has lost its carry"
