# SPDX-License-Identifier: Apache-2.0
"""Accesses that exclude each other do not wait for each other, and all others still do."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
EXCLUDING = {
    "buffers that change places, many short rounds": (
        """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[8], b[8], sum = 0;
    for (int i = 0; i < 8; i++)
        a[i] = in[i], b[i] = i;
    for (int round = 0; round < n; round++)
        for (int i = 0; i < 8; i++) {
            const unsigned *from = round & 1 ? b : a;
            unsigned *to = round & 1 ? a : b, x = from[i];
            to[(x ^ i) & 7] = x + round;
            sum += x;
        }
    return sum;
}""",
        1,
    ),
    "what has a bit and what lacks it": (
        """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[64], span = 1u << (n & 3);
    for (int i = 0; i < 64; i++)
        a[i] = in[i & 7] * i;
    for (unsigned i = 0; i < 64; i++)
        if (!(i & span))
            a[i | span] = a[i] * 3 + i;
    return a[63] + a[n & 63] + a[20];
}""",
        1,
    ),
    "sides of an argument": (
        """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[64], sum = 0;
    for (int i = 0; i < 64; i++)
        a[i] = in[i & 7] * i;
    for (int i = 0; i < 200; i++)
        if (n & 1)
            sum = sum + a[sum & 63];
        else
            a[(sum + i * in[i & 7]) & 63] = i, sum ^= i << 3;
    return sum + a[5] + a[n & 63];
}""",
        2,
    ),
}
MEETING = {
    "a mask that may be nothing": """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[64], span = n & 7;
    for (int i = 0; i < 64; i++)
        a[i] = in[i & 7] * i;
    for (unsigned i = 0; i < 63; i++)
        if (!(i & span))
            a[i + 1 | span] = a[i] * 3 + i;
    return a[63] + a[n & 63] + a[20];
}""",
    "a mask of which not all bits are lacked": """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[64], span = 1 + (n & 7);
    for (int i = 0; i < 64; i++)
        a[i] = in[i & 7] * i;
    for (unsigned i = 0; i < 56; i++)
        if (~i & span)
            a[i | span] = a[i] * 3 + i;
    return a[63] + a[n & 63] + a[20];
}""",
    "a side of its own in each iteration": """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[16], sum = 0;
    for (int i = 0; i < 16; i++)
        a[i] = in[i & 7];
    for (int i = 0; i < 100; i++)
        if (in[i & 7] & 1)
            sum = sum * 3 + a[(sum >> 4) & 15];
        else
            a[(sum + n) & 15] = sum + i;
    return sum;
}""",
    "buffers that change places within a pipeline": """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[8], b[8], sum = 0;
    for (int i = 0; i < 8; i++)
        a[i] = in[i], b[i] = 3 * i;
    for (int i = 0; i < 100; i++) {
        unsigned *from = i & 1 ? b : a, *to = i & 1 ? a : b, x = from[(sum >> 3) & 7];
        to[(x + n) & 7] = x + i;
        sum += x;
    }
    return sum;
}""",
    "a flag that a store follows": """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[16], is_odd = 0, sum = 0;
    for (int i = 0; i < 16; i++)
        a[i] = in[i & 7];
    for (int i = 0; i < 100; i++) {
        if (is_odd)
            sum += a[sum & 15];
        else
            a[(sum + 1) & 15] = sum + in[i & 7];
        is_odd = (sum ^ n) & 1;
    }
    return sum;
}""",
    "opposite bits of one iteration": """
unsigned top(const unsigned in[8], int n)
{
    unsigned a[16], sum = 0;
    for (int i = 0; i < 16; i++)
        a[i] = in[i & 7];
    for (int i = 0; i < 100; i++) {
        unsigned half = (sum ^ n) & 1, x = a[half * 8 + (i & 7)];
        a[(1 - half) * 8 + (x & 7)] = x + i;
        sum += x;
    }
    return sum;
}""",
}


def agree(text: str, target: Target, folder: Path) -> int:
    """Has hardware and C do the same with random numbers; the largest `ii` of the hardware."""
    built = build_text(text, target, CLOCK_PS, folder, slower_clock=True)
    random = Random(len(text))
    for n in (0, 1, 2, 7, 30):
        check(built, {"in": random.randbytes(32), "n": n})
    return max(s.ii for s in built.schedule.blocks.values())


@pytest.mark.parametrize("name", EXCLUDING)
def test_nothing_waits_for_what_never_happens_with_it(
    name: str, target: Target, tmp_path: Path
) -> None:
    text, most = EXCLUDING[name]
    assert agree(text, target, tmp_path) <= most


@pytest.mark.parametrize("name", MEETING)
def test_what_may_meet_in_other_iterations_waits(name: str, target: Target, tmp_path: Path) -> None:
    assert agree(MEETING[name], target, tmp_path) > 1
