# SPDX-License-Identifier: Apache-2.0
"""Random networks of processes: C, IR and RTL agree in values and cycles. TANDEM_FUZZ=N tries N
seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_streams import LONGEST, generate
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(8))
def test_random_network(seed: int, target: Target, tmp_path: Path) -> None:
    network = generate(seed)
    print(network.text)  # shown when the test fails
    built = build_text(network.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for count in (0, 1, 2, 7, LONGEST):
        check(built, network.values(Random(seed), count))


@pytest.mark.parametrize("seed", seeds(8))
def test_random_network_that_polls(seed: int, target: Target, tmp_path: Path) -> None:
    network = generate(seed, polls=True)
    print(network.text)
    built = build_text(network.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for count in (0, 1, 2, 7, LONGEST):
        check(built, network.values(Random(seed), count))


def test_a_seed_always_gives_the_same_network() -> None:
    assert generate(7).text == generate(7).text
