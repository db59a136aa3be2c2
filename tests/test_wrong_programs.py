# SPDX-License-Identifier: Apache-2.0
"""Whole programs that once went wrong: in every mode they do what they do in C, or a diagnostic
says why not.

tests/programs/whole/**/NAME.c or NAME.cpp, or NAME/main.c with what it includes. Comments in its
first lines,
as in whole.py, and: `refused: CODE` where the function is refused when it is compiled; `stops:
TEXT` where a call on the device stops the program with a diagnostic. Several lines `offload:` are
as many tests, each with one of the functions. A line `served: N` for each of them says how many
calls of a run are the device's.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from seeds import sampled
from tandem.diagnostics import UserError
from tandem.host.exits import EXIT_FAILED_CALL
from tandem.host.prepare import Job, prepared
from whole import MODES, Whole, report, run, same_as_plain

pytestmark = pytest.mark.usefixtures("models_as_written")

FOLDER = Path(__file__).parent / "programs" / "whole"
LONG = sorted((FOLDER / "algorithms").rglob("*.c*"))
"""Programs of some hundred lines, of which `make test` tries fewer than of the others."""
SHORT = sorted({*FOLDER.rglob("*.c*")} - {*LONG})
PATHS = [*sampled(SHORT, 3), *sampled(LONG, 5)]
PROGRAMS = [(path, top) for path in PATHS for top in Whole(path).said("offload")]


def name(path: Path, top: str) -> str:
    only = len(Whole(path).said("offload")) == 1
    return f"{path.relative_to(FOLDER).with_suffix('')}{'' if only else f'-{top}'}"


@pytest.mark.parametrize(("main", "top"), PROGRAMS, ids=[name(*row) for row in PROGRAMS])
def test_every_mode_does_what_c_does(main: Path, top: str, tmp_path: Path) -> None:
    program = Whole(main)
    refused, stops = program.said("refused"), program.said("stops")
    if refused:
        with pytest.raises(UserError) as error, prepared(Job(main, top, given=program.given)):
            pass
        assert [d.code for d in error.value.diagnostics] == refused
        return
    plain = program.plain(tmp_path)
    with prepared(Job(main, top, given=program.given)) as build:
        for arguments in program.runs:
            if stops:
                runs = [run(build.executable, arguments, tmp_path, m) for m in MODES[1:]]
                assert {r.returncode for r in runs} == {EXIT_FAILED_CALL}
                assert all(stops[0] in r.stderr.decode() for r in runs), runs
            else:
                assert same_as_plain(build.executable, plain, arguments, tmp_path)
                served = dict(zip(program.said("offload"), program.said("served"), strict=False))
                if top in served:
                    calls = [report(tmp_path, mode)["calls"] for mode in MODES[1:]]
                    assert calls == [int(served[top])] * 2
