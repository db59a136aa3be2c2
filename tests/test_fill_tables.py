# SPDX-License-Identifier: Apache-2.0
"""fill-tables: what every call fills with the same numbers is a table, however it is spelled."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.languages.discovery import find_program
from tandem.schedule.delays import Target
from trial import good, source, tandem

CLOCK_PS = 10_000
BEFORE = "static int cube(int x) { return x * x * x; }\nstatic const int odd[32] = {1, 9, 4};\n"
FILLED = {
    "for": "for (int k = 0; k < 32; k++) t[k] = k * k * 77;",
    "while": "int k = 0; while (k < 32) { t[k] = k * k * 77; k++; }",
    "do": "int k = 32; do { k--; t[k] = k ^ k << 9; } while (k);",
    "pointer": "int *p = t; for (int k = 0; p != t + 32; k += 3) *p++ = k * k;",
    "function": "for (int k = 0; k < 32; k++) t[k] = cube(k + 5);",
    "nest": "for (int i = 0; i < 4; i++) for (int k = 0; k < 8; k++) t[8 * i + k] = i * 1000 - k;",
    "recurrence": "int x = 1; for (int k = 0; k < 32; k++) { t[k] = x; x = x * 5 + 3; }",
    "search": "for (int k = 0; k < 32; k++) { int r = 0; while (r * r < k * 99) r++; t[k] = r; }",
    "two loops": "for (int k = 0; k < 32; k++) t[k] = k * 3;\n"
    "for (int k = 1; k < 32; k++) t[k] += t[k - 1];",
    "two arrays": "int u[32]; for (int k = 0; k < 32; k++) u[k] = k * k * k;\n"
    "for (int k = 0; k < 32; k++) t[k] = u[31 - k] - k;",
    "a table": "for (int k = 0; k < 32; k++) t[k] = odd[k] + odd[k & 3] * k;",
    "branches": "for (int k = 0; k < 32; k++) { if (k % 3) t[k] = k; else t[k] = -k * 5; }",
}
STAYS = {
    "the call decides": "for (int k = 0; k < 32; k++) t[k] = k * n;",
    "stored in later": "for (int k = 0; k < 32; k++) t[k] = k * k * 77; t[n & 31] = 5;",
    "read before it is full": "for (int k = 0; k < 32; k++) t[k] = k * 3; n += t[n & 31];\n"
    "for (int k = 0; k < 32; k++) t[k] = k * 7;",
}


def kernel(filled: str) -> str:
    return f"{BEFORE}int f(int n, int m)\n{{ int t[32]; {filled} return t[n & 31] + t[m & 31]; }}\n"


def kinds(folder: Path, filled: str, target: Target) -> dict[str, str]:
    path = source(folder, kernel(filled), "f.c")
    found = compile_kernel(find_program(path, None), "f", target, CLOCK_PS)
    return {memory.name: memory.kind for memory in found.schedule.kernel.memories.values()}


@pytest.mark.parametrize("name", FILLED)
def test_it_becomes_a_table(name: str, tmp_path: Path, target: Target) -> None:
    assert "ram" not in kinds(tmp_path, FILLED[name], target).values()


@pytest.mark.parametrize("name", STAYS)
def test_it_stays_an_array(name: str, tmp_path: Path, target: Target) -> None:
    assert "ram" in kinds(tmp_path, STAYS[name], target).values()


@pytest.mark.parametrize("name", ["two arrays", "read before it is full"])
def test_calls_are_right(name: str, tmp_path: Path) -> None:
    calls = "for (int i = 0; i < 32; i++) s += f(i, 31 - i);"
    main = f"int main(void) {{ int s = 0; {calls} return s == 1; }}\n"
    source(tmp_path, kernel((FILLED | STAYS)[name]) + main)
    good(tandem("verify", "app.c", "--offload", "f", cwd=tmp_path))
