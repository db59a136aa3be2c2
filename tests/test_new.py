# SPDX-License-Identifier: Apache-2.0
"""`tandem new`: a project that builds, verifies and runs as it is made."""

from __future__ import annotations

import errno
import subprocess
import time
from pathlib import Path

import pytest
from seeds import ALL
from tandem.diagnostics import UserError
from tandem.library import project
from tandem.library.manifests import library_kernels
from trial import TANDEM, good, refused, tandem

pytestmark = pytest.mark.usefixtures("cache")
MOST_SECONDS = 60


def make(target: str, folder: Path) -> str:
    command = ["make", "-C", folder, f"TANDEM={TANDEM}", target]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_from_nothing_to_a_verified_run(tmp_path: Path) -> None:
    start = time.monotonic()
    done = tandem("new", "sharpen", cwd=tmp_path)
    good(done)
    assert done.stdout.startswith("sharpen: `make -C sharpen verify` tries fir")
    made = tmp_path / "sharpen"
    assert "fir: 5 calls, " in make("verify", made)
    printed = make("run", made)
    assert time.monotonic() - start < MOST_SECONDS
    assert "known answers: 4 of 4 right" in printed and "bottleneck: " in printed
    assert "ii=1" in printed
    assert "4 of 4 known answers are right" in make("test", made)
    assert "fir for ecp5 at 10 ns: ii=1" in make("build", made)
    make("clean", made)
    assert not (made / "build").exists()


@pytest.mark.parametrize("kernel", ["des3_cbc_encrypt", "aes256_ctr", "exp_pairs", "des_search"])
def test_from_a_kernel_of_the_library(kernel: str, tmp_path: Path) -> None:
    """Whose files lie in one folder then."""
    made = project.new_project("made", kernel, folder=tmp_path)
    count = len(library_kernels()[kernel].answers)
    assert "../" not in "".join(path.read_text() for path in made.iterdir())
    assert f"{count} of {count} known answers are right" in make("test", made)


def test_a_wrong_kernel_fails_its_test(tmp_path: Path) -> None:
    made = project.new_project("wrong", folder=tmp_path)
    code = made / "fir.c"
    code.write_text(code.read_text().replace("last[k] = last[k - 1]", "last[k] = last[k]"))
    command = ["make", "-C", made, "test"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and " of 4 known answers are right" in done.stdout


def test_on_a_chip(tmp_path: Path) -> None:
    words = ["--from", "present80_encrypt", "--platform", "picorv32-chip"]
    good(tandem("new", "tag", *words, cwd=tmp_path))
    made = tmp_path / "tag"
    assert "known answers: 4 of 4 right\n20 blocks, " in make("run", made)
    if not ALL:
        return
    assert "present80_encrypt: 24 calls: RTL and C agree" in make("verify", made)
    make("build", made)
    assert (made / "build" / "main.chip").is_dir()


@pytest.mark.parametrize("name", ["", "a b", "-x", "../up", "a/b", "1st", "é", "x" * 65, "a\n"])
def test_a_bad_name(name: str, tmp_path: Path) -> None:
    done = tandem("new", "--", name, cwd=tmp_path)
    refused(done, "error[project]: cannot name a project", "begin with a letter")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    before = sorted(tmp_path.rglob("*"))
    for name in ("folder", "file", "link"):
        done = tandem("new", name, cwd=tmp_path)
        refused(done, f"{name}: error[in-the-way]: there is something", "another name")
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_what_is_not_known(tmp_path: Path) -> None:
    done = tandem("new", "x", "--from", "fire", cwd=tmp_path)
    refused(done, "error[kernel]: no kernel `fire` in the library", "did you mean `fir`")
    done = tandem("new", "x", "--platform", "vax", cwd=tmp_path)
    refused(done, "error[platform]: unknown platform `vax`")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(project, "_readme", full)
    with pytest.raises(UserError, match="cannot write: No space left on device"):
        project.new_project("x", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
