# SPDX-License-Identifier: Apache-2.0
"""The pages of the manual and what shells complete, made from the command line's definitions."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tandem.commands.application import application
from tandem.commands.manual import pages
from trial import good, refused, tandem
from typer.main import get_command


def names(path: str, command) -> list[str]:
    below = getattr(command, "commands", {})
    return [path, *(n for key, inner in below.items() for n in names(f"{path}-{key}", inner))]


def test_each_command_has_a_page_with_all_its_options(tmp_path: Path) -> None:
    good(tandem("man", "-o", "man1", cwd=tmp_path))
    written = {path.stem: path.read_text() for path in (tmp_path / "man1").iterdir()}
    assert sorted(written) == sorted(names("tandem", get_command(application)))
    assert {"tandem-c++", "tandem-platform-fit", "tandem-cache-clear"} <= written.keys()
    shown = set(re.findall(r"(?<![\w-])--\w[\w-]*", tandem("run", "-h", cwd=tmp_path).stdout))
    page = written["tandem-run"].replace("\\-", "-")
    assert len(shown) > 20 and not [option for option in shown if option not in page]


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff on this machine")
def test_the_pages_are_read_without_a_warning(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("".join(pages(get_command(application)).values()))
    command = ["groff", "-man", "-ww", "-Tutf8", "page"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not done.stderr and "TANDEM-RUN(1)" in done.stdout
    assert "--offload FUNCTION" in done.stdout


def test_one_page_is_printed(tmp_path: Path) -> None:
    text = tandem("man", "platform", "check", cwd=tmp_path).stdout
    assert text.startswith('.TH "TANDEM\\-PLATFORM\\-CHECK"')
    assert ".SH COMMANDS\n" in tandem("man", cwd=tmp_path).stdout
    refused(tandem("man", "fly", cwd=tmp_path), "error[man]: there is no page tandem-fly", "run")
    (tmp_path / "file").touch()
    refused(tandem("man", "-o", "file", cwd=tmp_path), "file: error[")


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("run --platform pcie3-x16-", ["pcie3-x16-xdma"]),
        ("build --kernel aes128_ct", ["aes128_ctr"]),
        ("build --target i", ["ice40up"]),
        ("run --optimise a", ["area"]),
        ("run --mode s", ["simulate"]),
        ("reproduce src", ["src-6e"]),
        ("list t", ["targets"]),
        ("platform check zynq", ["zynq-7000"]),
        ("completion z", ["zsh"]),
        ("run --platform mine", []),
    ],
)
def test_what_is_completed(tmp_path: Path, typed: str, wanted: list[str]) -> None:
    words = f"tandem {typed}"
    variables = {
        "_TANDEM_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    assert tandem(cwd=tmp_path, **variables).stdout.split() == wanted


def test_the_scripts_of_shells(tmp_path: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = tandem("completion", shell, cwd=tmp_path)
        good(done)
        assert f"complete_{shell}" in done.stdout
    refused(tandem("completion", "tcsh", cwd=tmp_path), "error[completion]", "bash, zsh, fish")
    script = tandem("completion", "bash", cwd=tmp_path).stdout
    subprocess.run(["bash", "-euc", script + "\ncomplete -p tandem"], check=True)
