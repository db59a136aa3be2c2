# SPDX-License-Identifier: Apache-2.0
"""Integers that all calls of a local function give the same constant for."""

from __future__ import annotations

from pathlib import Path

import pytest
import tandem
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.languages.imported import import_c
from tandem.schedule.delays import Target

SUM = """#include <stdint.h>
{linkage} uint32_t f(const uint32_t *x, int n, int64_t k)
{{
    uint32_t s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * (uint32_t)(k >> 1);
    return s;
}}
"""
MAIN = """
uint32_t x[300];
int main(int argc, char **argv)
{{
    for (int i = 0; i < 300; i++)
        x[i] = i * 40503u + argc;
    {calls}
}}
"""
KNOWN = {
    "plain": "return f(x, 240, -6) > 9;",
    "twice": "return f(x, 240, -6) > f(x + 8, 240, -6);",
    "variables": "int n = 30 * 8; int64_t k = -n / 40; return f(x, n, k) > 9;",
    "in_a_loop": "int r = 0, n = 240; for (int i = 0; i < 3; i++) r += f(x + i, n, -6); return r;",
}
OPEN = {
    "other": "return f(x, argc, argc);",
    "values_with_numbers_in_their_names": "return f(x, (short)argc, (signed char)argc);",
    "several": "return f(x, 240, -6) > f(x, 230, -5);",
    "kept": "uint32_t (*volatile g)(const uint32_t *, int, int64_t) = f;"
    "return g(x, 240, -6) + f(x, 240, -6);",
}


def program(tmp_path: Path, calls: str, linkage: str = "static") -> Program:
    path = tmp_path / "f.c"
    path.write_text(SUM.format(linkage=linkage) + MAIN.format(calls=calls))
    return Program.of(path)


def told(given: Program) -> list[str]:
    return [note.message for note in import_c(given, "f").notes if note.code == "constant"]


@pytest.mark.parametrize("name", KNOWN)
def test_what_all_calls_say_is_constant(name: str, tmp_path: Path, target: Target) -> None:
    given = program(tmp_path, KNOWN[name])
    assert told(given) == [
        "in all calls of `f` `n` is 240 and `k` is -6: its hardware is made for that"
    ]
    kernel = compile_kernel(given, "f", target, 10_000).kernel
    (loop,) = (block for block in kernel.blocks if block.is_loop)
    assert loop.trip_count is not None
    assert loop.trip_count.value == 240
    assert [argument.name for argument in kernel.arguments] == ["x", "n", "k", "result"]


@pytest.mark.parametrize("name", OPEN)
def test_what_calls_may_say_otherwise_is_not(name: str, tmp_path: Path) -> None:
    assert told(program(tmp_path, OPEN[name])) == []


def test_a_function_that_others_may_call_takes_any_number(tmp_path: Path) -> None:
    assert told(program(tmp_path, KNOWN["plain"], linkage="")) == []


def test_a_function_of_a_header_is_each_files_own(tmp_path: Path) -> None:
    (tmp_path / "f.h").write_text(SUM.format(linkage="static"))
    (tmp_path / "a.c").write_text(
        '#include "f.h"\nextern uint32_t x[300];\nuint32_t a(void) { return f(x, 240, -6); }\n'
    )
    (tmp_path / "f.c").write_text('#include "f.h"\n' + MAIN.format(calls="return f(x, 230, -6);"))
    assert told(Program.of(tmp_path / "f.c", tmp_path / "a.c")) == []


def test_each_argument_by_itself(tmp_path: Path) -> None:
    given = program(tmp_path, "return f(x, 240, argc) > f(x, 240, 5);")
    assert told(given) == ["in all calls of `f` `n` is 240: its hardware is made for that"]


def test_a_recursive_call_says_something_else(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "static int f(int n, int k) { return n ? f(n - 1, k) + k : 0; }\n"
        "int main(void) { return f(5, 3); }\n"
    )
    assert told(Program.of(path)) == []


def test_the_program_runs(tmp_path: Path) -> None:
    """All calls agree, and the argument is still there for them to give."""
    given = program(tmp_path, KNOWN["in_a_loop"].replace("return r", "return !r"))
    result = tandem.verify(given.main, offload="f")
    assert result["checked_calls"] == 3
