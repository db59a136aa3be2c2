# SPDX-License-Identifier: Apache-2.0
"""Borders of pictures and signals whose size comes with the call cost nothing but themselves,
however they are spelled, and every size is right: of one pixel too."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.analysis.open_courses import REACH
from tandem.ir.clone import clone
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import ArgumentOp, Constant, Op, ULt, computed
from tandem.ir.verifier import verify
from tandem.passes import split_borders
from tandem.schedule.delays import Target
from test_trim_loops import imported

pytestmark = pytest.mark.usefixtures("models_as_written")
CLOCK_PS = 10_000
COLUMNS, ROWS = 64, 40
MOST_CYCLES = 2.3
"""Of a pixel. With the tests there are nine: as many as a pixel reads."""
SIZES = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (5, 4), (0, 3), (3, 0)]
SIZES += [(-1, 3), (COLUMNS, ROWS)]

HEAD = "#include <stdint.h>\nvoid top(const uint8_t *in, uint8_t *out, int w, int h)"
LOOPS = "for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)"
AROUND = "for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++)"
SUM = """in[(y-1)*w+x-1] + in[(y-1)*w+x] + in[(y-1)*w+x+1] + in[y*w+x-1] + in[y*w+x] + in[y*w+x+1]
    + in[(y+1)*w+x-1] + in[(y+1)*w+x] + in[(y+1)*w+x+1]"""
EDGE = "x == 0 || y == 0 || x == w - 1 || y == h - 1"
WITHIN = "static int within(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }\n"
SPELLINGS = {
    "copied": f"{LOOPS} if ({EDGE}) out[y*w+x] = in[y*w+x]; else out[y*w+x] = ({SUM}) / 9;",
    "inside": f"""{LOOPS} if (x > 0 && y > 0 && x + 1 < w && y + 1 < h) out[y*w+x] = ({SUM}) / 9;
        else out[y*w+x] = in[y*w+x];""",
    "continue": f"""{LOOPS} {{ if ({EDGE}) {{ out[y*w+x] = 0; continue; }}
        out[y*w+x] = ({SUM}) / 9; }}""",
    "clamped": f"""{LOOPS} {{ int sum = 0;
        {AROUND} sum += in[within(y + v, h) * w + within(x + u, w)];
        out[y*w+x] = sum / 9; }}""",
    "passed over": f"""{LOOPS} {{ int sum = 0;
        {AROUND} {{ int r = y + v, c = x + u; if (r < 0 || r >= h || c < 0 || c >= w) continue;
            sum += in[r * w + c]; }}
        out[y*w+x] = sum / 9; }}""",
    "counted": f"""{LOOPS} {{ int sum = 0, n = 0;
        {AROUND} {{ int r = y + v, c = x + u;
            if (r >= 0 && r < h && c >= 0 && c < w) {{ sum += in[r * w + c]; n++; }} }}
        out[y*w+x] = n == 9 ? sum / 9 : sum >> 3; }}""",
    "neighbours": f"""{LOOPS} {{
        int l = x > 0 ? x - 1 : x, r = x < w - 1 ? x + 1 : x;
        int a = y > 0 ? y - 1 : y, b = y < h - 1 ? y + 1 : y;
        out[y*w+x] = (in[a*w+l] + in[a*w+x] + in[a*w+r] + in[y*w+l] + in[y*w+x] + in[y*w+r]
            + in[b*w+l] + in[b*w+x] + in[b*w+r]) / 9; }}""",
    "unsigned": f"""for (unsigned y = 0; y < (unsigned)h; ++y)
        for (unsigned x = 0; x < (unsigned)w; ++x)
            out[y*w+x] = y - 1 < h - 2u && x - 1 < w - 2u && w > 2 && h > 2 ? ({SUM}) / 9
                : in[y*w+x];""",
    "long": f"""for (long y = 0; y != h; y++) for (long x = 0; x != w; x++)
        if ({EDGE}) out[y*w+x] = in[y*w+x]; else out[y*w+x] = ({SUM}) / 9;""",
    "row pointers": """for (int y = 0; y < h; y++) {
        const uint8_t *b = in + y * w, *a = y ? b - w : b, *c = y + 1 < h ? b + w : b;
        for (int x = 0; x < w; x++) {
            int l = x ? x - 1 : 0, r = x + 1 < w ? x + 1 : x;
            out[y*w+x] = (a[l] + a[x] + a[r] + b[l] + b[x] + b[r] + c[l] + c[x] + c[r]) / 9; } }""",
}
NEVER_NEGATIVE = {"unsigned", "long"}
"""Spellings that do not end where a side is negative."""


def run(built: Build, w: int, h: int) -> float:
    """Cycles a pixel of a call, in which every way to run the kernel agrees."""
    count = max(1, w * h)
    pixels = Random(f"{w} {h}").randbytes(count)
    values = {"in": pixels, "out": bytes(count), "w": w & 0xFFFF_FFFF, "h": h & 0xFFFF_FFFF}
    return check(built, values).cycles / count


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_picture_of_any_size(spelling: str, tmp_path: Path, target: Target) -> None:
    built = build_text(f"{WITHIN}{HEAD} {{ {SPELLINGS[spelling]} }}", target, CLOCK_PS, tmp_path)
    for w, h in SIZES:
        if min(w, h) >= 0 or spelling not in NEVER_NEGATIVE:
            cycles = run(built, w, h)
    assert cycles <= MOST_CYCLES


TAPS = {
    "zeros before": """for (int i = 0; i < n; i++) { int sum = 0;
        for (int k = 0; k < 4; k++) if (i - k >= 0) sum += (k + 3u) * in[i - k] >> k;
        out[i] = sum; }""",
    "clamped": """for (int i = 0; i < n; i++) { int sum = 0;
        for (int k = -2; k <= 2; k++) {
            int j = i + k; if (j < 0) j = 0; if (j >= n) j = n - 1; sum += (k + 3) * in[j]; }
        out[i] = sum; }""",
    "mirrored": """for (int i = 0; i < n; i++) {
        int a = i > 0 ? i - 1 : 1, b = i < n - 1 ? i + 1 : n - 2;
        out[i] = n < 2 ? 0 : in[a] + 2 * in[i] + in[b]; }""",
    "down": """for (int i = n - 1; i >= 0; i--)
        out[i] = in[i] + (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);""",
}


@pytest.mark.parametrize("spelling", TAPS)
def test_a_signal_of_any_length(spelling: str, tmp_path: Path, target: Target) -> None:
    text = f"void top(const int *in, int *out, int n) {{ {TAPS[spelling]} }}"
    built = build_text(text, target, CLOCK_PS, tmp_path)
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 200):
        samples = Random(n).randbytes(4 * n)
        cycles = check(built, {"in": samples, "out": bytes(4 * n), "n": n}).cycles
    assert cycles <= MOST_CYCLES * n


ANEW = {
    "difference": """for (unsigned i = 0; i < ((n - in[out[i & 7] & 7]) & 15); i++)
        out[i & 7] = i < 2 ? 1 : in[i & 7];""",
    "carried": """unsigned last = n; for (unsigned i = 0; i < (last & 15); i++) {
        last = n - out[last & 7]; out[i & 7] = i < 2 ? 1 : in[i & 7]; }""",
    "while": """unsigned i = 0, last = n; while (i < (last & 15)) {
        last = n + out[last & 7]; out[i & 7] = i >= 2 ? in[i & 7] : 1; i++; }""",
    "cast": """for (unsigned i = 0; i < (unsigned char)(n - in[out[i & 7] & 7]); i++)
        out[i & 7] = i < 2 ? 1 : in[i & 7];""",
    "modulo": """for (unsigned i = 0; i < (n + in[out[i & 7] & 7]) % 16; i++)
        out[i & 7] = i > 1 ? in[i & 7] : 1;""",
    "high bits": """for (unsigned i = 0; i < (n * in[out[i & 7] & 7]) >> 28; i++)
        out[i & 7] = i < 2 ? 1 : in[i & 7];""",
}


@pytest.mark.parametrize("spelling", ANEW)
def test_a_bound_that_each_iteration_makes_anew(
    spelling: str, tmp_path: Path, target: Target
) -> None:
    """Some bits of a value that a loop makes are no more fixed than all of it."""
    text = f"void top(const int in[8], int out[8], unsigned n) {{ {ANEW[spelling]} }}"
    built = build_text(text, target, CLOCK_PS, tmp_path)
    for n in (0, 1, 2, 3, 15, 16, 100):
        random = Random(n)
        pairs = [(random.choice((1, n)) & 15).to_bytes(4, "little") for _ in range(16)]
        ends = {"in": b"".join(pairs[:8]), "out": b"".join(pairs[8:])}
        check(built, {**ends, "n": n})


def test_counters_do_not_wrap(tmp_path: Path) -> None:
    """Hardware for large calls is not there for such that a counter might wrap in."""
    body = "for (unsigned i = 0; i < n; i++) out[i & 7] = i + 1 < n ? in[i & 7] : 1;"
    kernel = split(f"void top(const int *in, int *out, unsigned n) {{ {body} }}", tmp_path)

    def asked(n: int) -> int:
        """Whether a call is large enough."""

        def value(op: Op) -> int:
            if isinstance(op, Constant):
                return op.value
            return (
                n if isinstance(op, ArgumentOp) else computed(op, [value(o) for o in op.operands])
            )

        tests = (op for _, op in kernel.ops() if isinstance(op, ULt))
        (large,) = (op for op in tests if op.operands[1].attributes.get("value") == REACH)
        return value(large)

    assert [asked(n) for n in (0, 1, 2, 3, 100, 1 << 29)] == [0, 0, 1, 1, 1, 1]
    assert [asked(n) for n in (1 << 31, (1 << 31) + 5, (1 << 32) - 1)] == [0, 0, 0]


@pytest.mark.parametrize("step", [999, 1])
def test_what_else_counts_may_wrap(step: int, tmp_path: Path) -> None:
    """A counter with larger steps than the one that ends a loop wraps long before."""
    body = f"""unsigned p = 0; for (unsigned i = 0; i < n; i++) {{
        out[i & 7] = p >= {5 * step} && i + 1 < n ? in[i & 7] : 1; p += {step}; }}"""
    kernel = split(f"void top(const int *in, int *out, unsigned n) {{ {body} }}", tmp_path)
    operands = [o for _, op in kernel.ops() if isinstance(op, ULt) for o in op.operands]
    asked = [o.value for o in operands if isinstance(o, Constant)]
    assert asked.count(5 * step - 1) == (2 if step > 1 else 1)


def split(text: str, folder: Path) -> Kernel:
    """A kernel with all of its borders apart."""
    kernel = imported(text, folder)
    split_borders.run(kernel)
    split_borders.run(kernel, set(kernel.borders))
    verify(kernel, split_borders.SLUG)
    return kernel


def random_nest(random: Random) -> str:
    """Loops up to what the call says, with tests of their counters."""

    def test(name: str, most: str) -> str:
        few = random.randrange(4)
        return random.choice(
            [
                f"{name} >= {few} && {name} < {most} - {random.randrange(3)}",
                f"{name} != {few} && {name} + 1 < {most}",
                f"{name} > {few} || {name} == {most} - 1",
                f"({name} & 1)",
                f"in[{name}] > 99",
                f"(unsigned)({name} - {few}) < (unsigned){most}",
                f"{name} * 2 - {few} < {most}",
                f"{name} - {few} >= 0 && {most} - {name} > {few + 1}",
                f"{name} + {few} != {most} - 2",
            ]
        )

    first = random.choice(["0", "1", "3", "-2"])
    step = random.choice(["x++", "x++", "x++", "x += 2"])
    inner = random.choice([f"for (x = {first}; x < w; {step})", "for (x = w - 1; x >= 0; x--)"])
    one, other = test("y", "h"), test("x", "w")
    column = "(x > 1 ? x - 1 : 0)" if random.random() < 0.5 else "(x < w - 2 ? x + 1 : w - 1)"
    work = random.choice(
        [
            "sum += in[at & 255] * (x + 3);",
            "out[(y * 16 + x + 2) & 255] += in[(y * 16 + x) & 255] + y;",
            f"out[(y * 16 + {column}) & 255] ^= in[{column} & 255];",
            f"sum += in[({column} + 16 * (y < h - 2 ? y + 1 : h - 1)) & 255];",
        ]
    )
    always = random.choice(["", "at++;", "out[at++ & 255]++;", "if (in[x & 255] == 7) break;"])
    both = random.choice([f"({one}) && ({other})", f"({one}) || ({other})", other, one])
    rows = random.choice(["for (y = 0; y < h; y++)", "for (y = 2; y < h; y++)"])
    return f"""#include <stdint.h>
