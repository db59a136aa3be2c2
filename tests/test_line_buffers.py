# SPDX-License-Identifier: Apache-2.0
"""line-buffers: nests give the same values, in the cycles that the schedule says, and read just the
elements that the C reads, however long their rows are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from agreement import Values, build, check
from seeds import seeds
from tandem import policy
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.languages.imported import import_c
from tandem.passes import line_buffers
from tandem.passes.pipelines import DEFAULT, Options, run_pipeline
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
STANDARDS = Path(__file__).parent / "programs" / "standards"
LONGEST = 8
"""Columns that are kept here: short rows are then long ones."""

HEAD = "#include <stdint.h>\nvoid f(const uint8_t *in, uint8_t *out, int w, int h) {\n"
SUM = (
    HEAD
    + """
    for (int y = 1; y < h - 1; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x - w] + 2 * in[y * w + x] + 3 * in[y * w + x + w]; }"""
)
WINDOW = (
    HEAD
    + """
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int sum = 0;
            for (int j = -1; j < 2; j++)
                for (int i = -1; i < 2; i++)
                    sum += (2 * j + i + 4) * in[(y + j) * w + x + i];
            out[y * w + x] = sum; } }"""
)
CROSS = (
    HEAD
    + """
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            out[y * w + x] = in[(y - 1) * w + x] + 3 * in[y * w + x - 1] + 5 * in[y * w + x]
                + 7 * in[y * w + x + 1] + 9 * in[(y + 1) * w + x]; }"""
)
AHEAD = (
    HEAD
    + """
    for (int y = 1; y < h - 1; y++)
        for (int x = 0; x < w - 1; x++)
            out[y * w + x] = in[y * w + x + 1] + 3 * in[(y + 1) * w + x]; }"""
)
GAP = (
    HEAD
    + """
    for (int y = 1; y < h - 1; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[(y + 1) * w + x] - in[(y - 1) * w + x]; }"""
)
GAPS = (
    HEAD
    + """
    for (int y = 3; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + 3 * in[(y - 1) * w + x] + 5 * in[(y - 3) * w + x]; }"""
)
EVERY_OTHER = (
    HEAD
    + """
    for (int y = 0; y < h - 2; y += 2)
        for (int x = 0; x < w / 2; x++)
            out[y * w + x] = in[y * w + 2 * x] + 3 * in[y * w + 2 * x + 1]
                + 5 * in[(y + 1) * w + 2 * x]
                + 7 * in[(y + 2) * w + 2 * x] + 9 * in[(y + 2) * w + 2 * x + 1]; }"""
)
SOME_ROWS = (
    HEAD
    + """
    for (int y = 1; y < h; y++) {
        if (out[y * w] & 1)
            continue;
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + 3 * in[(y - 1) * w + x]; } }"""
)
TWICE = (
    HEAD
    + """
    for (int turn = 0; turn < 3; turn++)
        for (int y = 1; y < h; y++)
            for (int x = 0; x < w; x++)
                out[y * w + x] = turn * in[y * w + x] + 3 * in[(y - 1) * w + x]; }"""
)
TWO_NESTS = (
    HEAD
    + """
    for (int y = 1; y < h; y++) {
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + 3 * in[(y - 1) * w + x];
        for (int x = 1; x < w; x++)
            out[y * w + x] ^= in[y * w + x] - in[(y - 1) * w + x - 1] - in[(y - 1) * w + x]; } }"""
)
CONSTANT = """#include <stdint.h>
void f(const uint8_t *in, uint8_t *out) {
    for (int y = 1; y < 12; y++)
#pragma tandem unroll off
        for (int x = 1; x < 20; x++)
            out[21 * y + x] = in[21 * y + x + 1] + 3 * in[21 * (y - 1) + x + 1]; }"""
LAST = """#include <stdint.h>
unsigned f(const uint8_t *in, int w, int h) {
    unsigned last = 0;
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++)
            last = last * 3 + in[y * w + x] - in[(y - 1) * w + x];
    return last; }"""
SHORT = """#include <stdint.h>
void f(const uint8_t in[12][9], uint8_t out[12][9], int h) {
    for (int y = 1; y < h; y++)
#pragma tandem unroll off
        for (int x = 0; x < 9; x++)
            out[y][x] = in[y][x] + 3 * in[y - 1][x]; }"""
LONG = """#include <stdint.h>
void f(const uint8_t in[12][21], uint8_t out[12][21], int h) {
    for (int y = 1; y < h; y++)
#pragma tandem unroll off
        for (int x = 0; x < 21; x++)
            out[y][x] = in[y][x] + 3 * in[y - 1][x]; }"""
WORDS = """#include <stdint.h>
void f(const int32_t *in, int32_t *out, uint8_t w, uint8_t h) {
    for (unsigned y = 2; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + in[(y - 1) * w + x] - in[(y - 2) * w + x]; }"""
INSIDE = """#include <stdint.h>
void f(const uint8_t *in, uint8_t *out, int h) {
    uint8_t a[12][21];
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 21; x++)
            a[y][x] = in[21 * y + x];
    for (int y = 0; y < 10; y++)
#pragma tandem unroll off
        for (int x = 0; x < 20; x++)
            out[21 * y + x] = a[y][x] + 3 * a[y + 1][x] - h * a[y + 2][x]; }"""

KEPT = {
    "cross": CROSS,
    "ahead": AHEAD,
    "sum": SUM,
    "window": WINDOW,
    "gap": GAP,
    "gaps": GAPS,
    "every other": EVERY_OTHER,
    "some rows": SOME_ROWS,
    "twice": TWICE,
    "two nests": TWO_NESTS,
    "last": LAST,
    "short": SHORT,
    "long": LONG,
    "words": WORDS,
    "inside": INSIDE,
    "constant": CONSTANT,
}

TRIANGLE = (
    HEAD
    + """
    for (int y = 1; y < h; y++)
        for (int x = 0; x < y; x++)
            out[y * w + x] = in[y * w + x] + 3 * in[(y - 1) * w + x]; }"""
)
WRITTEN = """#include <stdint.h>
void f(uint8_t *in, int w, int h) {
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++)
            in[y * w + x] += 3 * in[(y - 1) * w + x]; }"""
ENABLED = (
    HEAD
    + """
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++)
            if (out[y * w + x])
                out[y * w + x] = in[y * w + x] + 3 * in[(y - 1) * w + x]; }"""
)
OTHER_COLUMNS = (
    HEAD
    + """
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + 3 * in[(y - 1) * w + 2 * x]; }"""
)
WRAPPING_ROWS = """#include <stdint.h>
void f(const uint8_t *in, uint8_t *out, unsigned w, unsigned h) {
    for (unsigned y = 1; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            out[y * w + x] = in[(uint8_t)y * w + x] + 3 * in[(uint8_t)(y - 1) * w + x]; }"""
REFUSED = {
    "rows of different lengths": TRIANGLE,
    "an array that is written": WRITTEN,
    "loads that not every iteration makes": ENABLED,
    "other columns": OTHER_COLUMNS,
    "rows that may wrap": WRAPPING_ROWS,
}


@dataclass(frozen=True)
class Shape:
    w: int
    h: int


SHAPES = [
    *(Shape(w, 5) for w in (1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 18, 26)),
    *(Shape(6, h) for h in (0, 1, 2, 3, 4, 9)),
    *(Shape(11, h) for h in (2, 3, 4, 9)),
]
ELEMENTS = 26 * 26
RANDOM_NESTS = seeds(40)


def values_of(code: str, shape: Shape, random: Random) -> Values:
    size = 4 if code is WORDS else 1
    values: dict[str, int | bytes] = {"in": random.randbytes(size * ELEMENTS)}
    if " h)" in code:
        values["h"] = shape.h
    if "*out" in code or "out[12]" in code:
        values["out"] = random.randbytes(size * ELEMENTS)
    if " w," in code:
        values["w"] = shape.w
    if code is LAST:
        values["result"] = 0
    return values


@pytest.fixture(params=KEPT.values(), ids=list(KEPT))
def code(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def _keeping_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are kept wherever they can be, and few columns of them."""
    monkeypatch.setattr(policy, "ROW_COLUMNS", LONGEST)
    monkeypatch.setattr(line_buffers, "_is_asked_for", lambda _: True)


def _written(folder: Path, code: str) -> Path:
    source = folder / "f.c"
    source.write_text(code + "\n")
    return source


def _rows_of(kernel: Kernel) -> list[str]:
    return [name for name in kernel.memories if "_row" in name]


@pytest.mark.usefixtures("_keeping_all")
def test_values_and_cycles_agree(code: str, target: Target, tmp_path: Path) -> None:
    built = build(_written(tmp_path, code), "f", target, CLOCK_PS, tmp_path, slower_clock=True)
    assert _rows_of(built.finished)
    random = Random(1)
    for shape in SHAPES:
        check(built, values_of(code, shape, random))


class Watched(bytearray):
    """A buffer that remembers what is read of it."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.seen: set[tuple[int, int]] = set()

    def __getitem__(self, key: slice) -> bytearray:  # type: ignore[override]
        self.seen.add((key.start, key.stop))
        return super().__getitem__(key)


@pytest.mark.usefixtures("_keeping_all")
def test_just_those_elements_are_read_that_the_c_reads(code: str, tmp_path: Path) -> None:
    assert _reads_the_same(code, tmp_path, SHAPES, Random(2))


def _reads_the_same(code: str, folder: Path, shapes: list[Shape], random: Random) -> bool:
    """Whether any rows were kept. Values, and what is read, must be the same with and without."""
    program = Program.of(_written(folder, code))
    before, after = (import_c(program, "f").kernel for _ in range(2))
    run_pipeline(before, Options(), [step for step in DEFAULT if step[0] != line_buffers.SLUG])
    run_pipeline(after, Options())
    for shape in shapes:
        values = values_of(code, shape, random)
        found = [_outcome(kernel, values) for kernel in (before, after)]
        assert found[0] == found[1], (shape, code)
    return bool(_rows_of(after))


def _outcome(
    kernel: Kernel, values: Values
) -> tuple[int | None, dict[str, bytes], set[tuple[int, int]]]:
    """The result, what is in the arrays, and what was read of `in`."""
    data = {n: Watched(v) if isinstance(v, bytes) else v for n, v in values.items()}
    result = interpret(kernel, data)
    array = data["in"]
    assert isinstance(array, Watched)
    arrays = {n: bytes(v) for n, v in data.items() if isinstance(v, Watched)}
    return result, arrays, array.seen


def _random_nest(random: Random) -> str:
    """A nest whose loads are in a few rows and columns, mostly around one another."""
    down, right = random.choice((1, 1, 1, 2, 3)), random.choice((1, 1, 1, 2))
    width = random.choice(("w", "w", "w", "21", "(w + 3)"))
    rows = random.choice((f"y < h - {random.randrange(4)}", f"y < {random.randrange(1, 10)}"))
    columns = random.choice(("w", "w - 1", "w - 2", "(w + 1) / 2", "19", "y", "(h & 7)"))
    loads = [
        f"{random.randrange(1, 9)} * in[(y + {random.randrange(4)}) * {width}"
        f" + {right} * x + {random.randrange(3)}]"
        for _ in range(random.randrange(2, 6))
    ]
    skip = random.choice(("", "", "if (in[300 + (y & 7)] & 1) continue;", "if (y == h - 3) break;"))
    enable = random.choice(("", "", "", "if (x & 1) "))
    return f"""{HEAD}
    for (int y = {random.randrange(3)}; {rows}; y += {down}) {{
        {skip}
#pragma tandem unroll off
        for (int x = {random.randrange(3)}; x < {columns}; x++)
            {enable}out[(y * w + x) % 338u] += {" + ".join(loads)}; }} }}"""


@pytest.mark.usefixtures("_keeping_all")
def test_random_nests_are_the_same(tmp_path: Path) -> None:
    kept = 0
    for seed in RANDOM_NESTS:
        random = Random(seed)
        shapes = [Shape(random.randrange(20), random.randrange(9)) for _ in range(6)]
        kept += _reads_the_same(_random_nest(random), tmp_path, shapes, random)
    assert kept > len(RANDOM_NESTS) / 10


@pytest.mark.usefixtures("_keeping_all")
@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_read_again_is_not_kept(code: str, tmp_path: Path) -> None:
    kernel = import_c(Program.of(_written(tmp_path, code)), "f").kernel
    run_pipeline(kernel, Options())
    assert not kernel.rows
    assert not _rows_of(kernel)


@pytest.mark.parametrize("name", ["sobel", "median3x3"])
def test_a_filter_takes_a_pixel_a_cycle(name: str, target: Target) -> None:
    program = Program.of(STANDARDS / f"{name}.c")
    compiled = compile_kernel(program, name, target, CLOCK_PS, slower_clock=True)
    assert _ii_of_most_operations(compiled.schedule) == 1


def test_a_directive_has_what_it_asks_for(target: Target, tmp_path: Path) -> None:
    asked = SUM.replace("        for (int x", "#pragma tandem pipeline ii(1)\n        for (int x")
    compiled = compile_kernel(Program.of(_written(tmp_path, asked)), "f", target, CLOCK_PS)
    assert _ii_of_most_operations(compiled.schedule) == 1


def _ii_of_most_operations(schedule: KernelSchedule) -> int:
    return max(schedule.blocks.values(), key=lambda found: len(found.block.ops)).ii


@pytest.mark.parametrize("columns", [-1, 0, 1, 2])
def test_rows_as_long_as_the_memories(columns: int, target: Target, tmp_path: Path) -> None:
    """And a column less or more: longer ones are slower, and right."""
    built = build(_written(tmp_path, WINDOW), "f", target, CLOCK_PS, tmp_path, slower_clock=True)
    assert len(_rows_of(built.finished)) == 2
    w, h = policy.ROW_COLUMNS + 2 + columns, 4
    random = Random(columns)
    values = {"in": random.randbytes(w * h), "out": random.randbytes(w * h), "w": w, "h": h}
    cycles = check(built, values).cycles
    pixels = w * (h - 2)
    assert (cycles < 2.2 * pixels) == (columns <= 0)
