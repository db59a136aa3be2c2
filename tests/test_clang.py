# SPDX-License-Identifier: Apache-2.0
"""Clang and its surroundings: the C as it is, odd names, caches, full disks, true messages."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tandem.diagnostics import InternalError, UserError
from tandem.frontend import clang
from tandem.frontend.clang_errors import failure
from trial import CALL, KERNEL, MAIN, good, refused, source, started, tandem

ODD_NAMES = ["-dash.c", "@at.c", "a b.c", 'q"uote.c', "co:lon.c", "back\\slash.c", "$x'y.c", "#h.c"]
BAD_NAMES = ["line\nbreak.c", os.fsdecode(b"latin\xe9.c")]


def run(folder: Path, name: str = "app.c", *arguments: object):
    return tandem("run", "--offload", "scale", *arguments, "--", name, cwd=folder)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_files_work(tmp_path: Path, name: str) -> None:
    source(tmp_path, name=name)
    good(run(tmp_path, name))


@pytest.mark.parametrize("name", [*BAD_NAMES, "app.txt", "app", "app.s"])
def test_names_that_cannot_work_are_refused(tmp_path: Path, name: str) -> None:
    source(tmp_path, name=name)
    refused(run(tmp_path, name), "error[no-source]")


def test_a_header_with_a_blank_in_its_name_is_followed(tmp_path: Path) -> None:
    source(tmp_path, KERNEL, "the scale.c")
    source(tmp_path, "void scale(const unsigned char *, unsigned char *, unsigned);", "the scale.h")
    source(tmp_path, '#include "the scale.h"\n' + MAIN)
    good(run(tmp_path))


@pytest.mark.parametrize("name", ['q"uote', "back\\slash", "line\nbreak", "@at", "-dash", "a b"])
def test_odd_names_of_folders_work(tmp_path: Path, name: str) -> None:
    source(tmp_path)
    good(run(tmp_path, "app.c", f"-o{name}"))
    good(tandem("build", "app.c", "--top", "scale", f"--output={name}", cwd=tmp_path))
    assert {path.name for path in (tmp_path / name).iterdir()} == {"app", "scale.tandem"}


def test_nothing_of_the_current_folder_is_run(tmp_path: Path) -> None:
    source(tmp_path)
    for module in ("ziglang/__main__.py", "ziglang/__init__.py", "json.py", "platform.py"):
        path = tmp_path / module
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')\n")
    good(started("verify", "app.c", "--offload", "scale", cwd=tmp_path))
    good(started("build", "app.c", "--top", "scale", "--place", cwd=tmp_path))
    assert not (tmp_path / "RAN").exists()


def test_bytes_of_the_source_reach_the_program(tmp_path: Path) -> None:
    main = f'int main(void) {{ {CALL} return (unsigned char)"\xe9"[0] != 0xe9 || b[3] != 12; }}\r\n'
    data = (KERNEL + main).replace("\n", "\r\n").encode("latin-1")
    (tmp_path / "app.c").write_bytes(b"\xef\xbb\xbf" + data)
    good(run(tmp_path))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_other_encodings_are_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "app.c").write_bytes((KERNEL + MAIN).encode(encoding))
    refused(run(tmp_path), "app.c")


@pytest.mark.parametrize("home", [None, "/dev/null", "/proc/none"])
def test_no_home(tmp_path: Path, home: str | None) -> None:
    source(tmp_path)
    done = tandem("run", "app.c", "--offload", "scale", cwd=tmp_path, HOME=home, XDG_CACHE_HOME="")
    good(done)


def test_no_folder_for_the_cache_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = source(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    monkeypatch.setattr(clang.tempfile, "gettempdir", lambda: str(file))
    with pytest.raises(UserError, match="ZIG_GLOBAL_CACHE_DIR"):
        clang.zig_cache.__wrapped__()


def test_what_the_linker_misses_is_named(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + "int half(int);\n" + MAIN.replace("return", "return half(0) +"))
    refused(run(tmp_path), "app.c:8: error[undefined]: `half`", "--source")
    source(tmp_path)
    refused(run(tmp_path, "app.c", "-l", "nope"), "no library", "nope")
    refused(run(tmp_path, "app.c", "--cflags", "--nonsense"), "nonsense", "--cflags")


def test_errors_in_c_of_our_own_are_ours() -> None:
    folder = Path(clang.tempfile.gettempdir()) / "tandem-abc"
    found = failure(f"{folder}/stub.c:3:1: error: expected ')'\n", [])
    assert isinstance(found, InternalError)


@pytest.mark.parametrize("text", ["error: NoSpaceLeft\n", "", "warning: No space left on device"])
def test_a_full_disk_is_told_from_other_failures(tmp_path: Path, text: str, disk: Path) -> None:
    assert "disk-full" in str(failure(text, [disk]))
    assert isinstance(failure("", [tmp_path]), InternalError)
    assert "error[c]" in str(failure(f"a.c:1:1: error: no\n{text}", [disk]))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB with nothing free."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).returncode:
        pytest.skip("this machine does not let us mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_temporary_folder_that_is_full(tmp_path: Path, disk: Path) -> None:
    source(tmp_path)
    (disk / "fill").write_bytes(bytes(40 << 10))
    refused(tandem("run", "app.c", "--offload", "scale", cwd=tmp_path, TMPDIR=str(disk)), "TMPDIR")
    assert [path.name for path in disk.iterdir()] == ["fill"]


@pytest.mark.parametrize("free_kib", [8, 24, 40, 52])
@pytest.mark.parametrize("where", ["output", "temporary"])
def test_a_disk_that_fills_up(tmp_path: Path, disk: Path, free_kib: int, where: str) -> None:
    """Wherever it happens, it is told, and neither executable nor package is there alone."""
    source(tmp_path)
    (disk / "fill").write_bytes(bytes((64 - free_kib) << 10))
    words = ["run", "app.c", "--offload", "scale"]
    if where == "output":
        done = tandem(*words, "-o", disk, cwd=tmp_path)
    else:
        done = tandem(*words, cwd=tmp_path, TMPDIR=str(disk))
    refused(done, "help: free some space")
    assert "disk is full" in done.stderr or "No space left" in done.stderr
    assert [path.name for path in disk.iterdir()] == ["fill"]


def test_what_is_preprocessed_keeps_the_other_options() -> None:
    """Whether the value of an option is in its word or the next one."""
    words = ["-DX=1", "-O2", "-I", "inc", "-include", "a.h", "-std=c99", "-isystemsys", "-m32"]
    assert list(clang._without_preprocessing(words)) == ["-O2", "-std=c99", "-m32"]
