# SPDX-License-Identifier: Apache-2.0
"""Random C functions: C, IR and RTL agree in values and cycles. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from random_c import SIZES, Program, generate, read
from seeds import seeds
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
KEPT = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("seed", seeds(12))
def test_random_program(seed: int, target: Target, tmp_path: Path) -> None:
    program = generate(seed)
    print(program.text)  # shown when the test fails
    assert _agrees(program, Random(seed), target, tmp_path)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_program_that_once_failed(path: Path, target: Target, tmp_path: Path) -> None:
    assert _agrees(read(path.read_text()), Random(path.stem), target, tmp_path)


def _agrees(program: Program, random: Random, target: Target, folder: Path) -> bool:
    built = build_text(program.text, target, CLOCK_PS, folder, slower_clock=True)
    for n in SIZES:
        check(built, program.values(random, n))
        paces = {name: random.randint(1, 4) for name in built.streams()}
        check(built, program.values(random, n), paces)
    return True


@pytest.mark.parametrize("seed", range(5))
def test_a_kept_program_has_the_arguments_of_its_seed(seed: int) -> None:
    program = generate(seed)
    again = read(program.text)
    sizes = {n: (size * (count or 1), not count) for n, (size, count) in program.arrays.items()}
    assert {n: (size, not count) for n, (size, count) in again.arrays.items()} == sizes
    assert again.scalars == program.scalars


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7).text == generate(7).text
