# SPDX-License-Identifier: Apache-2.0
"""However an array is filled or copied as a whole, it is a loop as if it had been written, and no
more than that; unless it becomes values."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.ops import Store
from tandem.schedule.area import cells_of
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
MORE_CELLS = 1.05
"""Loops that count otherwise may differ by a few cells."""
COUNTED = """#include <stdint.h>
#include <string.h>
struct table {{ uint32_t counts[64]; }};
static void clear(void *p, unsigned long bytes) {{ memset(p, 0, bytes); }}
static uint32_t other[64];
uint32_t top(const uint8_t in[256], int n)
{{
    {filled}
    for (int i = 0; i < (n & 255); i++)
        counts[in[i] & 63]++;
    uint32_t most = 0;
    for (int i = 0; i < 64; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}}
"""
WRITTEN = "uint32_t counts[64]; for (int i = 0; i < 64; i++) counts[i] = 0;"
FILLED = {
    "{0}": "uint32_t counts[64] = {0};",
    "{}": "uint32_t counts[64] = {};",
    "memset": "uint32_t counts[64]; memset(counts, 0, sizeof counts);",
    "memset of bytes": "uint32_t counts[64]; memset((uint8_t *)counts, 0, 256);",
    "in a function": "uint32_t counts[64]; clear(counts, sizeof counts);",
    "two rows": "uint32_t rows[2][32] = {{0}}; uint32_t *counts = rows[0];",
    "in a struct": "struct table table = {{0}}; uint32_t *counts = table.counts;",
    "static": "uint32_t *counts = other; memset(other, 0, sizeof other);",
    "backwards": "uint32_t counts[64]; for (int i = 64; i-- > 0;) counts[i] = 0;",
    "by a pointer": "uint32_t counts[64]; for (uint32_t *p = counts; p < counts + 64; p++) *p = 0;",
}
SMOOTHED = """#include <stdint.h>
#include <string.h>
struct part {{ int32_t numbers[100]; }};
static void copy(int32_t *to, const int32_t *from, unsigned long bytes)
{{
    memcpy(to, from, bytes);
}}
void top(const int32_t in[100], int32_t out[100], int n)
{{
    int32_t kept[100];
    {copied}
    for (int round = 0; round < (n & 3); round++)
        for (int i = 1; i < 100; i++)
            kept[i] += kept[i - 1] * 3;
    {back}
}}
"""
COPIED = {
    "memcpy": ("memcpy(kept, in, sizeof kept);", "memcpy(out, kept, sizeof kept);"),
    "of bytes": (
        "memcpy((char *)kept, (const char *)in, 400);",
        "memcpy((void *)out, (const void *)kept, 400);",
    ),
    "in a function": ("copy(kept, in, sizeof kept);", "copy(out, kept, sizeof kept);"),
    "memmove": ("memmove(kept, in, sizeof kept);", "memmove(out, kept, sizeof kept);"),
    "of a struct": (
        "*(struct part *)kept = *(struct part *)in;",
        "*(struct part *)out = *(struct part *)kept;",
    ),
    "builtin": ("__builtin_memcpy(kept, in, 400);", "__builtin_memcpy(out, kept, 400);"),
}
COPIED_BY_LOOPS = (
    "for (int i = 0; i < 100; i++) kept[i] = in[i];",
    "for (int i = 0; i < 100; i++) out[i] = kept[i];",
)


def cells(text: str, folder: Path, target: Target) -> int:
    source = folder / "top.c"
    source.write_text(text)
    made = compile_kernel(Program.of(source), "top", target, CLOCK_PS, slower_clock=True)
    return cells_of(made.schedule)


@pytest.mark.parametrize("spelling", FILLED)
def test_a_fill_takes_no_more_than_a_loop(spelling: str, target: Target, tmp_path: Path) -> None:
    text = COUNTED.format(filled=FILLED[spelling])
    written = cells(COUNTED.format(filled=WRITTEN), tmp_path, target)
    assert cells(text, tmp_path, target) <= MORE_CELLS * written
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    random = Random(spelling)
    check(built, {"in": random.randbytes(256), "n": random.randrange(256)})


@pytest.mark.parametrize("spelling", COPIED)
def test_a_copy_takes_no_more_than_a_loop(spelling: str, target: Target, tmp_path: Path) -> None:
    first, last = COPIED_BY_LOOPS
    written = cells(SMOOTHED.format(copied=first, back=last), tmp_path, target)
    first, last = COPIED[spelling]
    text = SMOOTHED.format(copied=first, back=last)
    assert cells(text, tmp_path, target) <= MORE_CELLS * written
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    random = Random(spelling)
    check(built, {"in": random.randbytes(400), "out": bytes(400), "n": 3})


def test_a_small_array_becomes_values(target: Target, tmp_path: Path) -> None:
    """Whose elements are known where they are used: no loop stands in the way."""
    text = """#include <stdint.h>
uint64_t top(const uint64_t in[25])
{
    uint64_t state[25] = {0};
    for (int i = 0; i < 25; i++)
        state[i * 7 % 25] ^= in[i];
    return state[3] + state[12];
}
"""
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    assert not any(isinstance(op, Store) for _, op in built.finished.ops())
    check(built, {"in": Random(1).randbytes(200)})
