# SPDX-License-Identifier: Apache-2.0
"""Random nests whose outer iterations take turns wherever they can: C, IR and RTL agree in values
and cycles. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_nests import generate
from seeds import seeds
from tandem.compiler import choices, trials, waiting
from tandem.compiler.goals import Cost
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

CLOCK_PS = 10_000


def _in_turns(schedule: KernelSchedule, *_: object) -> Cost:
    """The more iterations take turns, the better."""
    return 0, -max(block.interleaved for block in schedule.kernel.blocks), 0


@pytest.mark.parametrize("seed", seeds(6))
def test_random_nests(
    seed: int, target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "cost_of", _in_turns)
    for module in (choices, waiting):
        monkeypatch.setattr(module, "waits_for_itself", lambda *_: True)
    program = generate(seed)
    print(program.text)  # shown when the test fails
    built = build_text(program.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for number in range(2):
        check(built, program.values(Random(seed + number)))
