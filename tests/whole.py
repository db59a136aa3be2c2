# SPDX-License-Identifier: Apache-2.0
"""Whole programs, each built once and run in every mode beside its plain C.

Comments in a main file's first lines say what to do: `offload: FUNCTION`; `arguments: A B ...`,
one line a run (none: one run without); `flags: -I include`, seen from the program's folder, which
is the main file's or, where that is `src`, the one above; `sources: a.c b.c` beside those that are
found.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.frontend.clang import run_clang
from tandem.languages.discovery import Given, find_program

ROOT = Path(__file__).parents[1]
MODES = ("native", "emulate", "simulate")
PLAIN_FLAGS = ("-w", "-O1", "-pthread", "-fno-sanitize=undefined", "-ffp-contract=off")
Result = subprocess.CompletedProcess[bytes]


@dataclass(frozen=True)
class Whole:
    """A program's main file and what its first lines say."""

    main: Path

    def said(self, key: str) -> list[str]:
        text = self.main.read_text()
        return re.findall(rf"^(?://|/\*|\s*\*)\s*{key}: (.*?)\s*(?:\*/)?$", text, re.M)

    @property
    def top(self) -> str:
        return self.said("offload")[0]

    @property
    def runs(self) -> list[str]:
        """The arguments of each run."""
        return self.said("arguments") or [""]

    @property
    def given(self) -> Given:
        folder = self.main.parent
        folder = folder.parent if folder.name == "src" else folder
        words = shlex.split(" ".join(self.said("flags")).replace("-I ", "-I"))
        flags = (f"-I{folder / w[2:]}" if w.startswith("-I") else w for w in words)
        sources = (folder / name for name in " ".join(self.said("sources")).split())
        return Given(tuple(sources), tuple(flags))

    def plain(self, folder: Path) -> Path:
        """An executable of the C alone."""
        program = find_program(self.main, self.given)
        sources = [str(path) for path in program.paths]
        command = [*sources, *self.given.flags, *PLAIN_FLAGS, "-o", folder / "plain"]
        run_clang(command, cxx=program.is_cxx)
        return folder / "plain"


def run(program: Path, arguments: str, folder: Path, mode: str = "") -> Result:
    """Runs an executable; what it reports goes to a file of the mode's name (`report`)."""
    environment = dict(
        os.environ,
        TANDEM_MODE=mode,
        TANDEM_PLATFORM=str(ROOT / "platforms" / "src-6e.toml"),
        TANDEM_REPORT=str(folder / f"{mode}.json"),
    )
    command = [str(program), *shlex.split(arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120)


def report(folder: Path, mode: str) -> dict[str, Any]:
    """What the last run in a mode reported."""
    return json.loads((folder / f"{mode}.json").read_text())


def same_as_plain(executable: Path, plain: Path, arguments: str, folder: Path) -> bool:
    """Whether output and status are those of the plain C in every mode; what differs is shown."""
    wanted = run(plain, arguments, folder)
    runs = {mode: run(executable, arguments, folder, mode) for mode in MODES}
    found = {mode: (r.returncode, r.stdout) for mode, r in runs.items()}
    if found == dict.fromkeys(MODES, (wanted.returncode, wanted.stdout)):
        return True
    print(wanted, *runs.values(), sep="\n")
    return False
