# SPDX-License-Identifier: Apache-2.0
"""What the documents print is what happens: their commands and their Python, in a fresh copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("cache")
ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that is kept in the repository, without what was built here."""
    folder = tmp_path_factory.mktemp("copy")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def blocks(document: str, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall((ROOT / document).read_text()) if kind == language]


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command as a user types it, with this Tandem first on the path."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )


def test_the_readmes_example_as_printed(copy: Path) -> None:
    text = next(block for block in blocks("README.md", "") if block.startswith("$ "))
    printed = ""
    for line in text.splitlines():
        if line.startswith("$ "):
            done = shell(line.removeprefix("$ "), copy)
            assert done.returncode == 0, f"{line}: {done.stderr}"
            printed += done.stdout
    expected = [line for line in text.splitlines() if line and not line.startswith("$ ")]
    assert steady(printed.splitlines()) == steady(expected)
    assert len((copy / "cipher.bin").read_bytes()) == (4 << 20) + 8


def steady(lines: list[str]) -> list[str]:
    """The lines of simulated times without bars and shares; the first word of measured ones."""
    kept = []
    for line in lines:
        words = line.split()
        is_simulated = line.startswith(SIMULATED)
        if is_simulated:
            kept.append(" ".join(w for w in words if not w.endswith("%") and "█" not in w))
        elif words and line.startswith(MEASURED):
            kept.append(words[0])
    return kept


SIMULATED = ("configure", "call", "copy", "transfer", "compute", "wait", "des3_encrypt")
MEASURED = ("total", "without", "device", "C at", "OpenSSL", "bottleneck", "break-even")


def test_the_readmes_synopsis_names_what_there_is(copy: Path) -> None:
    text = next(block for block in blocks("README.md", "") if block.startswith("tandem "))
    uses = re.findall(r"^(tandem \w+(?: check| fit)?)\b([^#\n]*)", text, re.M)
    assert len(uses) >= 6
    for command, rest in uses:
        options = re.findall(r"(?<![\w-])--?\w[\w-]*", rest)
        shown = shell(f"COLUMNS=200 {command} -h", copy)
        assert shown.returncode == 0, shown.stderr
        assert not [option for option in options if option not in shown.stdout], command


def test_the_python_of_the_documents(copy: Path) -> None:
    code = "\n".join(blocks("docs/python.md", "python"))
    script = copy / "example.py"
    script.write_text(code)
    done = shell("python example.py", copy)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["src-6e", "pcie3-x16"]
    assert re.fullmatch(r"ii=1, latency \d+ cycles, \d+ LUT4", lines[2])
    assert re.fullmatch(r"four calls: \d+\.\d us", lines[3])
    assert lines[4:] == ["unknown platform `vax`"]
