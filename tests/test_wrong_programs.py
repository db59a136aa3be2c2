# SPDX-License-Identifier: Apache-2.0
"""Whole programs that once went wrong: run on the RTL they print what they print in C.

tests/programs/whole/NAME.c, or NAME/main.c with what it includes; a comment in its first lines
says `offload: FUNCTION`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tandem.frontend.clang import run_clang
from tandem.frontend.discovery import find_program

FOLDER = Path(__file__).parent / "programs" / "whole"
PROGRAMS = sorted([*FOLDER.glob("*.c"), *FOLDER.glob("*/main.c")])
TANDEM = str(Path(sys.executable).with_name("tandem"))


def name(path: Path) -> str:
    return path.parent.name if path.name == "main.c" else path.stem


@pytest.mark.parametrize("main", PROGRAMS, ids=name)
def test_hardware_prints_what_c_prints(main: Path, tmp_path: Path) -> None:
    native = tmp_path / "native"
    run_clang([*map(str, find_program(main).paths), "-w", "-o", str(native)])
    wanted = subprocess.run([native], capture_output=True, text=True, check=True).stdout
    top = re.findall(r"offload: (\S+)", main.read_text())[0]
    done = subprocess.run(
        [TANDEM, "verify", main.name, "--offload", top],
        cwd=main.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert wanted and done.stdout.startswith(wanted), done.stdout
    assert "RTL, schedule and C agree" in done.stdout
