# SPDX-License-Identifier: Apache-2.0
"""docs/accepted-c.md says what is so: its page is current, and each accepted row compiles. That
each refused one is refused as printed is test_bad_input.py's."""

from __future__ import annotations

from pathlib import Path

import pytest
from accepted_c import accepted, page, refusals
from tandem.compiler import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

PAGE = Path(__file__).parents[1] / "docs" / "accepted-c.md"
CLOCK_PS = 10_000


@pytest.mark.parametrize("source", accepted(), ids=lambda path: path.stem)
def test_what_is_accepted_compiles(source: Path, target: Target) -> None:
    compiled = compile_kernel(Program.of(source), "top", target, CLOCK_PS, slower_clock=True)
    assert compiled.kernel.name == "top"


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()


def test_every_refusal_has_a_cure() -> None:
    assert not [r.name for r in refusals() if not r.cure and r.code not in ("c", "no-function")]
