# SPDX-License-Identifier: Apache-2.0
"""Which loop of the C one is: what is chosen for a loop is its own, whatever else stands in its
line, comes out of its macro, or is another copy of its function."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from tandem.compiler.compile import compile_kernel
from tandem.describe.lines import line_json
from tandem.describe.loops import loops_json
from tandem.frontend.program import Program
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, Line, LoopId
from tandem.ir.loops import natural_loops
from tandem.languages.imported import import_c
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.shape import Shape
from tandem.report.loops import show_loops
from tandem.report.why import show_line
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

CLOCK_PS = 10_000
SHA1 = Path(__file__).parents[1] / "bench" / "kernels" / "sha1.c"
FIXED_BOX = Path(__file__).parent / "spellings" / "box" / "fixed.c"

TWO_TABLES = """#include <stdint.h>
void f(const uint8_t in[64], uint32_t out[64])
{
    uint32_t all[64] = {0}, few[16] = {0};
    for (int i = 0; i < 64; i++)
        all[in[i] & 63]++;
    for (int i = 0; i < 64; i++)
        few[in[i] & 15] += all[i] * 3;
    for (int i = 0; i < 64; i++)
        out[i] = all[i] + few[i & 15];
}
"""
TWO_TABLES_OF_A_MACRO = """#include <stdint.h>
#define EACH for (int i = 0; i < 64; i++)
#define ALL \\
    EACH all[in[i] & 63]++; \\
    EACH few[in[i] & 15] += all[i] * 3; \\
    EACH out[i] = all[i] + few[i & 15];
