# SPDX-License-Identifier: Apache-2.0
"""The cache of builds: found when nothing has changed, never when something has."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tandem.cache import builds as cache
from tandem.cache.builds import BuildCache, contents
from tandem.frontend.clang import clang_command
from trial import MAIN, TANDEM, Done, good, source, tandem

HEADER = "#define FACTOR 3\nvoid scale(const unsigned char *in, unsigned char *out, unsigned n);\n"
SCALE = """
#include "scale.h"
void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = FACTOR * in[i];
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that was built already."""
    project = project_in(tmp_path_factory.mktemp("built"))
    run(project)
    return project


def project_in(folder: Path) -> Path:
    (folder / "inc").mkdir()
    (folder / "first").mkdir()
    source(folder, HEADER, "inc/scale.h")
    source(folder, SCALE, "scale.c")
    source(folder, '#include "scale.h"\n' + MAIN.replace("12", "FACTOR * 4"))
    return folder


def run(folder: Path, *arguments: object, cache: str | None = None) -> Done:
    words = ["run", "app.c", "--offload", "scale", "-Ifirst", "-Iinc", "--source", "scale.c"]
    folder_of_cache = cache or str(folder / "cache")
    done = tandem(*words, *arguments, cwd=folder, TANDEM_CACHE=folder_of_cache, TANDEM_PROGRESS="1")
    good(done)
    return done


def was_found(done: Done) -> bool:
    return "compiling scale" not in done.stderr


def test_an_unchanged_program_is_found_and_starts_at_once(project: Path) -> None:
    assert not was_found(run(project))
    assert min(seconds_of_a_hit(project) for _ in range(3)) < 1.5
    assert was_found(run(project, "--mode", "simulate", "-o", "out"))
    assert (project / "out" / "scale.tandem" / "manifest.json").is_file()


def seconds_of_a_hit(project: Path) -> float:
    started = time.monotonic()
    assert was_found(run(project))
    return time.monotonic() - started


@pytest.mark.parametrize(
    "change",
    [
        lambda p: source(p, HEADER.replace("3", "5"), "inc/scale.h"),
        lambda p: source(p, HEADER.replace("3", "5"), "first/scale.h"),
        lambda p: source(p, HEADER.replace("3", "5"), "scale.h"),
        lambda p: source(p, SCALE + "/* more */", "scale.c"),
    ],
    ids=["header", "header in an earlier folder", "header beside", "source"],
)
def test_a_changed_file_is_seen(project: Path, change) -> None:
    run(project)
    change(project)
    assert not was_found(run(project))
    assert was_found(run(project))


@pytest.mark.parametrize(
    "words", [["-DX"], ["--cflags", "-O1"], ["--clock-ns", "20"], ["--platform", "pcie3-x16"]]
)
def test_another_request_is_another_build(project: Path, words: list[str]) -> None:
    run(project)
    assert not was_found(run(project, *words))
    assert was_found(run(project))


def test_a_c_file_that_appears_beside_a_header(tmp_path: Path) -> None:
    source(tmp_path, '#include "more.h"\n' + SCALE.replace('#include "scale.h"', "") + MAIN)
    source(tmp_path, "#define FACTOR 3\n", "more.h")
    words = ["run", "app.c", "--offload", "scale"]
    variables = {"TANDEM_CACHE": str(tmp_path / "cache"), "TANDEM_PROGRESS": "1"}
    good(tandem(*words, cwd=tmp_path, **variables))
    assert was_found(tandem(*words, cwd=tmp_path, **variables))
    source(tmp_path, "int more = 1;\n", "more.c")
    assert not was_found(tandem(*words, cwd=tmp_path, **variables))


@pytest.mark.parametrize("name", ["application", "scale.tandem/rtl.so", "result.json", "seal.json"])
@pytest.mark.parametrize("harm", ["cut", "changed", "gone"])
def test_a_damaged_build_is_made_again(built: Path, name: str, harm: str) -> None:
    (entry,) = (built / "cache" / "builds").iterdir()
    path, data = entry / name, (entry / name).read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(data[:-5] if harm == "cut" else data[:-9] + b"#" + data[-8:])
    assert not was_found(run(built))
    assert was_found(run(built))


@pytest.mark.parametrize("place", ["off", "app.c", "/proc/none", "/dev/null"])
def test_a_cache_that_cannot_be_used(project: Path, place: str) -> None:
    before = {path.name for path in project.iterdir()}
    assert not was_found(run(project, cache=place))
    assert not was_found(run(project, cache=place))
    assert {path.name for path in project.iterdir()} == before


def test_a_program_that_tells_when_it_was_compiled(project: Path) -> None:
    source(project, SCALE + "const char *when = __TIME__;\n", "scale.c")
    run(project)
    assert not was_found(run(project))


def test_several_at_once(project: Path) -> None:
    words = [TANDEM, "run", "app.c", "--offload", "scale", "-Iinc", "--source", "scale.c"]
    variables = {**os.environ, "TANDEM_CACHE": str(project / "cache")}
    tools = [
        subprocess.Popen(
            words, cwd=project, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    said = [tool.communicate()[1] for tool in tools]
    assert [tool.returncode for tool in tools] == [0, 0, 0], said
    assert len(list((project / "cache" / "builds").iterdir())) == 1


def test_the_least_used_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("builds", "recipes", "work"):
        (tmp_path / folder).mkdir()
    (tmp_path / "work" / "application").write_bytes(bytes(1000))
    store, read = BuildCache(tmp_path), contents([])
    monkeypatch.setattr(cache, "LARGEST_BYTES", 2500)
    for number, recipe in enumerate("abc"):
        store.store(recipe, read, tmp_path / "work")
        for name in "ab":
            found = store.find(name)
            if found:
                os.utime(found, (number, number + (name == "a")))
    assert [store.find(recipe) is not None for recipe in "abc"] == [True, False, True]


@pytest.fixture
def linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What clang has linked into shared objects since last asked: the names of the files."""
    script, log = tmp_path / "clang.sh", tmp_path / "log"
    script.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec {" ".join(clang_command())} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("TANDEM_CLANG", str(script))

    def since() -> list[str]:
        calls = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return sorted(Path(call.split()[-1]).name for call in calls if " -shared " in call)

    return since


def test_models_are_compiled_when_something_runs(
    project: Path, linked: Callable[[], list[str]]
) -> None:
    words = ["build", "scale.c", "--top", "scale", "-Iinc"]
    good(tandem(*words, cwd=project))
    assert linked() == []
    assert not was_found(run(project))
    assert linked() == ["ahead.so", "rtl.so"]
    assert was_found(run(project, "--mode", "simulate"))
    assert linked() == []
    good(tandem(*words, "--models", cwd=project))
    assert linked() == ["ahead.so", "function.so", "rtl.so"]


def test_what_was_never_finished_goes(tmp_path: Path) -> None:
    for folder in ("builds/.old", "builds/.new", "recipes", "work"):
        (tmp_path / folder).mkdir(parents=True)
    os.utime(tmp_path / "builds" / ".old", (0, 0))
    BuildCache(tmp_path).store("a", contents([]), tmp_path / "work")
    assert {p.name[0:4] for p in (tmp_path / "builds").iterdir() if p.name[0] == "."} == {".new"}
