# SPDX-License-Identifier: Apache-2.0
"""A loop with two loops in it becomes two loops, each of which may take turns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from agreement import Build, build_text, check
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
SIZE = 40
PROGRAMS = {
    "rows_and_columns": """
        for (int i = 0; i < 40; i++) {
            double sum = 0;
            for (int j = 0; j < 40; j++) {
                c[1][j] += a[i][j] * b[1][i];
                sum += a[i][j] * b[0][j];
            }
            c[0][i] = sum;
        }""",
    "there_and_back": """
        double t[40];
        for (int i = 0; i < 40; i++) {
            double sum = 0;
            for (int j = 0; j < 40; j++)
                sum += a[i][j] * b[0][j];
            for (int j = 0; j < 40; j++)
                c[0][j] += a[i][j] * sum;
        }""",
    "columns_one_after_the_other": """
        for (int k = 0; k < 39; k++)
            for (int j = k + 1; j < 40; j++) {
                double sum = 0;
                for (int i = 0; i < 40; i++)
                    sum += b[i][k] * c[i][j];
                for (int i = 0; i < 40; i++)
                    c[i][j] -= b[i][k] * sum;
            }""",
    "sweeps": """
        for (int i = 0; i < 31; i++) {
            c[0][i] = a[0][i];
            for (int j = 1; j < 40; j++)
                c[j][i] = a[j][i] / (2 + c[j - 1][i]);
            for (int j = 38; j >= 0; j--)
                c[j][i] = c[j][i] * c[j + 1][i] + b[j][i];
        }""",
}
ONE = {
    "the_next_one_reads_it": """
        for (int i = 0; i < 39; i++) {
            double sum = 0;
            for (int j = 0; j < 40; j++)
                sum += c[i][j] * b[0][j];
            for (int j = 0; j < 40; j++)
                c[i + 1][j] += a[i][j] * sum;
        }""",
    "a_sum_goes_on": """
        double sum = 0;
        for (int i = 0; i < 40; i++) {
            for (int j = 0; j < 40; j++)
                sum += a[i][j] * b[0][j];
            for (int j = 0; j < 40; j++)
                c[i][j] += a[i][j] * sum;
        }""",
    "the_last_one_is_read_behind": """
        double sum = 0;
        for (int i = 0; i < 40; i++) {
            sum = 0;
            for (int j = 0; j < 40; j++)
                sum += a[i][j] * c[0][j];
            for (int j = 0; j < 40; j++)
                c[0][j] += a[i][j] * sum;
        }
        c[1][1] = sum;""",
}


def made(body: str, target: Target, folder: Path) -> Build:
    return build_text(
        "void top(const double a[40][40], const double b[40][40], double c[40][40])"
        f"\n{{{body}\n}}\n",
        target,
        CLOCK_PS,
        folder,
    )


def agrees(built: Build) -> None:
    numbers = np.random.default_rng(1)
    check(built, {name: numbers.random(SIZE * SIZE).tobytes() for name in "abc"})


def is_split(built: Build) -> bool:
    return any("split" in block.name for block in built.finished.blocks)


@pytest.mark.parametrize("name", PROGRAMS)
def test_two_loops(name: str, target: Target, tmp_path: Path) -> None:
    built = made(PROGRAMS[name], target, tmp_path)
    assert is_split(built)
    assert max(block.interleaved for block in built.finished.blocks) > 1
    agrees(built)


@pytest.mark.parametrize("name", ONE)
def test_one_loop(name: str, target: Target, tmp_path: Path) -> None:
    built = made(ONE[name], target, tmp_path)
    assert not is_split(built)
    assert not built.finished.pairs
    agrees(built)