void top(const uint8_t in[256], uint8_t out[256], int w, int h) {{
    int x = 0, y, sum = 0, at = 0;
    {rows} {{ {inner} {{ if ({both}) {{ {work} }} {always} }} out[y & 255] = sum; }}
    out[255] = sum + at * 3;
}}"""


def results(kernel: Kernel, pixels: bytes, w: int, h: int) -> bytes:
    """What a call leaves in `out`."""
    data = {"in": bytearray(pixels), "out": bytearray(pixels[::-1]), "w": w, "h": h}
    interpret(kernel, data)
    return bytes(data["out"])


@pytest.mark.parametrize("seed", range(40))
def test_random_nests(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = random_nest(random)
    before, after = imported(text, tmp_path), split(text, tmp_path)
    for w, h in [(1, 1), (2, 3), (3, 2), (5, 4), (8, 1), (12, 7), (1, 9), (4, 4)]:
        pixels = random.randbytes(256)
        assert results(clone(after), pixels, w, h) == results(before, pixels, w, h), (text, w, h)


def test_many_random_nests_are_split(tmp_path: Path) -> None:
    kernels = [split(random_nest(Random(seed)), tmp_path) for seed in range(40)]
    assert sum("rest" in {block.part for block in kernel.blocks} for kernel in kernels) > 8
