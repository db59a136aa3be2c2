# SPDX-License-Identifier: Apache-2.0
"""A loop over all pixels is one over rows and columns, however its counter is taken apart."""

from __future__ import annotations

from array import array
from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Division
from tandem.ir.verifier import verify
from tandem.passes import make_rows
from tandem.schedule.delays import Target
from test_trim_loops import imported

pytestmark = pytest.mark.usefixtures("models_as_written")
CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\nvoid top(const uint8_t *in, uint8_t *out, int w, int h)"
BODY = (
    "out[i] = x > 0 && y > 0 && x < {w} - 1 && y < {h} - 1 ? (in[i - {w}] + in[i + {w}]) / 2 : x;"
)
SIDES = {"w": "w", "h": "h"}
SPELLINGS = {
    "remainder": "for (int i = 0; i < w * h; i++) { int x = i % w, y = i / w; BODY }",
    "product": "int n = h * w; for (int i = 0; i != n; ++i) { int y = i / w, x = i % w; BODY }",
    "difference": "for (int i = 0; i < w * h; i++) { int y = i / w, x = i % w; BODY }",
    "do while": """int i = 0;
        if (w * h > 0) do { int x = i % w, y = i / w; BODY } while (++i < w * h);""",
    "unsigned": """for (unsigned i = 0; i < (unsigned)w * h; i++) {
        int x = i % (unsigned)w, y = i / (unsigned)w; BODY }""",
    "while": "int i = 0; while (i < w * h) { int y = i / w, x = i % w; BODY i++; }",
    "numbers": "for (int i = 0; i < 40 * 24; i++) { int x = i % 40, y = i / 40; BODY }",
    "bits": "for (int i = 0; i < 32 * 24; i++) { int x = i & 31, y = i >> 5; BODY }",
    "power": "for (unsigned i = 0; i < 64 * 10; i++) { int x = i % 64, y = i / 64; BODY }",
    "size_t": "for (unsigned long i = 0; i < 48 * 10; i++) { int x = i % 48, y = i / 48; BODY }",
}
FIXED = {"numbers": (40, 24), "bits": (32, 24), "power": (64, 10), "size_t": (48, 10)}


def text_of(spelling: str) -> str:
    """A kernel in C."""
    sides = dict(zip("wh", FIXED[spelling], strict=True)) if spelling in FIXED else SIDES
    return f"{HEAD} {{ {SPELLINGS[spelling].replace('BODY', BODY.format(**sides))} }}"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_rows_and_columns(spelling: str, tmp_path: Path) -> None:
    kernel, before = (imported(text_of(spelling), tmp_path) for _ in range(2))
    assert make_rows.run(kernel)
    verify(kernel, make_rows.SLUG)
    rows = [block for block in kernel.blocks if block.part == make_rows.ROWS]
    assert len(rows) == 1
    flat = any(block.part == make_rows.FLAT for block in kernel.blocks)
    assert flat == (spelling not in FIXED)
    assert flat == any(isinstance(op, Division) and op.width > 16 for _, op in kernel.ops())
    for w, h in [FIXED.get(spelling, (5, 3)), FIXED.get(spelling, (1, 9))]:
        assert left_by(kernel, w, h) == left_by(before, w, h)


def left_by(kernel: Kernel, w: int, h: int) -> bytes:
    """What a call leaves in `out`."""
    count = max(1, w * h)
    data = {"in": bytearray(Random(w).randbytes(count)), "out": bytearray(count)}
    interpret(kernel, {**data, "w": w & 0xFFFF_FFFF, "h": h & 0xFFFF_FFFF})
    return bytes(data["out"])


@pytest.mark.parametrize("sides", [(3, 0), (0, 3), (-3, -3), (-2, 5), (1, 1), (1 << 16, 1), (7, 2)])
def test_sides_of_all_kinds(sides: tuple[int, int], tmp_path: Path) -> None:
    """Those of which the product is not that of rows and columns too."""
    text = """void top(const unsigned char *in, unsigned char *out, int w, int h) {
        for (int i = 0; i < w * h; i++) out[i & 255] += i % w + in[i & 255] * (i / w); }"""
    kernel, before = (imported(text, tmp_path) for _ in range(2))
    assert make_rows.run(kernel)
    assert left_by_bytes(kernel, *sides) == left_by_bytes(before, *sides)


def left_by_bytes(kernel: Kernel, w: int, h: int) -> bytes:
    """The same of a kernel whose arrays have 256 bytes."""
    data = {"in": bytearray(range(256)), "out": bytearray(256)}
    interpret(kernel, {**data, "w": w & 0xFFFF_FFFF, "h": h & 0xFFFF_FFFF})
    return bytes(data["out"])


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 100; i++) out[i] = in[i / 40] + i % 40;",  # no whole rows
        "for (int i = 0; i < 120; i++) out[i] = in[i / 4] + i % 4;",  # short ones
        "for (int i = 1; i < 120; i++) out[i] = in[i / 40] + i % 40;",
        "for (int i = 0; i < 120; i++) out[i * 40] = in[i];",
        "for (int i = 0; i < w * h; i++) out[i] = in[i / 3] + i % 5;",
    ],
)
def test_what_has_no_rows(body: str, tmp_path: Path) -> None:
    assert not make_rows.run(imported(f"{HEAD} {{ {body} }}", tmp_path))


def test_a_loop_inside_waits_for_columns(tmp_path: Path, target: Target) -> None:
    """What different rows never share is shared by the columns of one."""
    text = """void top(const double *in, double *out) {
        for (int i = 0; i < 8 * 5; i++) {
            int x = i % 8, y = i / 8;
            for (int k = 0; k < 65; k++)
                out[y * 65 + k] = in[i] / (in[x] + 1.0 / (2.0 + out[y * 65 + k])); } }"""
    fast_ps = CLOCK_PS // 2  # a division is long beside the rows
    built = build_text(text, target, fast_ps, tmp_path, slower_clock=True)
    random = Random(1)
    numbers = {"in": 40, "out": 5 * 65}
    check(
        built,
        {n: bytes(array("d", map(random.uniform, [1] * c, [2] * c))) for n, c in numbers.items()},
    )


def test_a_picture_in_one_loop(tmp_path: Path, target: Target) -> None:
    """Nine reads a pixel, with borders, take little more than a cycle."""
    text = f"""{HEAD} {{
        for (int i = 0; i < w * h; i++) {{
            int x = i % w, y = i / w, sum = 0;
            if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) {{ out[i] = in[i]; continue; }}
            for (int k = 0; k < 9; k++) sum += in[i + (k / 3 - 1) * w + k % 3 - 1];
            out[i] = sum / 9; }} }}"""
    built = build_text(text, target, CLOCK_PS, tmp_path)
    for w, h in [(1, 1), (3, 2), (5, 4), (64, 40)]:
        pixels = Random(w).randbytes(w * h)
        values = {"in": pixels, "out": bytes(w * h), "w": w, "h": h}
        cycles = check(built, values).cycles
    assert cycles <= 2.5 * 64 * 40