void f(const uint8_t in[64], uint32_t out[64])
{
    uint32_t all[64] = {0}, few[16] = {0};
    ALL
}
"""
TWO_SUMS = """#include <stdint.h>
void f(const double a[16][16], const double b[16], double out[32])
{
    for (int y = 0; y < 16; y++) {
        double s = 0;
        for (int i = 0; i < 16; i++)
            s += a[y][i] * b[i];
        out[y] = s;
    }
    for (int y = 0; y < 16; y++) {
        double s = 1;
        for (int i = 0; i < 16; i++)
            s = s * b[i] + a[i][y];
        out[16 + y] = s;
    }
}
"""
ROWS = """#include <stdint.h>
static void rows(const uint8_t *in, uint16_t *out, int w, int h)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int sum = 0;
            for (int v = -1; v <= 1; v++)
                for (int u = -1; u <= 1; u++)
                    sum += in[(y + v) * w + x + u];
            out[y * w + x] = sum;
        }
}
void f(const uint8_t *in, uint16_t *out, const uint8_t *other, uint16_t *out2)
{
    rows(in, out, 40, 12);
    rows(other, out2, 24, 20);
}
"""
APART = """#include <stdint.h>
static void shift(uint32_t *t, int by) { for (int i = 0; i < 8; i++) t[i] = t[i + by] * 5; }
void f(uint32_t t[64], int n)
{
    for (int i = 0; i < n; i++) {
        shift(t, 8);
        shift(t + 32, 16);
    }
}
"""


def in_one_line(text: str) -> str:
    """The same C with all behind its preprocessor lines in one line."""
    lines = [line.partition("/*")[0].strip() for line in text.splitlines()]
    directives = [line for line in lines if line.startswith("#")]
    return "\n".join([*directives, " ".join(line for line in lines if line[:1] != "#")]) + "\n"


def scheduled(folder: Path, text: str, target: Target, top: str = "f") -> KernelSchedule:
    path = folder / "f.c"
    path.write_text(text)
    return compile_kernel(Program.of(path), top, target, CLOCK_PS, slower_clock=True).schedule


def figures(schedule: KernelSchedule) -> list[tuple[int, int, int]]:
    return [(s.ii, s.length, len(s.block.ops)) for s in schedule.blocks.values()]


def imported_loops(kernel: Kernel) -> list[LoopId]:
    return sorted(header.loop for header in natural_loops(kernel))


@pytest.mark.parametrize(
    ("text", "top"),
    [(TWO_TABLES, "f"), (TWO_SUMS, "f"), (FIXED_BOX.read_text(), "box")],
    ids=["tables", "sums", "box"],
)
def test_lines_do_not_matter(text: str, top: str, tmp_path: Path, target: Target) -> None:
    wanted = scheduled(tmp_path, text, target, top)
    made = scheduled(tmp_path, in_one_line(text), target, top)
    assert figures(made) == figures(wanted)
    loops = {block.loop for block, s in made.blocks.items() if s.ii}
    assert len({loop.line for loop in loops}) == 1
    assert len(loops) == len({block.loop for block, s in wanted.blocks.items() if s.ii})


def test_loops_of_one_macro_are_several(tmp_path: Path, target: Target) -> None:
    made = scheduled(tmp_path, TWO_TABLES_OF_A_MACRO, target)
    assert figures(made) == figures(scheduled(tmp_path, TWO_TABLES, target))
    _, *loops = [block.loop for block, s in made.blocks.items() if s.ii]  # after that of `= {0}`
    assert [loop.ordinal for loop in loops] == [0, 1, -1]  # the last is the third's rows
    assert len({(loop.line, loop.column, loop.sites) for loop in loops}) == 1


def test_each_copy_of_a_function_has_loops_of_its_own(tmp_path: Path, target: Target) -> None:
    made = scheduled(tmp_path, ROWS, target)
    found = [(block.loop, s.ii) for block, s in made.blocks.items() if s.ii]
    assert {loop.line for loop, _ in found} == {5}
    assert {loop.sites for loop, _ in found} == {((15, 5),), ((16, 5),)}
    for site in ((15, 5), (16, 5)):
        assert min(ii for loop, ii in found if loop.sites == (site,)) == 1


def test_loops_are_the_same_whatever_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(APART)
    imported = import_c(Program.of(path), "f")
    whole, parted = (imported.again(frozenset(apart)).kernel for apart in ((), ("shift",)))
    assert imported_loops(whole) == [
        LoopId(2, 42, ((6, 9),)),
        LoopId(2, 42, ((7, 9),)),
        LoopId(5, 5),
    ]
    assert imported_loops(parted) == [LoopId(2, 42), LoopId(5, 5)]
    assert imported_loops(imported.again(frozenset()).kernel) == imported_loops(whole)


def test_passes_keep_the_loops(tmp_path: Path) -> None:
    """Every loop that is left is one of those that were there, or rows made of one."""
    path = tmp_path / "f.c"
    for text in (TWO_TABLES, TWO_TABLES_OF_A_MACRO, TWO_SUMS, ROWS, APART):
        path.write_text(text)
        kernel = import_c(Program.of(path), "f").kernel
        before = set(imported_loops(kernel))
        assert NO_LOOP not in before
        run_pipeline(kernel, Options())
        after = imported_loops(kernel)
        assert before.issuperset(loop for loop in after if loop.ordinal >= 0)
        places = {(loop.line, loop.column, loop.sites) for loop in before}
        assert places.issuperset((loop.line, loop.column, loop.sites) for loop in after)
        assert len(after) == len(set(after))


def test_columns_are_told_where_lines_do_not_tell(tmp_path: Path, target: Target) -> None:
    text = in_one_line(TWO_TABLES)
    schedule = scheduled(tmp_path, text, target)
    rows = loops_json(schedule)
    line = text.splitlines()[1]
    columns = [i + 1 for i in range(len(line)) if line.startswith("for ", i)]
    places = [(row["line"], row["column"]) for row in rows]
    assert places[1:] == [(2, column) for column in columns]  # the first one is that of `= {0}`
    told = StringIO()
    show_loops(rows, Console(file=told))
    show_line(line_json(schedule, 2), 2, Console(file=told, width=200))
    assert all(told.getvalue().count(f"line 2, column {column}") > 1 for column in columns)


def test_text_of_a_loop_reads_back() -> None:
    for loop in (
        LoopId(7),
        LoopId(7, 3),
        LoopId(7, 0, ((9, 2),)),
        LoopId(7, 3, ((9, 2), (12, 0)), 4),
        LoopId(7, ordinal=2),
        LoopId(7, ordinal=-1),
    ):
        assert LoopId.of(str(loop)) == loop
    for wrong in ("", "7:", "7@9", "7:3#", "x", "7:3@9:2:1"):
        with pytest.raises(ValueError, match="not a loop"):
            LoopId.of(wrong)


def test_what_is_said_of_a_loop_goes_with_its_copies() -> None:
    """Of a function that was apart, and has become part of its callers again."""
    apart, other = LoopId(7, 3, ((20, 1),)), LoopId(8, 3)
    copies = {LoopId(7, 3, ((20, 1), (30, 1))), LoopId(7, 3, ((20, 1), (31, 1), (40, 1)))}
    strangers = {LoopId(7, 3, ((21, 1), (30, 1))), LoopId(7, 5, ((20, 1), (30, 1))), LoopId(7, 3)}
    shape = Shape(rolled=frozenset({apart}), forwarded=frozenset({(apart, 2), (other, 3)}))
    made = shape.with_copies(copies | strangers | {apart, other})
    assert made.rolled == {apart} | copies
    assert made.forwarded == {(other, 3), *((loop, 2) for loop in {apart} | copies)}
    assert replace(made, rolled=shape.rolled, forwarded=shape.forwarded) == shape


def test_loops_have_one_order() -> None:
    """Lines of several files too, whose numbers are the same."""
    loops = [
        LoopId(7, 5),
        LoopId(Line(7, "a.h"), 2),
        LoopId(Line(7, "b.h"), 2),
        LoopId(8),
        LoopId(8, 1),
        LoopId(8, 1, ((3, 1),)),
        LoopId(8, 1, ((3, 1),), 1),
    ]
    assert sorted(set(loops)) == loops


def test_a_loop_with_continue_is_one() -> None:
    """LLVM makes two of it, one around the other: the line of the `continue` is no loop."""
    kernel = import_c(Program.of(SHA1), "sha1").kernel
    lines = [line.strip() for line in SHA1.read_text().splitlines()]
    found = {int(block.loop.line) for block in kernel.blocks}
    assert lines.index("while (n < 64 && pos < len)") + 1 in found
    assert lines.index("continue;") + 1 not in found
