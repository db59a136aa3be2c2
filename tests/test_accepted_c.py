# SPDX-License-Identifier: Apache-2.0
"""docs/language.md says what is so: its page is current, and each accepted row compiles. That
each refused one is refused as printed is test_bad_input.py's."""

from __future__ import annotations

from pathlib import Path

import pytest
from accepted_c import accepted, page, pages, refusals, runs
from seeds import sampled
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.host.prepare import Job, prepared
from tandem.schedule.delays import Target
from tandem.written import demangled
from whole import Whole, report, same_as_plain

pytestmark = pytest.mark.usefixtures("models_as_written")

PAGE = Path(__file__).parents[1] / "docs" / "language.md"
CLOCK_PS = 10_000


PARTS = [path for path in accepted() if not runs(path)]
TIMED = "time decides"
"""What such a program gives is no other program's: tests/test_polling.py is about it."""
PROGRAMS = [path for path, shows in accepted().items() if runs(path) and TIMED not in shows]


@pytest.mark.parametrize("source", PARTS, ids=lambda path: path.stem)
def test_what_is_accepted_compiles(source: Path, target: Target) -> None:
    compiled = compile_kernel(Program.of(source), "top", target, CLOCK_PS, slower_clock=True)
    assert demangled(compiled.kernel.name).partition("(")[0] == "top"


@pytest.mark.parametrize("main", sampled(PROGRAMS), ids=lambda path: path.stem)
def test_what_is_accepted_does_what_c_does(main: Path, tmp_path: Path) -> None:
    program = Whole(main)
    plain = program.plain(tmp_path)
    with prepared(Job(main, program.top, given=program.given)) as build:
        assert same_as_plain(build.executable, plain, "", tmp_path)
    assert report(tmp_path, "simulate")["checked_calls"] > 0


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()


def test_there_is_a_page_for_each_code(request: pytest.FixtureRequest) -> None:
    folder = PAGE.parent / "diagnostics"
    if request.config.getoption("--update"):
        folder.mkdir(exist_ok=True)
        for path in _of_refusals(folder):
            path.unlink()
        for name, text in pages().items():
            (folder / name).write_text(text)
    assert {path.name: path.read_text() for path in _of_refusals(folder)} == pages()


def _of_refusals(folder: Path) -> list[Path]:
    """Not those of notes, which no file of C is refused with: they are written by hand."""
    pages_there = folder.glob("*.md")
    return [path for path in pages_there if "(note)" not in path.read_text().partition("\n")[0]]


def test_every_refusal_has_a_cure() -> None:
    assert not [r.name for r in refusals() if not r.cure and r.code not in ("c", "no-function")]
