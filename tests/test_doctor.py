# SPDX-License-Identifier: Apache-2.0
"""What is installed is tried, what is missing named, and what does not run is told apart."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
from tandem import doctor
from test_schemas import holds
from trial import good, tandem

ROOT = Path(__file__).parents[1]


def test_all_parts_are_tried_and_told(tmp_path: Path) -> None:
    done = tandem("doctor", "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    holds("doctor", found)
    rows = {row["name"]: row for row in found["parts"]}
    assert {row["state"] for row in found["parts"] if row["group"] == "core"} == {"works"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", rows["clang"]["version"])
    assert rows["engine"]["version"] == found["version"]


def test_a_program_that_is_missing_and_one_that_does_not_run(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "make"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no licence >&2; exit 3\n")
    program.chmod(0o755)
    done = tandem("doctor", cwd=tmp_path, PATH=str(program.parent))
    good(done)
    assert "make is broken (ended with status 3: no licence)" in done.stdout
    assert "g++ is missing. Without it: the same with clang" in done.stdout
    assert "  help: apt install g++\n" in done.stdout


def test_without_what_is_needed_the_status_says_so(tmp_path: Path) -> None:
    done = tandem("doctor", "--json", cwd=tmp_path, TANDEM_CLANG="/no/such/clang")
    assert done.returncode == 2 and not done.stderr
    found = json.loads(done.stdout)
    holds("doctor", found)
    (row,) = [row for row in found["parts"] if row["state"] != "works" and row["group"] == "core"]
    assert (row["name"], row["state"], found["is_ready"]) == ("clang", "broken", False)


def test_a_library_of_another_machine_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_a_library.py").write_text("raise ImportError('wrong ELF class')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    part = doctor.Part("x", "core", "", "", "", doctor._package("x", "half_a_library"))
    found = doctor.examine([part])
    assert found["parts"][0]["state"] == "broken" and not found["is_ready"]
    assert found["parts"][0]["problem"].endswith("wrong ELF class")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("gcc (Debian 12.2.0-14) 12.3.0", "12.3.0"),
        ('"x" -- Place and Route (Version nextpnr-0.11.1)', "0.11.1"),
        ("Yosys 0.70 (git sha1 28b, clang++ 22.1.0)", "0.70"),
        ("no number", "of no version"),
    ],
)
def test_versions_are_found(text: str, number: str) -> None:
    assert doctor._number(text) == number


def test_what_is_to_be_installed_is_an_extra_of_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {m[1] for part in doctor.PARTS if (m := re.search(r"\[(\w+)\]", part.install))}
    assert named == set(extras["optional-dependencies"])
