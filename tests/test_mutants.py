# SPDX-License-Identifier: Apache-2.0
"""bench/mutants.py changes what is executed, one place at a time; it knows what a test reached."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[1] / "bench"
sys.path.insert(0, str(BENCH))

from mutants import drawn, in_turns, longest_s, within  # noqa: E402
from mutate_python import mutants_of  # noqa: E402
from reach import KnownTest, blocks_of, marked  # noqa: E402

TEXT = '''"""Sums 1 and 2."""
from __future__ import annotations
from math import pi

def total(values: list[int], limit: int = 3) -> int:
    """No more than 9."""
    found = 0
    for value in values:
        if value < limit:
            continue
        found += value
    return found

def unused(text):
    raise ValueError(f"{text + 1}")
'''


def changed(tmp_path: Path) -> list[str]:
    path = Path("python") / "tandem" / "small.py"
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(TEXT)
    mutants = list(mutants_of(tmp_path, path))
    for mutant in mutants:
        text = mutant.applied(TEXT.encode()).decode()
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(TEXT)), mutant
    return [mutant.name.split(": ", 1)[1] for mutant in mutants]


def test_only_what_is_executed_is_changed(tmp_path: Path) -> None:
    assert sorted(changed(tmp_path)) == [
        "total: 0 -> (-1)",
        "total: 0 -> 1",
        "total: 3 -> (2)",
        "total: 3 -> 4",
        "total: continue -> pass",
        "total: found += value -> found -= value",
        "total: found += value -> pass",
        "total: found -> None",
        "total: value < limit -> (not (value < limit))",
        "total: value < limit -> (value <= limit)",
        'unused: raise ValueError(f"{text + 1}") -> pass',
    ]


def test_a_draw_is_repeated_and_goes_on(tmp_path: Path) -> None:
    changed(tmp_path)
    mutants = list(mutants_of(tmp_path, Path("python") / "tandem" / "small.py"))
    assert drawn(mutants, 3, 7) == drawn(mutants, 6, 7)[:3]
    assert len({mutant.line for mutant in drawn(mutants, 9, 7)}) == 7


def test_a_module_marks_the_blocks_that_it_reaches(monkeypatch) -> None:
    path, number, marks = Path("python") / "tandem" / "small.py", {}, bytearray(9)
    text = marked(TEXT, path, number).replace("from tandem._marks import marks as __marks__", "")
    space: dict[str, Any] = {"__marks__": marks}
    exec(compile(text, "small.py", "exec"), space)
    marks[:] = bytes(9)
    assert space["total"]([1, 2]) == 0
    reached = {name for name, place in number.items() if marks[place]}
    assert reached == {f"tandem.small:.total:{n}" for n in (0, 1, 2, 4)}
    assert sorted(number) == sorted(blocks_of(ast.parse(TEXT), path).names)


def test_tests_of_the_module_come_first_and_each_file_has_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = [
        KnownTest(f"tests/test_{file}.py::{name}", seconds, frozenset())
        for file, name, seconds in (("a", "x", 1), ("a", "y", 2), ("b", "z", 3), ("small", "w", 9))
    ]
    monkeypatch.setattr("mutants.known_tests", lambda: tests)
    longest_s.cache_clear()
    changed(tmp_path)
    mutant = next(mutants_of(tmp_path, Path("python") / "tandem" / "small.py"))
    order = in_turns(tests, mutant)
    assert [test.name[-1] for test in order] == ["w", "x", "z", "y"]
    assert [test.name[-1] for test in within(order, 12)] == ["w", "x", "y"]
    assert [test.name[-1] for test in within(order, 1)] == ["x"]
    assert within(order, 0) == order[:1]
    longest_s.cache_clear()
