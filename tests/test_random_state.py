# SPDX-License-Identifier: Apache-2.0
"""Random programs with variables that live from call to call do in hardware what they do in C.
TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path

import pytest
from random_state import generate
from seeds import seeds
from tandem.frontend.clang import run_clang
from tandem.host.prepare import Job, prepared
from whole import MODES, PLAIN_FLAGS, run


@pytest.mark.parametrize("seed", seeds(30))
def test_random_state(seed: int, tmp_path: Path) -> None:
    text = generate(seed)
    print(text)  # shown when the test fails
    main = tmp_path / "main.c"
    main.write_text(text)
    run_clang([main, *PLAIN_FLAGS, "-o", tmp_path / "plain"])
    wanted = run(tmp_path / "plain", "", tmp_path)
    with prepared(Job(main, "main")) as build:
        for mode in MODES:
            done = run(build.executable, "", tmp_path, mode)
            assert (done.returncode, done.stderr) == (wanted.returncode, wanted.stderr), mode


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7) == generate(7)
