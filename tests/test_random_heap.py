# SPDX-License-Identifier: Apache-2.0
"""Random functions with blocks from the heap: C, IR and RTL agree in values and cycles; where a
function returns a block, or has little room, whole programs do in every mode what they do in C, and
only what had no room is left to the C. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from random_heap import MANY, Heap, generate
from seeds import seeds
from tandem.frontend.clang import run_clang
from tandem.host.prepare import Job, prepared
from tandem.schedule.delays import Target
from whole import MODES, PLAIN_FLAGS, report, run

CLOCK_PS = 10_000


@pytest.mark.parametrize("seed", seeds(5))
def test_random_heap(seed: int, target: Target, tmp_path: Path) -> None:
    heap = generate(seed)
    print(heap.text)  # shown when the test fails
    source = tmp_path / "main.c"
    source.write_text(heap.text)
    if heap.is_whole:
        _is_the_same_in_every_mode(heap, source)
    else:
        _agrees(source, target, Random(seed))


def _agrees(source: Path, target: Target, random: Random) -> None:
    folder = source.parent
    built = build(source, "top", target, CLOCK_PS, folder, slower_clock=True)
    for n in (0, 1, 3, MANY - 1):
        given = {"n": n, "x": random.getrandbits(32), "result": 0}
        arrays = {row["name"]: 64 * row["element_bytes"] for row in built.rows}
        arrays = {name: random.randbytes(size) for name, size in arrays.items()}
        check(built, arrays | given)


def _is_the_same_in_every_mode(heap: Heap, source: Path) -> None:
    folder = source.parent
    run_clang([source, *PLAIN_FLAGS, "-DRECORD", "-o", folder / "plain"])
    wanted = run(folder / "plain", "", folder)
    assert wanted.returncode == 0
    needs = [int(word) for word in wanted.stderr.split()]
    beyond = sum(bytes_ > heap.room_bytes for bytes_ in needs)
    with prepared(Job(source, "top")) as built:
        for mode in MODES:
            done = run(built.executable, "", folder, mode)
            assert (done.returncode, done.stdout) == (0, wanted.stdout), (mode, done, wanted)
        left = [report(folder, mode)["host_calls"]["calls"] for mode in ("emulate", "simulate")]
    assert left[0] == left[1] <= beyond, (left, needs)


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7) == generate(7)


def test_programs_return_blocks_and_have_little_room() -> None:
    found = [generate(seed) for seed in range(20)]
    assert {heap.is_whole for heap in found} == {True, False}
    assert any("T *top(" in heap.text for heap in found)
