# SPDX-License-Identifier: Apache-2.0
"""The stages from C to Verilog: what each takes, and that each leaves what can be checked."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tandem.diagnostics import InternalError
from tandem.frontend import optimise
from tandem.interface import compile as compile_c
from tandem.ir.parser import parse
from tandem.ir.verifier import verify
from tandem.passes.pipelines import DEFAULT, FOR_CLOCK
from tandem.stages import TRIAL, stage, watched
from test_schemas import validator
from trial import good, refused, source, tandem

ROOT = Path(__file__).parents[1]
TEXT = """#include <stdint.h>
uint32_t f(const uint8_t in[32], uint32_t x)
{
    uint32_t s = 0;
    for (int i = 0; i < 32; i++)
        s += in[i] * x;
    return s;
}
"""
ROWS = """#include <stdint.h>
void f(const uint8_t in[12][40], uint16_t out[12][40])
{
    for (int y = 1; y < 11; y++)
        for (int x = 1; x < 39; x++)
            out[y][x] = in[y - 1][x] + in[y][x] + in[y + 1][x];
}
"""


def test_time_of_a_stage_within_is_its_own() -> None:
    with watched() as watch:
        for _ in range(2):
            with stage("outer"):
                with stage("inner"):
                    time.sleep(0.02)
                with stage("inner"):
                    pass
    with stage("inner"):  # nobody watches
        time.sleep(0.02)
    assert watch.runs == {"inner": 4, "outer": 2}
    assert watch.seconds["outer"] < 0.02 < 0.04 <= watch.seconds["inner"] < 0.06


def test_a_stage_that_fails_has_taken_its_time() -> None:
    with watched() as watch, pytest.raises(ValueError, match="no"), stage("outer"), stage("inner"):
        raise ValueError("no")
    assert watch.runs == {"inner": 1, "outer": 1}


def test_times_of_a_build(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(ROWS)
    words = ("build", "f.c", "--top", "f", "--times")
    result = json.loads(tandem(*words, "--json", cwd=tmp_path).stdout)
    validator("build").validate(result)
    times = result["times"]
    runs = {row["stage"]: row["runs"] for row in times["stages"]}
    assert {name for name, _ in [*optimise.STAGES, *DEFAULT, *FOR_CLOCK]} < runs.keys()
    assert times["trials"] == runs[TRIAL] == runs["store-forwarding"] > 1 == runs["emit"]
    assert abs(sum(row["seconds"] for row in times["stages"]) - times["seconds"]) < 0.01
    page = tandem(*words, cwd=tmp_path)
    good(page)
    assert f"ways to build it that were tried: {times['trials']}" in page.stdout
    assert re.search(r"^flatten-loops +\d+\.\d{3} +\d+$", page.stdout, re.M)


def test_no_times_where_they_are_not_asked_for(tmp_path: Path) -> None:
    file = source(tmp_path, TEXT, "f.c")
    assert "times" not in compile_c(file, "f", output=tmp_path)


def test_documented_stages_are_those_there_are() -> None:
    text = (ROOT / "docs" / "passes.md").read_text()
    told = re.findall(r"`([\w-]+)`", text.partition("## Stages\n")[2].partition("\n## ")[0])
    names = [name for name, _ in optimise.STAGES]
    assert [name for name in told if name in names] == names


def test_what_a_stage_of_the_frontend_leaves_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that reads a value where it is not there yet is none."""
    broken = "define i32 @f() {\nb:\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  ret i32 %y\n}"

    def breaks(work: optimise._Work) -> None:
        work.module = llvm.parse_assembly(broken)

    stages = [(n, breaks if n == "recursion" else run) for n, run in optimise.STAGES]
    monkeypatch.setattr(optimise, "STAGES", stages)
    file = source(tmp_path, TEXT, "f.c")
    with pytest.raises(InternalError, match="after recursion"):
        compile_c(file, "f", output=tmp_path)


def changed(folder: Path) -> dict[str, str]:
    """What is in a dump, by names without numbers; of those of one name the last."""
    return {path.name.partition("-")[2]: path.read_text() for path in sorted(folder.iterdir())}


def test_dump_of_a_build(tmp_path: Path) -> None:
    """The last file is the kernel of the package: what was kept, not what was tried first."""
    (tmp_path / "f.c").write_text(ROWS)
    words = ("build", "f.c", "--top", "f", "--dump-ir", "made")
    good(tandem(*words, cwd=tmp_path))
    names = sorted(path.name for path in (tmp_path / "made").iterdir())
    assert [int(name.partition("-")[0]) for name in names] == list(range(len(names)))
    assert names[0] == "00-link.ll" and names[2] == "02-import.ir"
    texts = changed(tmp_path / "made")
    assert {"flatten-loops.ir", "bind-arguments.ir", "line-buffers.ir"} < texts.keys()
    assert "share-products.ir" not in texts  # there is none
    final = (tmp_path / "build" / "f.tandem" / "kernel.ir").read_text()
    assert (tmp_path / "made" / names[-1]).read_text() == final
    for name in names[2:]:
        verify(parse((tmp_path / "made" / name).read_text()))
    (tmp_path / "made" / "90-more.ir").write_text("of a longer pipeline")
    good(tandem(*words, cwd=tmp_path))
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == names


@pytest.mark.parametrize("made", ["other", "f.c", "f.c/made", ".", "link"])
def test_a_dump_replaces_nothing_else(made: str, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(TEXT)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    before = sorted(tmp_path.rglob("*"))
    done = tandem("build", "f.c", "--top", "f", "--dump-ir", made, cwd=tmp_path)
    refused(done, "error[")
    assert made not in ("other", "f.c") or "choose another place with --dump-ir" in done.stderr
    left = set(tmp_path.rglob("*")) - set(before)
    assert all("build" in path.parts for path in left)
    assert (tmp_path / "other" / "notes.txt").read_text() == "mine"
