# SPDX-License-Identifier: Apache-2.0
"""merge-counters: of a loop inside of another one it is known how often it runs, though it counts
to a counter of its own there."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.analysis.ranges import turns_of
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

SIZE, CLOCK_PS = 24, 10_000
HEAD = "void top(int c[24][24], const int a[24][24])\n{\n"
ROW = "c[i][j] += a[i][j] * 3;"
TRIANGLES = {
    "up to the diagonal": f"for (int i = 0; i < 24; i++) for (int j = 0; j <= i; j++) {ROW}",
    "before one behind it": f"for (int i = 0; i < 24; i++) for (int j = 0; j < i + 1; j++) {ROW}",
    "not equal": f"for (int i = 0; i != 24; i++) for (int j = 0; j != i + 1; j++) {ROW}",
    "counting down": f"for (int i = 23; i >= 0; i--) for (int j = i; j >= 0; j--) {ROW}",
    "without signs": f"for (unsigned i = 0; i < 24; i++) for (unsigned j = 0; j <= i; j++) {ROW}",
    "long": f"for (long i = 0; i < 24; i++) for (long j = 0; j <= i; j++) {ROW}",
    "while": f"int i = 0; while (i < 24) {{ int j = 0; while (j <= i) {{ {ROW} j++; }} i++; }}",
    "do": f"int i = 0; do {{ int j = 0; do {{ {ROW} }} while (++j <= i); }} while (++i < 24);",
    "a counter of its own": f"int n = 1; for (int i = 0; i < 24; i++, n++) "
    f"for (int j = 0; j < n; j++) {ROW}",
    "rows": "for (int i = 0; i < 24; i++) { int *to = c[i]; const int *from = a[i]; "
    "for (int j = 0; j <= i; j++) to[j] += from[j] * 3; }",
    "moving pointers": "int *to = c[0]; const int *from = a[0]; int n = 1; "
    "for (int i = 0; i < 24; i++) { for (int j = 0; j < n; j++) to[j] += from[j] * 3; "
    "to += 24; from += 24; n++; }",
    "twice": f"for (int i = 0; i < 24; i++) {{ for (int j = 0; j <= i; j++) {ROW} "
    f"for (int j = 0; j <= i; j++) c[j][i] += a[j][i]; }}",
}


@pytest.mark.parametrize("how", TRIANGLES)
def test_how_often_the_loops_of_triangles_run(how: str, target: Target, tmp_path: Path) -> None:
    built = build_text(HEAD + TRIANGLES[how] + "\n}", target, CLOCK_PS, tmp_path)
    kernel = built.schedule.kernel
    turns = turns_of(kernel)
    pipelines = [block for block in kernel.blocks if block.is_loop]
    assert pipelines and all(turns[block][1] <= SIZE for block in pipelines), turns
    numbers = Random(1)
    check(built, {name: numbers.randbytes(4 * SIZE * SIZE) for name in "ac"})
