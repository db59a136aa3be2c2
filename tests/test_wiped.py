# SPDX-License-Identifier: Apache-2.0
"""A local array that is wiped at the end costs nothing, however that is spelled; what is read after
it has been stored stays."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.schedule.delays import Target
from tandem.schedule.expected import expected_cycles

HEAD = "#include <stdint.h>\n#include <string.h>\n"
KERNEL = """
#pragma tandem extent(x, 64)
uint32_t top(const uint32_t *x, uint32_t k)
{{
    {volatile}uint32_t w[16];
    uint32_t s = 0;
    for (int i = 0; i < 16; i++)
        w[i] = x[i] * 3;
    for (int i = 0; i < 16; i++)
        s = s * 5 + w[(i * 7 + k) & 15];
    {end}
    return s;
}}
"""
BYTES = "volatile unsigned char *p = (volatile unsigned char *)"
WIPE = "static void wipe(void *v, size_t n)\n{\n    %s\n}\n"
WAYS = {
    "memset": ("", "memset(w, 0, sizeof w);"),
    "a_function_of_memset": (WIPE % "memset(v, 0, n);", "wipe(w, sizeof w);"),
    "two_functions": (
        WIPE % "memset(v, 0, n);" + "static void all(uint32_t *w) { wipe(w, 64); }\n",
        "all(w);",
    ),
    "volatile_bytes": (WIPE % f"{BYTES}v; while (n--) *p++ = 0;", "wipe(w, sizeof w);"),
    "volatile_for": (
        WIPE % f"{BYTES}v; for (size_t i = 0; i < n; i++) p[i] = 0;",
        "wipe(w, sizeof w);",
    ),
    "volatile_in_place": ("", f"{{ {BYTES}w; for (int i = 0; i < 64; i++) p[i] = 0; }}"),
    "down": (WIPE % f"{BYTES}v + n; while (n-- > 0) *--p = 0;", "wipe(w, sizeof w);"),
    "words": ("", "for (int i = 0; i < 16; i++) ((volatile uint32_t *)w)[i] = 0;"),
    "plain_bytes": (WIPE % "char *p = v; while (n--) *p++ = 0;", "wipe(w, sizeof w);"),
    "ones_then_zeros": (
        WIPE % f"{BYTES}v; for (size_t i = 0; i < n; i++) p[i] = 255, p[i] = 0;",
        "wipe(w, sizeof w);",
    ),
    "a_barrier": (
        WIPE % 'memset(v, 0, n); __asm__ volatile("" : : "r"(v) : "memory");',
        "wipe(w, sizeof w);",
    ),
}


def text(way: str) -> str:
    helper, end = WAYS[way]
    return HEAD + helper + KERNEL.format(volatile="", end=end)


@pytest.mark.parametrize("way", WAYS)
def test_wiping_takes_no_time(way: str, target: Target, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = HEAD + KERNEL.format(volatile="", end="")
    wiped, bare = (
        build_text(c, target, 10_000, folder)
        for c, folder in ((text(way), tmp_path), (plain, tmp_path / "plain"))
    )
    assert expected_cycles(wiped.schedule) == expected_cycles(bare.schedule)
    check(wiped, {"x": Random(way).randbytes(64), "k": 3})


def test_a_volatile_array_stays_what_it_is(target: Target, tmp_path: Path) -> None:
    built = build_text(HEAD + KERNEL.format(volatile="volatile ", end=""), target, 10_000, tmp_path)
    assert [m.element_bits for m in built.finished.memories.values()] == [32, 32]
    check(built, {"x": Random(1).randbytes(64), "k": 5})


READ = """
uint32_t top(uint32_t n, uint32_t k)
{
    uint32_t s = 0;
    for (uint32_t j = 0; j < (n & 7); j++) {
        volatile uint8_t w[4];
        uint32_t t[2] = {j, k};
        for (int i = 0; i < 4; i++)
            w[i] = (uint8_t)(t[i & 1] >> i);
        s = s * 3 + w[k & 3];
        ((volatile uint32_t *)t)[0] = 9;
        w[0] = 7;
        s += w[(k + 1) & 3] + t[j & 1];
        w[1] = 0;
    }
    return s;
}
"""


def test_what_is_read_stays(target: Target, tmp_path: Path) -> None:
    """Also in a loop, in which the variable begins anew with every iteration."""
    built = build_text(HEAD + READ, target, 10_000, tmp_path)
    for n in range(8):
        check(built, {"n": n, "k": n + 2})
