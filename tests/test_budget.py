# SPDX-License-Identifier: Apache-2.0
"""The time that the search for the best kernel may take, and what is told meanwhile."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tandem import compile as compile_c
from tandem import progress
from trial import good, tandem

# Loops that could be copies or loops, with a division that makes each way another kernel.
MANY_WAYS = """
unsigned top(const unsigned *a, unsigned b, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            sum += a[8 * i + k] / (b + k);
    return sum;
}
"""


def test_no_way_is_tried_when_the_time_is_up(tmp_path: Path) -> None:
    (tmp_path / "top.c").write_text(MANY_WAYS)
    words = ["build", "top.c", "--top", "top"]
    hurried = tandem(*words, "--budget", "0", cwd=tmp_path)
    good(hurried)
    assert "after 0 s no more ways to build `top` were tried" in hurried.stderr
    patient = tandem(*words, cwd=tmp_path)
    good(patient)
    assert "no more ways" not in patient.stderr
    assert hurried.stdout != patient.stdout


CODE = """
import time
from tandem import progress
progress.UNSEEN_PATIENCE_SECONDS, progress.PERIOD_SECONDS = 0.2, 0.5
with progress.stage("quick"):
    pass
with progress.stage("slow"):
    progress.step("pass one")
    time.sleep(1.0)
"""


def test_what_takes_long_is_told_where_nobody_may_be_looking() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    told = re.sub(r"\d+(\.\d)?", "N", done.stderr).splitlines()
    assert told[0] == "tandem: slow ..." and told[-1] == "tandem: slow: N s"
    assert "tandem: slow: N s so far, pass one" in told[1:-1]


def test_what_was_slow_before_is_not_told_of_what_is_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "top.c"
    path.write_text("int top(int a) { return a * 3; }\n")
    with monkeypatch.context() as patience:
        patience.setattr(progress, "UNSEEN_PATIENCE_SECONDS", 0.01)
        with progress.stage("slow"):
            time.sleep(0.2)
    assert "tandem: slow ..." in capsys.readouterr().err
    compile_c(path, "top", output=str(tmp_path), models=False)
    assert capsys.readouterr().err == ""


def test_what_is_told_of_is_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule takes long too, and comes behind the passes."""
    path = tmp_path / "top.c"
    path.write_text("int top(int a) { return a * 3; }\n")
    steps: list[str] = []
    monkeypatch.setattr(progress, "step", steps.append)
    compile_c(path, "top", output=str(tmp_path), models=False)
    assert steps.index("stage flatten-loops") < steps.index("schedule of line 1")


@pytest.mark.parametrize("words", [["--budget", "-1"], ["--budget", "soon"]])
def test_a_budget_is_a_time(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "top.c").write_text(MANY_WAYS)
    done = tandem("build", "top.c", "--top", "top", *words, cwd=tmp_path)
    assert done.returncode == 2 and "--budget" in done.stderr
