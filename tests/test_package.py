# SPDX-License-Identifier: Apache-2.0
"""Packages and platform files from anybody: checked before anything of theirs is used."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tandem.diagnostics import UserError
from tandem.frontend.clang import run_clang
from tandem.manifest import FILES, HARDWARE, OPENED, read_manifest
from tandem.platforms.engine import find_platform, read_platform
from trial import good, refused, source, tandem

MUTATIONS = 10_000
ODD_NUMBERS: list[Any] = [None, True, -1, 0, 2**70, 10**400, 1.5]
ODD_TEXTS = ["", "x" * 5000, "\x1b[31m", "../secret", "/etc/passwd", "\ud800", "stream\n", "0" * 64]
ODD_VALUES = [*ODD_NUMBERS, *ODD_TEXTS, [], {}, [[]], {"a": 1}, [None]]
ODD_BYTES = [b'"', b"[", b"]]", b"1e999", b"-", b"\0", b"\xff", b"="]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    words = ["build", source(folder).name, "--top", "scale", "--models", "-o", "."]
    good(tandem(*words, cwd=folder))
    return folder / "scale.tandem"


@pytest.fixture
def victim(tmp_path: Path, package: Path) -> Path:
    """A copy of a good package, to be harmed."""
    return shutil.copytree(package, tmp_path / "scale.tandem")


def write(folder: Path, manifest: dict[str, Any]) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest))


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


class Watch:
    """What this process opens and loads, by the interpreter's audit events."""

    def __init__(self) -> None:
        self.is_on = False
        self.opened: set[str] = set()
        self.loaded: set[str] = set()
        sys.addaudithook(self.saw)

    def saw(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            if not isinstance(arguments[0], int):  # a number is a file that was opened before
                self.opened.add(os.fsdecode(arguments[0]))
        elif event in ("ctypes.dlopen", "import", "exec", "subprocess.Popen", "os.exec"):
            self.loaded.add(f"{event} {arguments[:1]}")


WATCH = Watch()


@pytest.fixture
def watch() -> Iterator[Watch]:
    WATCH.opened.clear()
    WATCH.loaded.clear()
    yield WATCH
    WATCH.is_on = False


def survives(read: Callable[[Path], object], path: Path, watch: Watch) -> bool:
    """Whether it is accepted; anything but a UserError fails the test."""
    watch.is_on = True
    try:
        read(path)
    except UserError:
        return False
    finally:
        watch.is_on = False
    return True


def test_random_manifests(victim: Path, watch: Watch) -> None:
    random, original = Random(1), manifest_of(victim)
    # Small files, so that a good manifest is read as fast as a bad one.
    for name in FILES:
        (victim / name).write_bytes(b"")
        original["files"][name] = {
            "bytes": 0,
            "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        }
    write(victim, original)
    assert survives(read_manifest, victim, watch)  # reads Tandem's version, once
    watch.opened.clear()
    watch.loaded.clear()
    accepted = 0
    for number in range(MUTATIONS):
        if number % 3:
            write(victim, mutated(random, original))
        else:
            data = bytearray(json.dumps(original).encode())
            for _ in range(random.randint(1, 4)):
                data[random.randrange(len(data))] = random.randrange(256)
            (victim / "manifest.json").write_bytes(data[: random.choice([len(data), 50, 900])])
        accepted += survives(read_manifest, victim, watch)
    assert 0 < accepted < MUTATIONS / 3
    assert watch.opened == {str(victim), "manifest.json", *FILES}
    assert not watch.loaded


def mutated(random: Random, original: dict[str, Any]) -> dict[str, Any]:
    """A copy in which one value, somewhere, is odd, gone, or under another name."""
    manifest = copy.deepcopy(original)
    holder: Any = manifest
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = random.choice(keys)
        inner = holder[key]
        if isinstance(inner, dict | list) and inner and random.random() < 0.7:
            holder = inner
            continue
        break
    action = random.randrange(3)
    if action == 0:
        del holder[key]
    elif action == 1 or isinstance(holder, list):
        holder[key] = random.choice(ODD_VALUES)
    else:
        holder[random.choice(["../secret", "x", "/dev/zero", ""])] = holder.pop(key)
    return manifest


def test_random_platform_files(tmp_path: Path, watch: Watch) -> None:
    random, path = Random(2), tmp_path / "platform.toml"
    original = find_platform("src-6e").read_bytes()
    path.write_bytes(original)
    assert survives(read_platform, path, watch)  # loads the engine, once
    watch.opened.clear()
    watch.loaded.clear()
    accepted = 0
    for _ in range(MUTATIONS):
        path.write_bytes(scrambled(random, original))
        accepted += survives(read_platform, path, watch)
    assert 0 < accepted < MUTATIONS
    assert not watch.opened and not watch.loaded


def scrambled(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(changed))
        kind = random.randrange(3)
        if kind == 0:
            changed[at] = random.randrange(256)
        elif kind == 1:
            del changed[at : at + random.randint(1, 40)]
        else:
            changed[at:at] = random.choice(ODD_BYTES)
    return bytes(changed)


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
@pytest.mark.parametrize("harm", ["gone", "fifo", "link", "folder", "cut", "longer", "changed"])
def test_harmed_files(victim: Path, name: str, harm: str) -> None:
    path = victim / name
    data = path.read_bytes()
    path.unlink()
    if harm == "fifo":
        os.mkfifo(path)
    elif harm == "link":
        (victim.parent / "elsewhere").write_bytes(data)
        path.symlink_to(victim.parent / "elsewhere")
    elif harm == "folder":
        path.mkdir()
    elif harm != "gone":
        harmed = {"cut": data[:-2], "longer": data + b"}", "changed": b"#" + data[1:]}
        path.write_bytes(harmed[harm])
    with pytest.raises(UserError, match="tandem build"):
        read_manifest(victim)


def test_a_huge_file_is_not_read(victim: Path) -> None:
    for name in ("rtl.so", "manifest.json"):
        os.truncate(victim / name, 8 << 30)
        with pytest.raises(UserError, match=name):
            read_manifest(victim)


PROGRAM = """
#include "driver.h"
#include <string.h>
int main(void)
{
    unsigned char in[4] = {1, 2, 3, 4}, out[4] = {0};
    unsigned n = 4;
    void *data[] = {in, out, &n};
    uint64_t bytes[3];
    tandem_extents(data, bytes);
    tandem_function(data);
    return bytes[0] != 4 || bytes[1] != 4 || memcmp(out, "\\3\\6\\11\\14", 4);
}
"""


def test_a_program_without_tandem_asks_the_models(victim: Path) -> None:
    program = source(victim.parent, PROGRAM, "driver.c")
    objects = [victim / "ahead.so", victim / "function.so"]
    run_clang([program, f"-I{victim}", *objects, "-o", victim.parent / "driver"])
    assert subprocess.run([victim.parent / "driver"]).returncode == 0


@pytest.mark.parametrize("missing", [[], ["driver.h"], ["ahead.so"], ["rtl.so"], ["kernel.sv"]])
def test_models_are_all_there_or_none(victim: Path, missing: list[str]) -> None:
    names = missing or OPENED
    manifest = manifest_of(victim)
    manifest["files"] = {n: row for n, row in manifest["files"].items() if n not in names}
    write(victim, manifest)
    if missing:
        with pytest.raises(UserError, match="`files`"):
            read_manifest(victim)
    else:
        assert set(read_manifest(victim)["files"]) == set(HARDWARE)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "more.txt"])
def test_other_files_are_not_looked_at(victim: Path, name: str) -> None:
    manifest = manifest_of(victim)
    manifest["files"][name] = manifest["files"]["rtl.so"]
    write(victim, manifest)
    with pytest.raises(UserError, match="`files`"):
        read_manifest(victim)


def test_text_of_a_package_does_not_reach_the_terminal_raw(victim: Path) -> None:
    for key in ("kernel", "target", "tandem_version"):
        manifest = manifest_of(victim)
        manifest[key] = "\x1b[31mred\n"
        write(victim, manifest)
        done = tandem("package", victim, cwd=victim.parent)
        refused(done, "manifest.json")
        assert "\x1b" not in done.stderr + done.stdout
        good(tandem("package", "--help", cwd=victim.parent))


def test_what_is_no_folder(tmp_path: Path) -> None:
    refused(tandem("package", "none", cwd=tmp_path), "error[package]")
    refused(tandem("package", source(tmp_path), cwd=tmp_path), "error[package]")


def test_nothing_tells_of_lines_where_nobody_steps(package: Path) -> None:
    """For large kernels that was most of the time to build them, and gigabytes. What belongs to the
    compiler has some of its own."""
    assert b"_BitInt(" not in (package / "ahead.so").read_bytes()
