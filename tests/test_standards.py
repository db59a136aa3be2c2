# SPDX-License-Identifier: Apache-2.0
"""Kernels of standards and textbooks in whole programs that know the answers, and those of
bench/kernels: each does in every mode what it does in C, every call of it on the device; and the
interpreter agrees where arguments are easily made."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from agreement import Values, build, check
from seeds import sampled
from tandem.host.prepare import Job, prepared
from tandem.schedule.delays import Target
from test_kernels import CLOCK_PS, numbers, text
from whole import Whole, report, same_as_plain

FOLDER = Path(__file__).parent / "programs" / "standards"
PEERS = Path(__file__).parents[1] / "bench" / "kernels"
PROGRAMS = [*sorted(FOLDER.glob("*.c")), *sorted(PEERS.glob("*.c"))]


def _levenshtein(r: Random) -> Values:
    m, n = r.randrange(9), r.randrange(9)
    return {"a": text(r, m, "abc"), "m": m, "b": text(r, n, "abc"), "n": n}


def _matrices(r: Random) -> Values:
    return {"a": numbers(r, 256, 4), "b": numbers(r, 256, 4), "c": bytes(1024)}


def _image(r: Random) -> Values:
    width, height = r.randrange(3, 9), r.randrange(3, 6)
    size = width * height
    return {"in": numbers(r, size, 1), "out": bytes(size), "width": width, "height": height}


MAKE: dict[str, Callable[[Random], Values]] = {
    "aes128_ctr": lambda r: {
        "keys": numbers(r, 176, 1),
        "first": numbers(r, 16, 1),
        "in": numbers(r, 32, 1),
        "out": bytes(32),
        "blocks": 2,
    },
    "f32_add": lambda r: {
        "a": numbers(r, 20, 4),
        "b": numbers(r, 20, 4),
        "out": bytes(80),
        "n": 20,
    },
    "fft_q15": lambda r: {"re": numbers(r, 128, 2), "im": numbers(r, 128, 2)},
    "fir": lambda r: {
        "in": numbers(r, 30, 2),
        "out": bytes(60),
        "taps": numbers(r, 16, 2),
        "samples": 30,
    },
    "levenshtein": _levenshtein,
    "matmul_blocked": _matrices,
    "matmul_plain": _matrices,
    "median3x3": _image,
    "radix_sort": lambda r: {"words": numbers(r, 30, 4), "n": 30},
    "sha256": lambda r: {"state": numbers(r, 8, 4), "data": numbers(r, 128, 1), "blocks": 2},
    "sobel": _image,
    "stencil3d": lambda r: {"in": numbers(r, 64, 4), "out": bytes(256), "size": 4},
    "table_chain": lambda r: {
        "table": numbers(r, 256, 1),
        "keys": numbers(r, 20, 1),
        "n": 20,
        "start": r.randrange(256),
    },
}


@pytest.mark.parametrize("main", sampled(PROGRAMS, 3), ids=lambda path: path.stem)
def test_every_mode_knows_the_answers(main: Path, tmp_path: Path) -> None:
    program = Whole(main)
    plain = program.plain(tmp_path)
    assert subprocess.run([plain], capture_output=True).stdout == b"ok\n"
    with prepared(Job(main, program.top, clock_ps=CLOCK_PS)) as built:
        assert same_as_plain(built.executable, plain, "", tmp_path)
    found = report(tmp_path, "simulate")
    assert found["checked_calls"] == found["calls"] > 0
    assert not found["mismatches"] and not found["host_calls"]["calls"]


@pytest.mark.parametrize("name", sampled([*MAKE]))
def test_the_interpreter_agrees(name: str, target: Target, tmp_path: Path) -> None:
    main = FOLDER / f"{name}.c"
    built = build(main, Whole(main).top, target, CLOCK_PS, tmp_path, slower_clock=True)
    for seed in range(3):
        check(built, MAKE[name](Random(seed)))
