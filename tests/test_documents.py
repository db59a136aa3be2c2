# SPDX-License-Identifier: Apache-2.0
"""What the documents print is what happens: their commands and their Python, in a fresh copy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documents import ROOT, Block, blocks_of, copy_into, is_as_told, shell, unlike

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that is kept in the repository, without what was built here."""
    folder = tmp_path_factory.mktemp("copy")
    copy_into(folder)
    return folder


def test_the_readmes_example_as_printed(copy: Path) -> None:
    text = next(b.text for b in blocks_of("README.md") if b.text.startswith("$ "))
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


def test_the_readmes_pictures_are_small() -> None:
    pictures = re.findall(r"]\((docs/pictures/[^#)]+)", (ROOT / "README.md").read_text())
    assert len(pictures) == 2
    assert all((ROOT / picture).stat().st_size < 120_000 for picture in pictures)


def test_the_readmes_synopsis_names_what_there_is(copy: Path) -> None:
    text = next(b.text for b in blocks_of("README.md") if b.text.startswith("tandem "))
    uses = re.findall(r"^(tandem \w+(?: check| fit)?)\b([^#\n]*)", text, re.M)
    assert len(uses) >= 6
    for command, rest in uses:
        options = re.findall(r"(?<![\w-])--?\w[\w-]*", rest)
        shown = shell(f"COLUMNS=200 {command} -h", copy)
        assert shown.returncode == 0, shown.stderr
        assert not [option for option in options if option not in shown.stdout], command


PAGES = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))
TYPED = [page for page in PAGES if any(b.title or b.language == "console" for b in blocks_of(page))]
COMMAND = re.compile(r"^(\$ )?tandem ", re.M)


@pytest.mark.parametrize("document", TYPED)
def test_what_readers_type(document: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A page's files and commands, in a checkout of its own."""
    folder = tmp_path_factory.mktemp("reader")
    copy_into(folder)
    assert unlike(document, folder) == []


def test_every_command_is_run_or_says_why_not() -> None:
    def is_left(block: Block) -> bool:
        return block.is_run and block.language != "console" and bool(COMMAND.search(block.text))

    left = [(page, b.text) for page in PAGES for b in blocks_of(page) if is_left(b)]
    assert "docs/tutorial.md" in TYPED and not left


@pytest.mark.parametrize(
    ("printed", "lines", "is_like"),
    [
        ("a  1 ms \nb\n", ("a 1 ms", "b"), True),
        ("a 1 ms\n", ("a 2 ms",), False),
        ("a 1 ms\n", ("a ... ms",), True),
        ("a\nb\nc\n", ("a", "...", "c"), True),
        ("a\nb\n", ("a",), False),
        ("a\n", (), False),
        ("", (), True),
    ],
)
def test_what_is_like_what_a_page_says(printed: str, lines: tuple[str, ...], is_like: bool) -> None:
    assert is_as_told(printed, lines) == is_like


def test_the_python_of_the_documents(copy: Path) -> None:
    code = "\n".join(b.text for b in blocks_of("docs/python.md") if b.language == "python")
    script = copy / "example.py"
    script.write_text(code)
    done = shell("python example.py", copy)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["src-6e", "pcie3-x16"]
    assert re.fullmatch(r"ii=1, latency \d+ cycles, \d+ LUT4", lines[2])
    assert re.fullmatch(r"four calls: \d+\.\d us", lines[3])
    assert lines[4:] == ["unknown platform `vax`"]
