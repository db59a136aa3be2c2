# SPDX-License-Identifier: Apache-2.0
"""Which of two kernels is kept: what they cost, and their time where that is as good as equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.choices import BALANCED, Cost, find_goal, is_better
from tandem.compiler import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

SLOW, FAST = (1.0, 1000.0, 200.0), (1.0, 1010.0, 100.0)
HISTOGRAM = Path(__file__).parent / "spellings" / "histogram" / "subscripts.c"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FAST, SLOW),
        ((1.0, 1000.0, 200.0), (1.0, 1020.0, 100.0)),
        ((1.0, 1000.0, 105.0), (1.0, 1010.0, 100.0)),
        ((1.0, 990.0, 100.0), (1.0, 1000.0, 200.0)),
        ((1.0, 5000.0, 900.0), (1.5, 1000.0, 100.0)),
    ],
    ids=["alike", "worth_more", "hardly_slower", "both", "fits"],
)
def test_what_is_better(one: Cost, other: Cost) -> None:
    assert is_better(one, other, BALANCED)
    assert not is_better(other, one, BALANCED)
    assert not is_better(one, one, BALANCED)


def test_where_area_counts_for_little_it_decides_little() -> None:
    assert not is_better(FAST, SLOW, find_goal("time"))


def test_a_histogram_is_kept_with_an_iteration_every_cycle(target: Target) -> None:
    made = compile_kernel(Program.of(HISTOGRAM), "histogram", target, 10_000)
    assert [s.ii for s in made.schedule.blocks.values() if s.block.is_loop] == [1, 1]
