# SPDX-License-Identifier: Apache-2.0
"""Results replace only results; what else is there stays, and nothing is left half-written."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest
from tandem.diagnostics import UserError
from tandem.files import complete_or_absent, replace_file, require_no_source
from tandem.manifest import is_package
from trial import KERNEL, MAIN, Done, good, refused, source, tandem


def run(folder: Path, *arguments: object) -> Done:
    return tandem("run", "app.c", "--offload", "scale", *arguments, cwd=folder)


def test_results_replace_results(tmp_path: Path) -> None:
    source(tmp_path)
    out = tmp_path / "out"
    for _ in range(2):
        good(run(tmp_path, "-o", out))
        assert sorted(p.name for p in out.iterdir()) == ["app", "scale.tandem"]
    good(tandem("build", "app.c", "--top", "scale", "-o", out, cwd=tmp_path))


def test_a_source_is_not_replaced_by_an_executable(tmp_path: Path) -> None:
    text = source(tmp_path, name="x.c.c").read_text()
    source(tmp_path, name="x.c")
    done = tandem("run", "x.c.c", "--offload", "scale", "-o", ".", cwd=tmp_path)
    refused(done, "x.c: error[in-the-way]", "-o")
    assert (tmp_path / "x.c").read_text() == text
    assert {p.name for p in tmp_path.iterdir()} == {"x.c", "x.c.c"}


@pytest.mark.parametrize("what", ["elf", "empty", "folder", "link"])
def test_other_files_are_not_replaced_by_an_executable(tmp_path: Path, what: str) -> None:
    source(tmp_path)
    place = tmp_path / "app"
    if what == "folder":
        place.mkdir()
    elif what == "link":
        place.symlink_to(tmp_path / "nowhere")
    else:
        place.write_bytes(b"\x7fELF" + bytes(100) if what == "elf" else b"")
    refused(run(tmp_path, "-o", "."), "app: error[in-the-way]")
    assert place.is_symlink() or place.exists()
    assert not (tmp_path / "scale.tandem").exists()


@pytest.mark.parametrize("manifest", [None, "{}", '{"format": "tandem-package"}', "[", "[]"])
def test_a_folder_that_is_no_package_stays(tmp_path: Path, manifest: str | None) -> None:
    source(tmp_path)
    folder = tmp_path / "build" / "scale.tandem"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    if manifest is not None:
        (folder / "manifest.json").write_text(manifest)
    done = tandem("build", "app.c", "--top", "scale", cwd=tmp_path)
    refused(done, "scale.tandem: error[in-the-way]")
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_package_of_any_version_is_ours(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": "tandem-package", "format_version": 10}')
    assert is_package(tmp_path)


def test_folders_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with complete_or_absent(tmp_path / "folder") as work:
            (work / "file").write_text("")
        replace_file(tmp_path / "file", [b""], 0o777)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("folder", "file")]
    assert modes == [0o750, 0o750]


def test_a_folder_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "folder"
    with complete_or_absent(place) as work:
        (work / "old").write_text("")
    with pytest.raises(KeyboardInterrupt), complete_or_absent(place) as work:
        (work / "new").write_text("")
        raise KeyboardInterrupt
    assert [p.name for p in place.iterdir()] == ["old"]
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("name", ["", ".", "folder", "none/t.json", "app.c", "old.c", "notes.txt"])
def test_places_where_no_trace_goes(tmp_path: Path, name: str) -> None:
    source(tmp_path)
    (tmp_path / "folder").mkdir()
    for other in ("old.c", "notes.txt"):
        (tmp_path / other).write_text("mine")
    done = run(tmp_path, "--trace", name)
    refused(done, "error[in-the-way]", "--trace")
    assert (tmp_path / "old.c").read_text() == (tmp_path / "notes.txt").read_text() == "mine"


def test_a_trace_through_links_and_fifos(tmp_path: Path) -> None:
    source(tmp_path)
    (tmp_path / "link").symlink_to("target")
    (tmp_path / ".t.json.part").write_text("mine")
    good(run(tmp_path, "--trace", "link"))
    for _ in range(2):
        good(run(tmp_path, "--trace", "t.json"))
    assert (tmp_path / "link").is_symlink()
    trace = json.loads((tmp_path / "target").read_text())
    assert trace == json.loads((tmp_path / "t.json").read_text())
    assert (tmp_path / ".t.json.part").read_text() == "mine"


def test_a_file_is_written_through_what_is_no_file(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    replace_file(fifo, [b"tra", b"ce"])
    reader.join()
    replace_file(Path("/dev/null"), [b"trace"])
    assert read == [b"trace"] and stat.S_ISFIFO(fifo.stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_compilers_output_is_no_source(tmp_path: Path) -> None:
    path = source(tmp_path, KERNEL + MAIN, "a.txt")
    os.link(path, tmp_path / "b.txt")
    with pytest.raises(UserError, match="an input"):
        require_no_source(tmp_path / "b.txt", [path], "-o")
    old = source(tmp_path, "", "old.s")
    with pytest.raises(UserError, match="a source"):
        require_no_source(old, [], "-o")
    require_no_source(old, [], "-o", (".s",))
    require_no_source(tmp_path / "new.c", [], "-o")
    require_no_source(Path("/dev/null"), [Path("/dev/null")], "-o")
