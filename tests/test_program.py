# SPDX-License-Identifier: Apache-2.0
"""Programs as people have them: folders of sources and headers, flags, libraries."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trial
from tandem.diagnostics import UserError
from tandem.languages.compile_commands import own_flags, read_compile_commands
from tandem.languages.discovery import Given, find_program
from tandem.languages.rules import rule_files
from trial import TANDEM, Done

MAIN = """
#include <stdlib.h>
#include "scale.h"
#if BIAS != 5
#error "the macro did not arrive"
#endif
int main(void)
{
    unsigned char a[4] = {1, 2, 3, 4}, b[4];
    scale(a, b, 4);
    return b[3] != FACTOR * 4 + BIAS;
}
"""
SCALE = """
#include <scale.h>
void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = FACTOR * in[i] + BIAS;
}
"""
HEADER = "#define FACTOR 3\nvoid scale(const unsigned char *in, unsigned char *out, unsigned n);\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with src/ and inc/, whose headers are found with -I only."""
    for folder in ("src", "inc", "build"):
        (tmp_path / folder).mkdir()
    (tmp_path / "src" / "main.c").write_text(MAIN)
    (tmp_path / "src" / "scale.c").write_text(SCALE)
    (tmp_path / "inc" / "scale.h").write_text(HEADER)
    return tmp_path


def database(project: Path, *flags: str) -> Path:
    rows = [
        {
            "directory": str(project / "build"),
            "command": f"cc {' '.join(flags)} -I../inc -DBIAS=5 -MD -MF x.d -o {f}.o -c ../src/{f}",
            "file": f"../src/{f}",
        }
        for f in ("main.c", "scale.c")
    ]
    path = project / "build" / "compile_commands.json"
    path.write_text(json.dumps(rows))
    return path


def tandem(project: Path, *arguments: str) -> Done:
    return trial.tandem(*arguments, cwd=project)


