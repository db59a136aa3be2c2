# SPDX-License-Identifier: Apache-2.0
"""What has been made of a loop of the C is told, and what the loops are for that are made beside
it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tandem import passes as tandem_passes
from tandem.compiler.compile import compile_kernel
from tandem.compiler.cores import with_cores
from tandem.compiler.goals import find_goal, first_shape
from tandem.describe.changes import TEXTS, changes_of
from tandem.describe.loops import loops_json
from tandem.frontend.program import Program
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.languages.imported import import_c
from tandem.passes.interleave import TURNS
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.shape import Shape
from tandem.schedule.delays import Target
from tandem.schedule.scheduler import schedule_kernel
from trial import good, source, tandem

CLOCK_PS = 10_000
SWEEP = """void f(double a[40][40]) {
    for (int i = 1; i < 39; i++)
        for (int j = 1; j < 39; j++)
            a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j]
                + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}"""
CROSS = """void f(const float a[40][40], float b[40][40]) {
    for (int i = 1; i < 39; i++)
        for (int j = 1; j < 39; j++)
            b[i][j] = a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j];
}"""
SPACE = """void f(const int a[6][8][40], int b[6][8][40]) {
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++)
                b[z][y][x] = a[z - 1][y][x] + a[z + 1][y][x] + a[z][y][x];
}"""
SOLVED = """void f(const double l[40][40], double x[40]) {
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] /= l[i][i];
    }
}"""
PATHS = """void f(int p[24][24]) {
    for (int k = 0; k < 24; k++)
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                if (p[i][k] + p[k][j] < p[i][j]) p[i][j] = p[i][k] + p[k][j];
}"""
SUMS = """void f(const double a[40][40], const double x[40], double y[40]) {
    for (int i = 0; i < 40; i++) {
        double sum = 0;
        for (int j = 0; j < 40; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}"""
TWO = """void f(const double a[40][40], double c[40][40]) {
    for (int i = 0; i < 31; i++) {
        for (int j = 1; j < 40; j++)
            c[j][i] = a[j][i] / (2 + c[j - 1][i]);
        for (int j = 38; j >= 0; j--)
            c[j][i] = c[j][i] * c[j + 1][i] + a[j][i];
    }
}"""
MIXED = """void f(const double a[40][38], double s[38], double q[40], const double p[38]) {
    for (int i = 0; i < 40; i++) {
        double sum = 0;
        for (int j = 0; j < 38; j++) {
            s[j] += a[i][j];
            sum += a[i][j] * p[j];
        }
        q[i] = sum;
    }
}"""
COUNTS = """void f(unsigned counts[256], const unsigned char *keys, int n) {
    for (int i = 0; i < n; i++)
        counts[keys[i]] += i;
}"""
SHARES = """void f(unsigned out[64], const unsigned in[64], unsigned x) {
    for (unsigned i = 0; i < 64; i++)
        out[i] = in[i] / (x + i);
}"""


def shaped(text: str, target: Target, folder: Path, **wanted: int) -> list[dict[str, Any]]:
    """The loops of a function of which passes make what is `wanted`: of the loop of a line, or of
    `forwarded` and `interleaved` ones by so many."""
    file = folder / "f.c"
    file.write_text(text)
    kernel = import_c(Program.of(file), "f").kernel
    loops = {loop.line: loop for loop in kernel.loops}
    shape: Shape = first_shape(find_goal("balanced"))
    for what, line in wanted.items():
        loop = loops[line % 100]
        said = {(loop, line // 100)} if line > 100 else {loop}
        shape = replace(shape, **{what: getattr(shape, what) | said})
    run_pipeline(kernel, Options(shape=shape))
    assert print_kernel(parse(print_kernel(kernel))) == print_kernel(kernel)
    family = with_cores(target, CLOCK_PS, kernel.macros)
    return loops_json(schedule_kernel(kernel, family, CLOCK_PS))


@pytest.mark.parametrize(
    ("text", "wanted", "line", "told"),
    [
        (
            SWEEP,
            {"skewed": 3},
            3,
            "it runs along the diagonals of its nest with the loop at line 2",
        ),
        (SWEEP, {"skewed": 3, "reread": 3}, 3, "it reads again what earlier iterations have read"),
        (
            CROSS,
            {"keeping_rows": 3},
            3,
            "what later rows read again is kept, in 2 memories of 2,432",
        ),
        (SPACE, {"keeping_planes": 4}, 4, "what later planes read again is kept, in 2 memories of"),
        (
            SOLVED,
            {"interchanged": 3},
            3,
            "it has changed places with the loop at line 2: terms are",
        ),
        (PATHS, {"keeping_pivots": 4}, 4, "is read once before the loop at line 3, and kept, in a"),
        (PATHS, {}, 4, "what one iteration writes and all read of `p` is read before it, and once"),
        (SUMS, {"interleaved": 1004}, 2, "10 iterations of its outer loop take turns in the inner"),
        (SUMS, {"flattened": 4}, 2, "the loop at line 4 and the loop at line 2 have become one"),
        (
            TWO,
            {"split": 2},
            2,
            "it has become two loops, the second of which begins when the first",
        ),
        (MIXED, {"parted": 4, "split": 2}, 4, "its sums have got a loop of their own behind it"),
        (COUNTS, {"forwarded": 302}, 2, "what its last 3 iterations have stored is taken from reg"),
        (SHARES, {"divided": 2}, 2, "its divisions take a cycle a bit, in one divider"),
    ],
)
def test_what_a_pass_has_done_stands_with_its_loop(
    text: str, wanted: dict[str, int], line: int, told: str, target: Target, tmp_path: Path
) -> None:
    rows = shaped(text, target, tmp_path, **wanted)
    found = [row for row in rows if any(told in change for change in row["changes"])]
    print([(row["line"], row["part"], row["changes"]) for row in rows])
    assert [row["line"] for row in found] == [line] and not found[0]["part"]


def test_nothing_is_told_where_nothing_was_done(target: Target, tmp_path: Path) -> None:
    assert all(not row["changes"] and not row["part"] for row in shaped(SUMS, target, tmp_path))


@pytest.mark.parametrize(
    ("text", "wanted", "part"),
    [
        (CROSS, {"keeping_rows": 3}, "fills kept rows"),
        (SPACE, {"keeping_planes": 4}, "fills kept planes"),
        (PATHS, {"keeping_pivots": 4}, "reads the kept row"),
        (PATHS, {}, "begins it again"),
        (SOLVED, {"interchanged": 3}, "begins sums"),
        (TWO, {"split": 2}, "second part"),
        (MIXED, {"parted": 4, "split": 2}, "second part"),
    ],
)
def test_loops_that_passes_make_say_what_for(
    text: str, wanted: dict[str, int], part: str, target: Target, tmp_path: Path
) -> None:
    rows = shaped(text, target, tmp_path, **wanted)
    made = [row for row in rows if row["part"] == part]
    assert made and all(row["line"] in (2, 3, 4) for row in made)
    if part in ("fills kept rows", "fills kept planes", "reads the kept row", "begins it again"):
        assert all(not row["limit"] for row in made)


def test_a_build_and_a_run_tell_the_same(tmp_path: Path) -> None:
    source(tmp_path)
    body = SUMS.replace("void f(", "void rows(")
    (tmp_path / "app.c").write_text(
        f"{body}\nstatic double a[40][40], x[40], y[40];\nint main(void) {{ rows(a, x, y); }}\n"
    )
    turns = "take turns in the inner one"
    built = tandem("build", "app.c", "--top", "rows", cwd=tmp_path)
    good(built)
    assert "loop at line 2:" in built.stdout and turns in built.stdout
    ran = tandem("run", "app.c", "--offload", "rows", "--platform", "src-6e", cwd=tmp_path)
    good(ran)
    assert turns in ran.stdout
    ran = tandem(
        "run", "app.c", "--offload", "rows", "--platform", "src-6e", "--json", cwd=tmp_path
    )
    (row,) = json.loads(ran.stdout)["kernels"][0]["loops"]
    assert turns in row["changes"][0] and row["part"] == ""


def test_sums_that_have_come_back_are_not_told(target: Target, tmp_path: Path) -> None:
    """`fuse-loops` makes one loop again of what was parted for nothing."""
    assert not any(row["changes"] for row in shaped(MIXED, target, tmp_path, parted=4))


def test_every_pass_that_tells_has_its_words() -> None:
    folder = Path(tandem_passes.__file__).parent
    telling = [f for f in folder.glob("*.py") if "Deed(SLUG" in f.read_text()]
    assert {f.stem.replace("_", "-") for f in telling} | {TURNS} == set(TEXTS)


def test_memories_that_are_no_more_are_not_counted(target: Target, tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(SOLVED)
    kernel = compile_kernel(Program.of(file), "f", target, CLOCK_PS).schedule.kernel
    kernel.deeds = [replace(deed, memories=("gone",)) for deed in kernel.deeds]
    (texts,) = changes_of(kernel, {deed.loop for deed in kernel.deeds}).values()
    assert "in turn (" in texts[0] and "bits" not in texts[0]
