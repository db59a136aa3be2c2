# SPDX-License-Identifier: Apache-2.0
"""Random programs with several calls do in every mode what they do in C. Only an annotation that is
smaller than what a call touches stops one, with the diagnostic that says so. TANDEM_FUZZ=N tries N
seeds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from random_calls import generate
from seeds import seeds
from tandem.diagnostics import UserError
from tandem.frontend.clang import run_clang
from tandem.host.exits import EXIT_FAILED_CALL
from tandem.host.prepare import Job, prepared
from tandem.languages.discovery import Given
from whole import MODES, PLAIN_FLAGS, report, run

ANNOTATION = r"argument (\w): its annotation declares \d+ bytes, this call touches bytes"


@pytest.mark.parametrize("seed", seeds(15))
def test_random_calls(seed: int, tmp_path: Path) -> None:
    text = generate(seed).text
    print(text)  # shown when the test fails
    main = tmp_path / "main.c"
    main.write_text(text)
    run_clang([main, *PLAIN_FLAGS, "-DRECORD", "-o", tmp_path / "plain"])
    wanted = run(tmp_path / "plain", "", tmp_path)
    assert wanted.returncode == 0
    too_small = set(wanted.stderr.decode().split())
    try:
        with prepared(Job(main, "top")) as build:
            runs = {mode: run(build.executable, "", tmp_path, mode) for mode in MODES}
    except UserError as error:
        pytest.skip(f"refused: {', '.join(d.code for d in error.diagnostics)}")
    must_stop = any(name.endswith("!") for name in too_small)
    for mode, done in runs.items():
        # Calls with buffers that overlap are the C's alone; the device's annotations say nothing.
        on_host = not done.returncode and report(tmp_path, mode)["host_calls"]["calls"]
        stops = (must_stop and not on_host) or (too_small and done.returncode)
        if mode != "native" and stops:
            found = re.search(ANNOTATION, done.stderr.decode())
            assert done.returncode == EXIT_FAILED_CALL and found, done
            assert {found[1], f"{found[1]}!"} & too_small
            assert wanted.stdout.startswith(done.stdout)
        else:
            assert (done.returncode, done.stdout) == (0, wanted.stdout), (done, wanted)
    assert runs["emulate"].stdout == runs["simulate"].stdout


@pytest.mark.parametrize("seed", [*seeds(4), 52_002])
def test_random_calls_of_arrays_that_are_one(seed: int, tmp_path: Path) -> None:
    """The same programs without annotations, and with the directive that has arrays overlap: then
    the device serves every call. (In the last one it is known how far one of them is reached.)"""
    text = re.sub(r"^#pragma.*\n", "", generate(seed).text, flags=re.M)
    print(text)  # shown when the test fails
    names = re.findall(r"T \*([abc])[,)]", text[text.index(" top(") :].partition("\n")[0])
    if len(names) < 2:
        pytest.skip("it has one array")
    main = tmp_path / "main.c"
    main.write_text(text)
    run_clang([main, *PLAIN_FLAGS, "-o", tmp_path / "plain"])
    wanted = run(tmp_path / "plain", "", tmp_path)
    given = Given(directives=(f"top: overlap({', '.join(names)})",))
    with prepared(Job(main, "top", given=given)) as build:
        for mode in ("emulate", "simulate"):
            done = run(build.executable, "", tmp_path, mode)
            assert (done.returncode, done.stdout) == (0, wanted.stdout), (done, wanted)
            assert not report(tmp_path, mode)["host_calls"]["calls"]


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7).text == generate(7).text


def test_programs_have_annotations_that_are_wrong_and_none() -> None:
    kinds = {generate(seed).annotated for seed in range(20)}
    assert kinds == {True, False}
