# SPDX-License-Identifier: Apache-2.0
"""Ordinary integer functions in whole programs, as engineers write them and without a word for
Tandem: each does in every mode what it does in C, on the device.

Every program checks itself, against published values or a second implementation. Comments in its
first lines, as in whole.py, and: `observed: A B` names arrays of which only the call itself tells
how much it uses; `on the host: REASON` where calls are served by the C alone.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tandem.host.prepare import Job, prepared
from tandem.manifest import read_manifest
from whole import MODES, Whole, report, same_as_plain

FOLDER = Path(__file__).parent / "applications"
PROGRAMS = sorted(path for path in FOLDER.rglob("*.c") if "offload: " in path.read_text())


def name(path: Path) -> str:
    return str(path.relative_to(FOLDER).with_suffix(""))


@pytest.mark.parametrize("main", PROGRAMS, ids=name)
def test_every_mode_does_what_c_does(main: Path, tmp_path: Path) -> None:
    program = Whole(main)
    plain = program.plain(tmp_path)
    assert subprocess.run([plain], cwd=tmp_path, capture_output=True).returncode == 0
    with prepared(Job(main, program.top, given=program.given)) as build:
        assert same_as_plain(build.executable, plain, "", tmp_path)
        rows = read_manifest(build.packages[0])["arguments"]
    found = [row["name"] for row in rows if row["extent"] == "observed"]
    assert found == " ".join(program.said("observed")).split()
    for mode in MODES[1:]:
        host = report(tmp_path, mode)["host_calls"]
        assert [r["reason"] for r in host["reasons"]] == program.said("on the host")


def test_there_are_at_least_twenty() -> None:
    assert len(PROGRAMS) >= 20
