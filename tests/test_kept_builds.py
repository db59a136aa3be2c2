# SPDX-License-Identifier: Apache-2.0
"""`tandem cache` tells what is kept, and `clear` removes that and nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tandem.cache.builds import FORGOTTEN_SECONDS, BuildCache, contents
from test_schemas import holds
from trial import good, refused, source, tandem

NAME = "ab" * 32


def told(folder: Path, *words: str, schema: str = "cache") -> dict:
    done = tandem("cache", *words, "--json", cwd=folder, TANDEM_CACHE=str(folder / "kept"))
    good(done)
    found = json.loads(done.stdout)
    holds(schema, found)
    return found


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A cache's folder, with one build of 1000 bytes that is as old as a week."""
    folder, work = tmp_path / "kept", tmp_path / "work"
    work.mkdir()
    (work / "rtl.so").write_bytes(bytes(1000))
    for name in ("builds", "recipes"):
        (folder / name).mkdir(parents=True)
    cache = BuildCache(folder)
    cache.store(NAME, contents([]), work)
    entry = cache.find(NAME)
    assert entry is not None
    week = entry.stat().st_mtime - 7 * 24 * 3600
    os.utime(entry, (week, week))
    return folder


def test_a_build_is_told_and_cleared(tmp_path: Path) -> None:
    source(tmp_path)
    variables = {"TANDEM_CACHE": str(tmp_path / "kept")}
    good(tandem("run", "app.c", "--offload", "scale", cwd=tmp_path, **variables))
    found = told(tmp_path)
    assert [(row["kind"], row["kernels"]) for row in found["entries"]] == [
        *(("recipe", []), ("application", ["scale"]))
    ]
    assert found["size_bytes"] == sum(row["size_bytes"] for row in found["entries"]) > 1000
    assert "scale" not in tandem("cache", cwd=tmp_path, TANDEM_CACHE="off").stdout
    done = told(tmp_path, "clear", schema="cache-clear")
    assert (done["removed"], done["removed_bytes"]) == (2, found["size_bytes"])
    assert not told(tmp_path)["entries"] and done["left"] == []


def test_age_and_kind(tmp_path: Path, kept: Path) -> None:
    core = next(row for row in told(tmp_path)["entries"] if row["kind"] == "core")
    assert core["size_bytes"] == 1000 and 6.9 < core["age_s"] / 24 / 3600 < 7.1
    text = tandem("cache", cwd=tmp_path, TANDEM_CACHE=str(kept)).stdout
    (line,) = [line.split() for line in text.splitlines() if line.startswith("processors'")]
    assert line == ["processors'", "models", "1", "1.0", "kB", "0", "0", "1"]


def test_what_the_cache_did_not_make_stays(tmp_path: Path, kept: Path) -> None:
    strange = [kept / "thesis.tex", kept / "builds" / "notes", kept / "recipes" / "soup.json"]
    for path in strange:
        path.write_text("mine")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    link = kept / "builds" / ("cd" * 32)
    link.symlink_to(outside)
    done = told(tmp_path, "clear", schema="cache-clear")
    assert sorted(done["left"]) == sorted(map(str, [*strange, link]))
    assert [p.read_text() for p in (*strange, outside / "precious")] == ["mine"] * 4
    assert not [p for p in (kept / "builds").iterdir() if p != link and p.name != "notes"]


def test_what_is_being_made_stays(tmp_path: Path, kept: Path) -> None:
    young, old = (kept / "builds" / f".{digit * 16}" for digit in "12")
    for path in (young, old):
        path.mkdir()
    os.utime(old, (0, old.stat().st_mtime - 2 * FORGOTTEN_SECONDS))
    done = told(tmp_path, "clear", schema="cache-clear")
    assert done["left"] == [str(young)] and young.is_dir() and not old.exists()


def test_looking_makes_no_folder(tmp_path: Path) -> None:
    assert told(tmp_path)["state"] == "used"
    assert told(tmp_path, "clear", schema="cache-clear")["removed"] == 0
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("place", "state", "why"),
    [
        ("off", "off", "the cache is off"),
        ("file", "unusable", "is no folder that this user alone can write"),
        ("shared", "unusable", "is no folder that this user alone can write"),
    ],
)
def test_where_nothing_is_kept(tmp_path: Path, place: str, state: str, why: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "shared").mkdir(mode=0o777)
    (tmp_path / "shared").chmod(0o777)
    shown = tandem("cache", "--json", cwd=tmp_path, TANDEM_CACHE=place)
    good(shown)
    holds("cache", json.loads(shown.stdout))
    assert json.loads(shown.stdout)["state"] == state
    assert "no builds are kept" in tandem("cache", cwd=tmp_path, TANDEM_CACHE=place).stdout
    done = tandem("cache", "clear", "--json", cwd=tmp_path, TANDEM_CACHE=place)
    refused(done, "error[cache]", why, "TANDEM_CACHE")
    assert json.loads(done.stdout)["errors"][0]["code"] == "cache"


def test_a_wrong_word(tmp_path: Path) -> None:
    refused(tandem("cache", "clean", cwd=tmp_path), "error[option]", "clean")
