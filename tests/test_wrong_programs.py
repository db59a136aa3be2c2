# SPDX-License-Identifier: Apache-2.0
"""Whole programs that once went wrong: in every mode they do what they do in C, or a diagnostic
says why not.

tests/programs/whole/**/NAME.c, or NAME/main.c with what it includes. Comments in its first lines:
`offload: FUNCTION`; `arguments: A B ...`, one line a run (none: one run without); `refused: CODE`
where the function is refused when it is compiled; `stops: TEXT` where a call on the device stops
the program with a diagnostic.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tandem.diagnostics import UserError
from tandem.frontend.clang import run_clang
from tandem.frontend.discovery import find_program
from tandem.host.launch import EXIT_FAILED_CALL
from tandem.host.prepare import Job, prepared

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "programs" / "whole"
PROGRAMS = sorted(path for path in FOLDER.rglob("*.c") if "offload: " in path.read_text())
MODES = ("native", "emulate", "simulate")
Result = subprocess.CompletedProcess[bytes]


def name(path: Path) -> str:
    return str(path.relative_to(FOLDER).with_suffix(""))


def said(text: str, key: str) -> list[str]:
    return re.findall(rf"^(?://|/\*|\s\*)\s*{key}: (.*?)\s*(?:\*/)?$", text, re.M)


def run(program: Path, arguments: str, folder: Path, mode: str = "") -> Result:
    environment = dict(
        os.environ,
        TANDEM_MODE=mode,
        TANDEM_PLATFORM=str(ROOT / "platforms" / "src-6e.toml"),
        TANDEM_REPORT=str(folder / "report.json"),
    )
    command = [str(program), *shlex.split(arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120)


@pytest.mark.parametrize("main", PROGRAMS, ids=name)
def test_every_mode_does_what_c_does(main: Path, tmp_path: Path) -> None:
    text = main.read_text()
    top, refused = said(text, "offload")[0], said(text, "refused")
    if refused:
        with pytest.raises(UserError) as error, prepared(Job(main, top)):
            pass
        assert [d.code for d in error.value.diagnostics] == refused
        return
    stops = said(text, "stops")
    modes = MODES[1:] if stops else MODES
    native = tmp_path / "native"
    sources = map(str, find_program(main).paths)
    run_clang([*sources, "-w", "-O1", "-pthread", "-fno-sanitize=undefined", "-o", native])
    with prepared(Job(main, top)) as build:
        for arguments in said(text, "arguments") or [""]:
            runs = {m: run(build.executable, arguments, tmp_path, m) for m in modes}
            if stops:
                assert {r.returncode for r in runs.values()} == {EXIT_FAILED_CALL}
                assert all(stops[0] in r.stderr.decode() for r in runs.values()), runs
                continue
            wanted = run(native, arguments, tmp_path)
            same = [(r.returncode, r.stdout) for r in runs.values()]
            assert same == [(wanted.returncode, wanted.stdout)] * len(runs), (runs, wanted)
