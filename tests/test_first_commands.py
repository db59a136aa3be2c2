# SPDX-License-Identifier: Apache-2.0
"""`tandem` alone tells three commands, which work where one is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tandem.first_commands import first_commands
from trial import KERNEL, good, source, tandem

pytestmark = pytest.mark.usefixtures("cache")


def commands(folder: Path) -> list[list[str]]:
    """The words of the commands that are told."""
    done = tandem(cwd=folder)
    good(done)
    assert "tandem -h" in done.stdout.splitlines()[-1]
    found = [shlex.split(line) for line in re.findall(r"^  tandem (.*?) +#", done.stdout, re.M)]
    assert len(found) == 3
    return found


def told(folder: Path) -> list[str]:
    return [words[0] for words in commands(folder)]


def test_an_empty_folder(tmp_path: Path) -> None:
    assert told(tmp_path) == ["run", "new", "doctor"]
    good(tandem(*commands(tmp_path)[1], cwd=tmp_path))
    assert told(tmp_path) == ["run", "doctor", "list"]


def test_what_is_told_works(tmp_path: Path) -> None:
    source(tmp_path)
    found = commands(tmp_path)
    assert [words[0] for words in found] == ["advise", "run", "build"]
    for words in found[1:]:
        good(tandem(*words, cwd=tmp_path))
    result = tandem(*found[1], "--json", cwd=tmp_path).stdout
    (tmp_path / "a result.json").write_text(result)
    found = commands(tmp_path)
    assert found[0][:2] == ["report", "a result.json"]
    good(tandem(*found[0], cwd=tmp_path))
    (tmp_path / "app.c").unlink()
    assert told(tmp_path) == ["report", "package", "run"]
    good(tandem(*commands(tmp_path)[1], cwd=tmp_path))


def test_a_kernel_without_an_application(tmp_path: Path) -> None:
    source(tmp_path, KERNEL, "scale.c")
    assert commands(tmp_path)[0] == ["build", "scale.c", "--top", "scale"]


def test_what_only_looks_like_it(tmp_path: Path) -> None:
    source(
        tmp_path, "/* int main(void) { */\nstatic void f(int *a) {}\nint g(int n) { return n; }\n"
    )
    (tmp_path / "data.json").write_text('{"format": "other"}')
    (tmp_path / "x.c").mkdir()
    (tmp_path / "broken.c").write_bytes(b"\xff\xfe\x00main(")
    (tmp_path / "-rf.c").write_text(KERNEL)
    (tmp_path / "gone.c").symlink_to("nowhere")
    assert told(tmp_path) == ["run", "new", "doctor"]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    assert len(first_commands(tmp_path / "none")) == 3
