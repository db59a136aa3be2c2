# SPDX-License-Identifier: Apache-2.0
"""Loops whose calls run beside each other: what that saves, and what goes by without it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.frontend.directives.rewrite import rewrite
from tandem.manifest import read_manifest
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
FRAMES, N = 8, 64
CALLS = """#include <stdint.h>
#define N 64
static void load(const uint32_t *in, uint32_t n, uint32_t *a)
{
    for (int i = 0; i < N; i++)
        a[i] = in[n * N + i];
}
static void turn(const uint32_t *a, uint32_t *b)
{
    uint32_t sum = 0;
    for (int i = 0; i < N; i++)
        b[i] = sum += a[N - 1 - i];
}
static void save(const uint32_t *b, uint32_t n, uint32_t *out)
{
    for (int i = 0; i < N; i++)
        out[n * N + i] = b[i] ^ b[N - 1 - i];
}
"""
LOOP = """
    for (uint32_t n = 0; n < frames; n++) {
        uint32_t a[N], b[N];
        load(in, n, a);
        turn(a, b);
        save(b, n, out);
    }
"""
HEAD = "void top(const uint32_t *in, uint32_t *out, uint32_t frames)\n{"


def built(body: str, target: Target, folder: Path) -> Build:
    folder.mkdir(exist_ok=True)
    return build_text(f"{CALLS}{HEAD}{body}}}\n", target, CLOCK_PS, folder, slower_clock=True)


def cycles(made: Build, frames: int) -> int:
    size = 4 * N * FRAMES
    given = {"in": Random(1).randbytes(size), "out": bytes(size), "frames": frames}
    return check(made, given).cycles


def test_every_round_takes_as_long_as_its_longest_call(target: Target, tmp_path: Path) -> None:
    """Three calls of 64 cycles and a few: a frame more is a round more, not three calls."""
    beside = built(f"\n#pragma tandem dataflow{LOOP}", target, tmp_path / "beside")
    in_order = built(LOOP, target, tmp_path / "in_order")
    frame_beside = cycles(beside, FRAMES) - cycles(beside, FRAMES - 1)
    frame_in_order = cycles(in_order, FRAMES) - cycles(in_order, FRAMES - 1)
    assert frame_beside < N + 16
    assert frame_in_order > 2 * frame_beside
    assert cycles(beside, 0) < 10


def test_extents_are_those_of_calls_in_order(target: Target, tmp_path: Path) -> None:
    made = built(f"\n#pragma tandem dataflow{LOOP}", target, tmp_path)
    for name in ("in", "out"):
        claim = made.finished.argument(name).extent.claim
        assert claim is not None
        assert claim.evaluate({"frames": 5}) == 5 * 4 * N


@pytest.mark.parametrize("frames", [0, 1, 2, FRAMES])
def test_two_loops_one_after_the_other(target: Target, tmp_path: Path, frames: int) -> None:
    """Both read and write the same buffers, but never at the same time."""
    again = LOOP.replace("load(in, n, a)", "load(in, frames - 1 - n, a)")
    made = built(
        f"\n#pragma tandem dataflow{LOOP}\n#pragma tandem dataflow{again}", target, tmp_path
    )
    cycles(made, frames)


def test_within_another_loop(target: Target, tmp_path: Path) -> None:
    body = f"\n    for (int again = 0; again < 3; again++)\n#pragma tandem dataflow{LOOP}"
    cycles(built(body, target, tmp_path), 3)


def test_of_a_function_it_does_nothing() -> None:
    found = rewrite("void top(int *a)\n{\n#pragma HLS dataflow\n    f(a);\n}\n")
    (note,) = found.notes
    assert "put it into a loop whose iterations are to overlap" in note.message
    assert not found.placed


def test_why_the_loop_is_no_pipeline(target: Target, tmp_path: Path) -> None:
    """The loop that the C has, at its line: where it stands in the text above."""
    made = built(f"\n#pragma tandem dataflow{LOOP}", target, tmp_path)
    line = (CALLS + HEAD).count("\n") + 3
    (row,) = [r for r in read_manifest(made.package)["loops"] if not r["ii"]]
    assert row["line"] == line
    assert "runs beside each other" in row["limit"]
