# SPDX-License-Identifier: Apache-2.0
"""A border that is made beside the rest costs the rest nothing, however it is spelled."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.ir.clone import clone
from tandem.ir.verifier import verify
from tandem.passes import split_borders, trim_loops
from tandem.schedule.delays import Target
from test_trim_loops import compute_the_same, imported, random_nest

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
ROWS, COLUMNS = 24, 40
MOST_CYCLES = 1.7
"""Of a pixel. With the tests there are nine: as many as a pixel reads."""

HEAD = f"""#include <stdint.h>
void top(const uint8_t in[{ROWS}][{COLUMNS}], uint8_t out[{ROWS}][{COLUMNS}])"""
LOOPS = f"for (int y = 0; y < {ROWS}; y++) for (int x = 0; x < {COLUMNS}; x++)"
SUM = """in[y-1][x-1] + in[y-1][x] + in[y-1][x+1] + in[y][x-1] + in[y][x] + in[y][x+1]
    + in[y+1][x-1] + in[y+1][x] + in[y+1][x+1]"""
AROUND = f"x == 0 || y == 0 || x == {COLUMNS} - 1 || y == {ROWS} - 1"
INSIDE = f"x > 0 && y > 0 && x < {COLUMNS} - 1 && y < {ROWS} - 1"
EDGE = "static int is_edge(int at, int most) { return at < 1 || at >= most - 1; }\n"
SPELLINGS = {
    "else": f"{LOOPS} if ({AROUND}) out[y][x] = in[y][x]; else out[y][x] = ({SUM}) / 9;",
    "continue": f"""{LOOPS} {{ if ({AROUND}) {{ out[y][x] = in[y][x]; continue; }}
        out[y][x] = ({SUM}) / 9; }}""",
    "inside": f"{LOOPS} if ({INSIDE}) out[y][x] = ({SUM}) / 9; else out[y][x] = in[y][x];",
    "rows_first": f"""for (int y = 0; y < {ROWS}; y++) {{
        if (y == 0 || y == {ROWS} - 1) {{
            for (int x = 0; x < {COLUMNS}; x++) out[y][x] = in[y][x];
            continue; }}
        for (int x = 0; x < {COLUMNS}; x++)
            if (x && x != {COLUMNS} - 1) out[y][x] = ({SUM}) / 9; else out[y][x] = in[y][x]; }}""",
    "unsigned": f"""for (unsigned y = 0; y < {ROWS}; ++y) for (unsigned x = 0; x < {COLUMNS}; ++x)
        out[y][x] = y - 1 < {ROWS} - 2 && x - 1 < {COLUMNS} - 2 ? ({SUM}) / 9 : in[y][x];""",
    "down": f"""for (int y = {ROWS}; y--;) for (int x = {COLUMNS}; x--;)
        if ({AROUND}) out[y][x] = in[y][x]; else out[y][x] = ({SUM}) / 9;""",
    "do_while": f"""unsigned long y = 0; do {{ unsigned long x = 0; do {{
        if ({AROUND}) out[y][x] = in[y][x]; else out[y][x] = ({SUM}) / 9;
        }} while (++x < {COLUMNS}); }} while (++y < {ROWS});""",
    "helper": f"""{LOOPS} if (is_edge(x, {COLUMNS}) || is_edge(y, {ROWS})) out[y][x] = in[y][x];
        else out[y][x] = ({SUM}) / 9;""",
    "flag": f"""{LOOPS} {{ int edge = 0; if (x == 0) edge = 1; if (y == 0) edge = 1;
        if (x == {COLUMNS} - 1) edge = 1; if (y == {ROWS} - 1) edge = 1;
        if (edge) out[y][x] = in[y][x]; else out[y][x] = ({SUM}) / 9; }}""",
    "loops": f"""{LOOPS} {{ if ({AROUND}) {{ out[y][x] = in[y][x]; continue; }}
        int sum = 0;
        for (int v = -1; v <= 1; v++) for (int h = -1; h <= 1; h++) sum += in[y + v][x + h];
        out[y][x] = sum / 9; }}""",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_border_beside_the_rest(spelling: str, tmp_path: Path, target: Target) -> None:
    made = build_text(f"{EDGE}{HEAD} {{ {SPELLINGS[spelling]} }}", target, CLOCK_PS, tmp_path)
    pixels = ROWS * COLUMNS
    values = {"in": Random(spelling).randbytes(pixels), "out": bytes(pixels)}
    assert check(made, values).cycles <= MOST_CYCLES * pixels


AROUND_ONE = "for (int v = -1; v <= 1; v++) for (int h = -1; h <= 1; h++)"
OUTSIDE = {
    "checked": f"""{AROUND_ONE} {{ int b = y + v, a = x + h;
        if (b >= 0 && b < {ROWS} && a >= 0 && a < {COLUMNS}) sum += in[b][a]; }}""",
    "passed_over": f"""{AROUND_ONE} {{
        if (y + v < 0 || y + v == {ROWS} || x + h < 0 || x + h == {COLUMNS}) continue;
        sum += in[y + v][x + h]; }}""",
    "unsigned": f"""{AROUND_ONE} if ((unsigned)(y + v) < {ROWS}u && (unsigned)(x + h) < {COLUMNS}u)
        sum += in[y + v][x + h];""",
    "clamped": f"{AROUND_ONE} sum += in[within(y + v, {ROWS})][within(x + h, {COLUMNS})];",
    "mirrored": f"""{AROUND_ONE} {{ int b = y + v, a = x + h;
        b = b < 0 ? -b : b; b = b >= {ROWS} ? 2 * {ROWS} - 2 - b : b;
        a = a < 0 ? -a : a; a = a >= {COLUMNS} ? 2 * {COLUMNS} - 2 - a : a; sum += in[b][a]; }}""",
    "bounds": f"""int top = y ? y - 1 : 0, low = y < {ROWS} - 1 ? y + 1 : y, left = x ? x - 1 : 0,
        right = x < {COLUMNS} - 1 ? x + 1 : x;
        sum = in[top][left] + in[top][x] + in[top][right] + in[y][left] + in[y][right]
            + in[low][left] + in[low][x] + in[low][right];""",
}
WITHIN = "static int within(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }\n"
MOST_CYCLES_OUTSIDE = 2.2
"""The rows of the border are walked through apart, two cycles a pixel."""


@pytest.mark.parametrize("spelling", OUTSIDE)
def test_neighbours_that_are_not_there(spelling: str, tmp_path: Path, target: Target) -> None:
    body = f"{LOOPS} {{ int sum = 0; {OUTSIDE[spelling]} out[y][x] = sum / 9; }}"
    made = build_text(f"{WITHIN}{HEAD} {{ {body} }}", target, CLOCK_PS, tmp_path)
    pixels = ROWS * COLUMNS
    values = {"in": Random(spelling).randbytes(pixels), "out": bytes(pixels)}
    assert check(made, values).cycles <= MOST_CYCLES_OUTSIDE * pixels
    assert made.finished.argument("out").direction == "out"  # in parts, but all of it
    extent = made.finished.argument("in").extent.claim
    assert extent is not None and extent.evaluate({}) == pixels


TAPS = {
    "tested": "for (int k = 0; k < 8; k++) if (n - k >= 0) sum += h[k] * x[n - k];",
    "as_far_as": "for (int k = 0; k <= (n < 7 ? n : 7); k++) sum += h[k] * x[n - k];",
    "left": "for (int k = 0; k < 8; k++) { if (k > n) break; sum += h[k] * x[n - k]; }",
    "counted": """int most = n < 8 ? n + 1 : 8;
        for (int k = 0; k < most; k++) sum += h[k] * x[n - k];""",
    "continued": "for (int k = 0; k < 8; k++) { if (n - k < 0) continue; sum += h[k] * x[n - k]; }",
}
MOST_CYCLES_A_SAMPLE = 1.6
SLOWER = {("counted", "samples"): 2.1}


@pytest.mark.parametrize("samples", ["256", "samples"])
@pytest.mark.parametrize("spelling", TAPS)
def test_taps_before_the_first_sample(
    spelling: str, samples: str, tmp_path: Path, target: Target
) -> None:
    """Also where it is not known how many samples there are."""
    head = "void top(const short x[256], const short h[8], int y[256], int samples)"
    loop = f"for (int n = 0; n < {samples}; n++) {{ int sum = 0; {TAPS[spelling]} y[n] = sum; }}"
    made = build_text(f"{head} {{ {loop} }}", target, CLOCK_PS, tmp_path)
    random = Random(spelling)
    arrays = {"x": random.randbytes(512), "h": random.randbytes(16), "y": bytes(1024)}
    values = {**arrays, "samples": 256}
    assert check(made, values).cycles <= SLOWER.get((spelling, samples), MOST_CYCLES_A_SAMPLE) * 256


def test_what_would_take_long_is_not_asked(tmp_path: Path) -> None:
    for columns, found in ((400, 1), (4000, 0)):
        tests = " ".join(
            f"if (x > {a} && x < {columns - b}) sum += in[x - {a} + {b} * 3];"
            for a in range(4)
            for b in range(1, 5)
        )
        body = f"for (int x = 0; x < {columns}; x++) {{ int sum = 0; {tests} out[x] = sum; }}"
        kernel = imported(f"void top(const int *in, int *out) {{ {body} }}", tmp_path)
        split_borders.run(kernel)
        assert len(kernel.borders) == found


@pytest.mark.parametrize("seed", range(40))
def test_random_nests(seed: int, tmp_path: Path) -> None:
    kernel = imported(random_nest(Random(seed)), tmp_path)
    trim_loops.run(kernel)
    before = clone(kernel)
    split_borders.run(kernel)
    split_borders.run(kernel, set(kernel.borders))
    verify(kernel, split_borders.SLUG)
    compute_the_same(kernel, before, Random(seed))


def test_many_random_nests_are_split(tmp_path: Path) -> None:
    kernels = [imported(random_nest(Random(seed)), tmp_path) for seed in range(40)]
    for kernel in kernels:
        split_borders.run(kernel)
    assert sum(bool(kernel.borders) for kernel in kernels) > 5
