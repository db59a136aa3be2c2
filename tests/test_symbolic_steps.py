# SPDX-License-Identifier: Apache-2.0
"""A loop's accesses do not wait for each other where its counter steps by a number that comes with
the call, or with a loop around, and all others still do."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.ir.ops import Access
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
KERNEL = """
unsigned top(unsigned a[64], unsigned char h)
{{
    unsigned half = {half};
    for (unsigned k = 0; k < 5; k++)
        {loop} {{
            {body}
        }}
    return a[h & 63];
}}"""
UP = "for (unsigned p = k; p < 40; p += 2 * half)"
PAIR = "unsigned x = a[p]; a[p] += a[p + half]; a[p + half] -= x;"
APART = {
    "pairs": ("1 + (h & 7)", UP, PAIR),
    "every fourth": (
        "1 + (h & 7)",
        "for (unsigned p = k; p < 30; p += 4 * half)",
        "a[p + 2 * half] = a[p + half] * 5 + p;",
    ),
    "twice as far": ("1 + (h & 3)", UP.replace("40", "25"), "a[2 * p] = a[2 * p] * 5 + p;"),
    "a bit that is set": (
        "1 << (h & 3)",
        "for (unsigned p = half; p < 40; p++)",
        "p |= half; a[p ^ half] = a[p] * 5 + p;",
    ),
    "downwards from the end": ("1 + (h & 7)", UP, "a[63 - p - half] = a[63 - p] * 5 + p;"),
}
MEETING = {
    "a step that may be 0": (
        "h & 7",
        "for (unsigned p = k; p < 40; p += half ? half : 64)",
        "a[p] = a[p & ~half] * 5 + p;",
    ),
    "the one after the next": ("1 + (h & 3)", UP, "a[p + 4 * half] = a[p] * 5 + p;"),
    "nearly": ("2 + (h & 7)", UP, "a[p + 2 * half + 4 & 63] = a[p] * 5 + p;"),
    "a counter that wraps": (
        "1 + (h & 7)",
        "for (unsigned char p = k, n = 0; n < 60; p += 2 * half, n++)",
        "a[p & 63] = a[p & 63] * 5 + p;",
    ),
    "a step of the loop's own": (
        "1 + (h & 7)",
        "for (unsigned p = k; p < 40; p += 1 + (a[p] & half))",
        "a[p + half] = a[p] * 5 + p;",
    ),
}


def agree(name: str, target: Target, folder: Path) -> int:
    """Has hardware and C do the same with random numbers; the `ii` of the inner loop."""
    half, loop, body = {**APART, **MEETING}[name]
    text = KERNEL.format(half=half, loop=loop, body=body)
    built = build_text(text, target, CLOCK_PS, folder, slower_clock=True)
    random = Random(name)
    for h in (0, 1, 2, 3, 5, 7, 255):
        check(built, {"a": random.randbytes(4 * 64), "h": h})
    return max(s.ii for s in built.schedule.blocks.values())


@pytest.mark.parametrize("name", APART)
def test_what_never_meets_does_not_wait(name: str, target: Target, tmp_path: Path) -> None:
    assert agree(name, target, tmp_path) <= 1 + (name == "pairs")


@pytest.mark.parametrize("name", MEETING)
def test_what_may_meet_waits(name: str, target: Target, tmp_path: Path) -> None:
    assert agree(name, target, tmp_path) > 1


GROUPS = """
unsigned top(unsigned a[128], unsigned h)
{{
    for (unsigned half = 1; half < 32; half *= 2)
        for (unsigned base = {start}; base < 64; base += {step})
            for (unsigned k = 0; k < half; k++) {{
                unsigned x = a[base + k];
                a[{place}] = x * x * 3 + a[base + k + half];
            }}
    return a[h & 63];
}}"""


@pytest.mark.parametrize(
    ("start", "step", "place", "is_early"),
    [
        ("0", "2 * half", "base + k + half", True),
        ("h & 3", "2 * half", "base + k", True),
        ("0", "half", "base + k + half", False),
        ("0", "2 * half", "base + k + 2 * half", False),
        ("0", "2 * half", "base + 2 * k", True),
        ("0", "2 * half", "base + 3 * k", False),
        ("0", "2 * half - (h & 1)", "base + k + half", False),
    ],
)
def test_groups_follow_each_other_where_none_reaches_into_the_next(
    start: str, step: str, place: str, is_early: bool, target: Target, tmp_path: Path
) -> None:
    """A short pipeline is left before it is empty, and entered again for the next group."""
    text = GROUPS.format(start=start, step=step, place=place)
    built = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
    for h in (0, 1, 2, 3):
        check(built, {"a": Random(h).randbytes(4 * 128), "h": h})
    inner = [op for b in built.schedule.kernel.blocks if b.is_loop for op in b.ops]
    alone = ["alone" in op.attributes for op in inner if isinstance(op, Access)]
    assert all(alone) == any(alone) == is_early
