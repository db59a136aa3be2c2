# SPDX-License-Identifier: Apache-2.0
"""Trying the command line as a user does: a small program, and what a refusal looks like."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from ready import status_of

TANDEM = str(Path(sys.executable).with_name("tandem"))

KERNEL = """
void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 3 * in[i];
}
"""
CALL = "unsigned char a[4] = {1, 2, 3, 4}, b[4]; scale(a, b, 4);"
MAIN = f"int main(void) {{ {CALL} return b[3] != 12; }}\n"

Done = subprocess.CompletedProcess[str]


def tandem(*arguments: object, cwd: Path, **environment: str | None) -> Done:
    """Runs the command line; a variable that is None is taken away."""
    words, variables = _words(arguments), _variables(environment)
    with TemporaryFile() as out, TemporaryFile() as errors, open(os.devnull) as nothing:
        streams = [nothing.fileno(), out.fileno(), errors.fileno()]
        status = status_of(words, cwd, variables, streams)
        return Done(words, status, _text(out), _text(errors))


def started(*arguments: object, cwd: Path, **environment: str | None) -> Done:
    """The same with a process that has to load everything first."""
    return subprocess.run(
        _words(arguments),
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env=_variables(environment),
    )


def _words(arguments: tuple[object, ...]) -> list[str]:
    return [TANDEM, *(os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments)]


def _variables(environment: dict[str, str | None]) -> dict[str, str]:
    variables = {**os.environ, **environment}
    return {name: value for name, value in variables.items() if value is not None}


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def refused(done: Done, *wanted: str, status: int = 2) -> None:
    """A diagnostic with all of `wanted`, and no traceback."""
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for text in wanted:
        assert text in done.stderr, done.stderr


def good(done: Done) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def source(folder: Path, text: str = KERNEL + MAIN, name: str = "app.c") -> Path:
    path = folder / name
    path.write_text(text)
    return path