def offloaded(project: Path, *arguments: str) -> dict[str, Any]:
    done = tandem(project, "run", "src/main.c", "--offload", "scale", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sources_folders_and_macros_by_options(project: Path) -> None:
    result = offloaded(project, "--source", "src/scale.c", "-Iinc", "-D", "BIAS=5")
    assert (result["calls"], result["baseline_flags"]) == (1, "-O3")


def test_flags_in_one_text_and_the_projects_own_optimisation(project: Path) -> None:
    result = offloaded(project, "--source=src/scale.c", "--cflags", "-I inc -DBIAS=5 -O1 -O2")
    assert result["baseline_flags"] == "-O2"
    assert "C at -O2" in result["baselines_s"]


@pytest.mark.parametrize("name", ["build", "build/compile_commands.json"])
def test_flags_of_each_file_from_compile_commands(project: Path, name: str) -> None:
    database(project, "-Os")
    assert offloaded(project, "--compile-commands", name)["baseline_flags"] == "-Os"


def test_build_and_verify_take_the_same_options(project: Path) -> None:
    options = ["-I", "inc", "-DBIAS=5"]
    built = tandem(project, "build", "src/scale.c", "--top", "scale", *options)
    assert built.returncode == 0, built.stderr
    options += ["--source", "src/scale.c"]
    checked = tandem(project, "verify", "src/main.c", "--offload", "scale", *options)
    assert checked.returncode == 0, checked.stderr


def test_libraries_are_linked(project: Path) -> None:
    options = ["--source", "src/scale.c", "-I", "inc", "-DBIAS=5", "-L", "lib", "-lhalf"]
    (project / "lib").mkdir()
    half = project / "half.c"
    half.write_text("int half(int x) { return x / 2; }")
    library = project / "lib" / "libhalf.so"
    subprocess.run(["cc", "-shared", "-fPIC", half, "-o", library], check=True)
    main = project / "src" / "main.c"
    main.write_text(
        MAIN.replace("int main", "int half(int);\nint main").replace(
            "return b", "if (half(8) != 4) abort(); return b"
        )
    )
    done = subprocess.run(
        [TANDEM, "run", "src/main.c", "--offload", "scale", *options],
        cwd=project,
        capture_output=True,
        text=True,
        env=dict(os.environ, LD_LIBRARY_PATH=str(project / "lib")),
    )
    assert done.returncode == 0, done.stderr


def test_a_header_found_by_a_folder_brings_the_c_file_beside_it(project: Path) -> None:
    given = Given(flags=(f"-I{project / 'inc'}", "-DBIAS=5"))
    assert _names(project, given) == ["main.c"]  # inc/scale.h has no inc/scale.c
    (project / "src" / "scale.c").rename(project / "inc" / "scale.c")
    assert _names(project, given) == ["main.c", "scale.c"]


def _names(project: Path, given: Given) -> list[str]:
    return [path.name for path in find_program(project / "src" / "main.c", given).paths]


def test_a_c_file_that_another_includes_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("int part(int);\n")
    (tmp_path / "more.h").write_text('#include "part.h"\nint more(int);\n')
    (tmp_path / "part.c").write_text('#include "part.h"\nint part(int a) { return FACTOR * a; }\n')
    more = '#include "more.h"\n#define FACTOR 3\n#include "part.c"\n'
    (tmp_path / "more.c").write_text(more + "int more(int a) { return part(a); }\n")
    main = tmp_path / "main.c"
    main.write_text('#include "more.h"\nint main(void) { return more(part(2)); }\n')
    assert [path.name for path in find_program(main).paths] == ["main.c", "more.c"]


def test_a_part_that_is_no_c_by_itself_is_not_read_alone(tmp_path: Path) -> None:
    """As a template in C, which is included once for each type."""
    (tmp_path / "twice.h").write_text("int twice_int(int a);\n")
    (tmp_path / "twice.c").write_text(
        '#include "twice.h"\n#ifndef TYPE\n#error "of what type?"\n#endif\n'
        "#define OF_(type) twice_##type\n#define OF(type) OF_(type)\n"
        "TYPE OF(TYPE)(TYPE a) { return a + a; }\n"
    )
    main = tmp_path / "main.c"
    main.write_text(
        '#define TYPE int\n#include "twice.c"\nint main(void) { return twice_int(2); }\n'
    )
    assert [path.name for path in find_program(main).paths] == ["main.c"]


def test_threads_are_linked_too(project: Path) -> None:
    given = Given(flags=("-pthread", "-DBIAS=5", f"-I{project / 'inc'}"), link=("-lx",))
    assert find_program(project / "src" / "main.c", given).link == ("-lx", "-pthread")


def test_sources_given_turn_discovery_off(project: Path) -> None:
    (project / "src" / "scale.h").write_text(HEADER)
    main = project / "src" / "main.c"
    assert _names(project, Given(flags=("-DBIAS=5",))) == ["main.c", "scale.c"]
    assert _names(project, Given(sources=(main,), flags=("-DBIAS=5",))) == ["main.c"]


def test_a_main_file_without_an_entry_is_refused(project: Path) -> None:
    path = database(project)
    path.write_text(path.read_text().replace("main.c", "other.c"))
    with pytest.raises(UserError, match=r"no entry for .*main\.c"):
        find_program(project / "src" / "main.c", Given(compile_commands=path))


@pytest.mark.parametrize("text", ["", "{}", "[3]", '[{"file": "a.c"}]', "[" * 100_000, "\xff"])
def test_a_database_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UserError, match="compile_commands"):
        read_compile_commands(path)


def test_flags_without_outputs_and_with_paths_from_their_folder() -> None:
    words = ["-c", "-o", "x.o", "-MMD", "-MF", "d", "-Iinc", "-I", "/a", "-isystem", "s", "f.c"]
    found = own_flags([*words, "-DX=1", "-O2"], Path("/p"), Path("/p/f.c"))
    assert found == ["-I", "/p/inc", "-I", "/a", "-isystem", "/p/s", "-DX=1", "-O2"]


def test_make_rules_with_blanks_in_names() -> None:
    assert rule_files("rule: a\\ b.c c.h \\\n  d$$.h\n") == ["a b.c", "c.h", "d$.h"]
