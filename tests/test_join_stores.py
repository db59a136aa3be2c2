# SPDX-License-Identifier: Apache-2.0
"""join-stores: what is stored before a loop that may be passed by, and again behind it, is stored
once; however it is spelled, and only where nothing else sees the first value."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.ir.ops import Store
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = "void top(const int a[64], const int b[64], int c[64], int n, int m)"
TERMS = "for (int k = 0; k < m; k++) c[i] += a[k] * b[i ^ k & 7];"
ONCE = {
    "zero": f"for (int i = 0; i < n; i++) {{ c[i] = 0; {TERMS} }}",
    "another": f"for (int i = 0; i < n; i++) {{ c[i] = b[i]; {TERMS} }}",
    "what is there": f"for (int i = 0; i < n; i++) {{ c[i] *= 3; {TERMS} }}",
    "behind it too": f"for (int i = 0; i < n; i++) {{ c[i] = 1; {TERMS} c[i] *= 5; }}",
    "guarded": f"for (int i = 0; i < n; i++) {{ c[i] = 0; if (m > 0) {TERMS} }}",
    "a number": """for (int i = 0; i < n; i++) { int s = 7; c[i] = s;
        if (m > 2) { for (int k = 0; k < m; k++) s += a[k]; c[i] = s; } }""",
    "pointer": """for (int *p = c; p != c + (n & 63); ++p) { *p = 0;
        for (const int *q = a; q < a + m; q++) *p += *q; }""",
    "while": """int i = 0; while (i < n) { c[i] = 0; int k = 0;
        while (k < m) { c[i] += a[k]; k++; } i++; }""",
    "down": """for (int i = n - 1; i >= 0; i--) { c[i] = a[i];
        for (int k = m - 1; k >= 0; k--) c[i] -= b[k]; }""",
    "do": "int i = 0; if (n > 0) do { c[i] = 2; " + TERMS + " } while (++i < n);",
    "long": """for (long i = 0; i < n; i++) { c[i] = 0;
        for (unsigned long k = 0; k < (unsigned char)m; k++) c[i] ^= a[k]; }""",
}
TWICE = {
    "read between": """for (int i = 0; i < n; i++) { c[i] = 5; int s = 0;
        for (int k = 0; k < m; k++) s += c[a[k] & 63]; if (m > 0) c[i] = s; }""",
    "another place": """for (int i = 0; i < n; i++) { c[i] = 5; int s = 0;
        for (int k = 0; k < m; k++) s += a[k]; if (m > 0) c[i ^ 1] = s; }""",
    "left early": """for (int i = 0; i < n; i++) { c[i] = 5; int s = 0;
        for (int k = 0; k < m; k++) { if (a[k] == 77) return; s += a[k]; }
        if (m > 0) c[i] = s; }""",
}


def stores(built: Build) -> int:
    return sum(isinstance(op, Store) and op.memory.name == "c" for _, op in built.finished.ops())


def agrees(built: Build) -> None:
    """For calls with none of either loop, with one, and with several."""
    for n, m in ((0, 5), (5, 0), (1, 1), (9, 4), (64, 64)):
        random = Random(f"{n} {m}")
        check(built, {x: random.randbytes(256) for x in "abc"} | {"n": n, "m": m})


@pytest.mark.parametrize("spelling", ONCE)
def test_one_store(spelling: str, tmp_path: Path, target: Target) -> None:
    built = build_text(f"{HEAD}\n{{ {ONCE[spelling]} }}", target, CLOCK_PS, tmp_path)
    assert stores(built) == 1
    agrees(built)


@pytest.mark.parametrize("spelling", TWICE)
def test_both_stores(spelling: str, tmp_path: Path, target: Target) -> None:
    built = build_text(f"{HEAD}\n{{ {TWICE[spelling]} }}", target, CLOCK_PS, tmp_path)
    assert stores(built) > 1
    agrees(built)
