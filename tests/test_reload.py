# SPDX-License-Identifier: Apache-2.0
"""What a loop reads at one place, and writes there in one iteration: read again behind that one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.ir.blocks import Block
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
SIZE = 24
PROGRAMS = {
    "shortest_paths": """
        for (int k = 0; k < 24; k++)
            for (int i = 0; i < 24; i++)
                for (int j = 0; j < 24; j++)
                    if (p[i][k] + p[k][j] < p[i][j])
                        p[i][j] = p[i][k] + p[k][j];""",
    "chosen": """
        for (int k = 0; k < 24; k++)
            for (int i = 0; i < 24; i++)
                for (int j = 0; j < 24; j++)
                    p[i][j] = p[i][j] < p[i][k] + p[k][j] ? p[i][j] : p[i][k] + p[k][j];""",
    "downwards": """
        for (int i = 0; i < 24; i++)
            for (int j = 23; j >= 0; j--)
                p[i][j] += p[i][5] * 3;""",
    "the_first_one": "for (int j = 0; j < n; j++) p[0][j] += p[0][0];",
    "the_last_one": "for (int j = 0; j < n; j++) p[0][j] += p[0][n - 1];",
    "one_of_the_call": "for (int j = 0; j < n; j++) p[0][j] -= p[0][m & 31];",
    "perhaps_before_the_first_one": "for (int j = 4; j < 30; j++) p[0][j] -= p[0][m & 7];",
    "read_twice": "for (int j = 0; j < n; j++) p[0][j] = p[0][7] * 5 ^ (p[0][7] >> 3) ^ j;",
}
AS_THEY_ARE = {
    "read_now_and_then": "for (int j = 0; j < n; j++) if (p[1][j] & 1) p[0][j] = p[0][9] + j;",
    "read_behind_the_write": "for (int j = 0; j < n; j++) { p[0][j] = j * 3; p[1][j] = p[0][7]; }",
    "two_writes": "for (int j = 0; j < n; j++) { p[0][j] += p[0][7]; p[0][j + 24] = j; }",
    "behind_the_last_one": "for (int j = 0; j < n; j++) p[0][j] += p[0][n];",
    "in_steps": "for (int j = 0; j < 24; j++) p[j][0] += p[7][0];",
}


def made(body: str, target: Target, folder: Path) -> Build:
    return build_text(
        f"#include <stdint.h>\nvoid top(int32_t p[24][24], uint8_t n, uint8_t m)\n{{{body}\n}}\n",
        target,
        CLOCK_PS,
        folder,
    )


def agrees(built: Build) -> None:
    random = Random(built.finished.name)
    for n, m in ((0, 0), (1, 1), (23, 7), (24, 30), (40, 0)):
        numbers = [random.randrange(-999, 999) for _ in range(SIZE * SIZE)]
        data = b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)
        check(built, {"p": data, "n": n, "m": m})


def entered_again(built: Build) -> list[Block]:
    return [b for b in built.finished.blocks if any(edge.seldom for edge in b.end.edges)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_read_again(name: str, target: Target, tmp_path: Path) -> None:
    built = made(PROGRAMS[name], target, tmp_path)
    assert entered_again(built)
    agrees(built)


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_what_stays(name: str, target: Target, tmp_path: Path) -> None:
    built = made(AS_THEY_ARE[name], target, tmp_path)
    assert not entered_again(built)
    agrees(built)


def test_no_iteration_waits_for_a_store(target: Target, tmp_path: Path) -> None:
    """Nor for the one port: the row that all are computed with is kept beside the array."""
    built = made(PROGRAMS["shortest_paths"], target, tmp_path)
    assert max(schedule.ii for schedule in built.schedule.blocks.values()) == 1
