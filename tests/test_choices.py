# SPDX-License-Identifier: Apache-2.0
"""Which of two kernels is kept: what they cost, and their time where that is as good as equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.compiler.goals import BALANCED, find_goal
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from tandem.schedule.expected import seldom_entered

HISTOGRAM = Path(__file__).parent / "spellings" / "histogram" / "subscripts.c"


def test_twice_as_fast_may_seem_a_little_dearer() -> None:
    slow = BALANCED.worth(2000, 100)
    assert BALANCED.worth(1000, 225) < slow < BALANCED.worth(1000, 235)


def test_where_area_counts_for_little_it_decides_little() -> None:
    goal = find_goal("time")
    assert goal.worth(1000, 1000) < goal.worth(1100, 100)


def test_a_histogram_is_kept_with_an_iteration_every_cycle(target: Target) -> None:
    made = compile_kernel(Program.of(HISTOGRAM), "histogram", target, 10_000)
    assert [s.ii for s in made.schedule.blocks.values() if s.block.is_loop] == [1, 1]


SWEEPS = """
void top(double a[30][30], double b[30][30])
{
    for (int i = 1; i < 29; i++)
        for (int j = 1; j < 29; j++)
            b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < 29; i++)
        for (int j = 1; j < 29; j++)
            a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
}"""


def test_two_sweeps_share_the_adders_that_each_alone_would_need(
    target: Target, tmp_path: Path
) -> None:
    source = tmp_path / "top.c"
    source.write_text(SWEEPS)
    made = compile_kernel(Program.of(source), "top", target, 10_000)
    filled = seldom_entered(made.schedule.kernel)
    sweeps = [s for s in made.schedule.blocks.values() if s.block.is_loop and s.block not in filled]
    assert [s.ii for s in sweeps] == [1, 1]


FOLDED = """
#define MOST(a, b) ((a) >= (b) ? (a) : (b))
void top(int n, char base[40], int table[40][40])
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            table[i][j] = MOST(table[i][j], table[i][j - 1]);
            if (i + 1 < n)
                table[i][j] = MOST(table[i][j], table[i + 1][j - 1] + (base[i] + base[j] == 3));
            for (int k = i + 1; k < j; k++)
                table[i][j] = MOST(table[i][j], table[i][k] + table[k + 1][j]);
        }
}"""


SEARCH = """
int top(const unsigned char *text, int n, const unsigned char *pat, int m)
{
    int fail[64], k = 0, found = 0;
    for (int i = 0; i < 64; i++)
        fail[i] = pat[i] & 31;
    for (int i = 0; i < n; i++) {
        @
        while (k > 0 && pat[k] != text[i]) {
            %
            k = fail[k - 1];
        }
        if (pat[k] == text[i])
            k++;
        if (k == m) {
            found++;
            k = fail[k - 1];
        }
    }
    return found;
}"""


@pytest.mark.parametrize(
    ("before", "inside", "is_apart"),
    [
        ("tandem trips(1)", "", False),
        ("", "HLS loop_tripcount avg=1", False),
        ("tandem trips(90)", "", True),
        ("", "HLS loop_tripcount min=80 max=100", True),
    ],
)
def test_how_often_a_loop_is_said_to_run_decides_what_becomes_of_it(
    before: str, inside: str, is_apart: bool, target: Target, tmp_path: Path
) -> None:
    text = SEARCH
    for place, words in (("@", before), ("%", inside)):
        text = text.replace(place, f"\n#pragma {words}\n" if words else "")
    source = tmp_path / "top.c"
    source.write_text(text)
    made = compile_kernel(Program.of(source), "top", target, 10_000)
    assert bool(made.lineage.options.shape.kept_apart) == is_apart


def test_a_loop_that_may_turn_often_stays_one(target: Target, tmp_path: Path) -> None:
    """As one with the loop around it, every turn would also do what that does once."""
    source = tmp_path / "top.c"
    source.write_text(FOLDED)
    made = compile_kernel(Program.of(source), "top", target, 10_000)
    assert made.lineage.options.shape.kept_apart
