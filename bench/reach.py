# SPDX-License-Identifier: Apache-2.0
"""Which tests reach which lines of Tandem's Python: told by the tests themselves, once.

    python bench/reach.py tests/test_*.py

runs each file in a copy in which every block of statements marks itself, in this process and in
those it starts, and keeps for each test its time and the blocks. `mutants.py` chooses tests by it.
"""

from __future__ import annotations

import ast
import json
import mmap
import os
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]
WORK = REPOSITORY / ".cache" / "mutants"
SOURCES = Path("python") / "tandem"
KEPT = WORK / "reach"
SUITES = ("body", "orelse", "finalbody", "handlers", "cases")
MARKS = '''"""The marks of this copy's blocks, shared by all processes that have it."""
import mmap
with open({path!r}, "r+b") as file:
    marks = mmap.mmap(file.fileno(), 0)
'''


def copied(name: str) -> Path:
    """A copy of the last commit, with the engine as it is built."""
    copy = WORK / name
    shutil.rmtree(copy, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--shared", REPOSITORY, copy], check=True)
    engine = SOURCES / "_engine"
    shutil.copytree(REPOSITORY / engine, copy / engine)
    return copy


def modules(root: Path) -> list[Path]:
    """Tandem's own modules, as paths from `root`."""
    found = subprocess.run(
        ["git", "ls-files", f"{SOURCES}/*.py"], cwd=root, check=True, capture_output=True, text=True
    )
    names = [Path(line) for line in found.stdout.splitlines()]
    return [name for name in names if "data" not in name.parts]


@dataclass
class Blocks:
    """The blocks of a module: runs of statements that are executed one after the other.

    A block is named by its function and its number in it: a change elsewhere leaves the name."""

    module: str
    names: list[str] = field(default_factory=list)
    suites: list[tuple[list[ast.stmt], int, str]] = field(default_factory=list)
    of: dict[int, str] = field(default_factory=dict)
    """By statement (its `id`)."""

    def read(self, node: ast.AST, function: str = "") -> Blocks:
        inside = function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{function}.{node.name}"
        for name in SUITES:
            suite = getattr(node, name, [])
            if isinstance(suite, list) and suite and isinstance(suite[0], ast.stmt):
                self._suite(suite, inside)
            elif isinstance(suite, list):
                for part in suite:  # handlers of a try, cases of a match
                    self.read(part, inside)
        return self

    def _suite(self, suite: list[ast.stmt], function: str) -> None:
        name = None
        for place, statement in enumerate(suite):
            if name is None:
                of_function = sum(f"{self.module}:{function}:" in known for known in self.names)
                name = f"{self.module}:{function}:{of_function}"
                self.names.append(name)
                self.suites.append((suite, place, name))
            self.of[id(statement)] = name
            if any(getattr(statement, part, None) for part in SUITES):
                self.read(statement, function)
                name = None  # it may have returned


def blocks_of(tree: ast.Module, path: Path) -> Blocks:
    name = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    return Blocks(name).read(tree)


def _first(suite: list[ast.stmt]) -> int:
    """The place of the first statement that a mark may stand before."""
    for place, statement in enumerate(suite):
        words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        named = isinstance(statement, ast.Global | ast.Nonlocal)
        if not (words or future or named):
            return place
    return len(suite)


def marked(text: str, path: Path, number: dict[str, int]) -> str:
    """The module, with a mark at the head of each of its blocks."""
    tree = ast.parse(text)
    blocks = blocks_of(tree, path)
    for suite, place, name in reversed(blocks.suites):
        index = number.setdefault(name, len(number))
        mark = ast.parse(f"__marks__[{index}] = 1").body
        suite[max(place, _first(suite)) : max(place, _first(suite))] = mark
    start = _first(tree.body)
    tree.body[start:start] = ast.parse("from tandem._marks import marks as __marks__").body
    return ast.unparse(ast.fix_missing_locations(tree))


def instrumented() -> Path:
    """A copy in which every block of statements marks itself."""
    copy = copied("marked")
    number: dict[str, int] = {}
    for path in modules(copy):
        text = (copy / path).read_text()
        (copy / path).write_text(marked(text, path, number))
    names, marks = copy / "blocks.json", copy / "marks"
    names.write_text(json.dumps(list(number)))
    marks.write_bytes(bytes(len(number)))
    (copy / SOURCES / "_marks.py").write_text(MARKS.format(path=str(marks)))
    return copy


class Recorder:
    """The plug-in of pytest that reads the marks after each test and each shared fixture."""

    def __init__(self, copy: Path, to: Path) -> None:
        self.names = json.loads((copy / "blocks.json").read_text())
        with open(copy / "marks", "r+b") as file:
            self.marks = mmap.mmap(file.fileno(), 0)
        self.to = to
        self.shared: dict[str, set[int]] = defaultdict(set)
        self.tests: dict[str, dict[str, Any]] = {}
        self.good: dict[str, bool] = defaultdict(lambda: True)

    def taken(self) -> set[int]:
        found = {place for place, mark in enumerate(self.marks[:]) if mark}
        self.marks[:] = bytes(len(self.marks))
        return found

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """What a shared fixture reaches, all tests that have it reach."""
        if fixturedef.scope == "function":
            return (yield)
        before = self.taken()
        try:
            return (yield)
        finally:
            self.shared[fixturedef.argname] |= self.taken()
            for place in before:
                self.marks[place] = 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[Any]:
        self.taken()
        start = time.monotonic()
        result = yield
        found = self.taken()
        for name in getattr(item, "fixturenames", ()):
            found |= self.shared.get(name, set())
        self.tests[item.nodeid] = {"seconds": time.monotonic() - start, "blocks": sorted(found)}
        return result

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed or report.skipped:
            self.good[report.nodeid] = False

    def pytest_sessionfinish(self) -> None:
        tests = [
            {"test": name, "seconds": round(row["seconds"], 3), "blocks": row["blocks"]}
            for name, row in self.tests.items()
            if self.good[name]
        ]
        reached = sorted({place for test in tests for place in test["blocks"]})
        place = {number: at for at, number in enumerate(reached)}
        for test in tests:
            test["blocks"] = [place[number] for number in test["blocks"]]
        kept = {"blocks": [self.names[number] for number in reached], "tests": tests}
        self.to.write_text(json.dumps(kept))


def environment(copy: Path) -> dict[str, str]:
    """That of a test of a copy: the copy's modules come first, for the processes it starts too."""
    return {**os.environ, "PYTHONPATH": str(copy / "python"), "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class KnownTest:
    """A test that passed: its name, how long it takes, and the blocks it reaches."""

    name: str
    seconds: float
    blocks: frozenset[str]

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]

    @cached_property
    def of_modules(self) -> Counter[str]:
        """How many blocks of each module."""
        return Counter(block.partition(":")[0] for block in self.blocks)


@cache
def known_tests() -> tuple[KnownTest, ...]:
    """The tests of all files that were run so far."""
    tests = []
    for path in sorted(KEPT.glob("*.json")):
        kept = json.loads(path.read_text())
        for test in kept["tests"]:
            blocks = frozenset(kept["blocks"][place] for place in test["blocks"])
            tests.append(KnownTest(test["test"], test["seconds"], blocks))
    return tuple(tests)


def record(copy: Path, file: Path) -> None:
    """One file's tests, in a process of their own, where nothing is in a cache yet."""
    command = [sys.executable, __file__, "--in", copy, KEPT / f"{file.stem}.json", file]
    start = time.monotonic()
    done = subprocess.run(command, cwd=copy, env=environment(copy), stdout=subprocess.DEVNULL)
    print(f"{file}: {time.monotonic() - start:.0f} s, status {done.returncode}", flush=True)


def main(files: list[str]) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    copy = instrumented()
    for file in files:
        record(copy, Path("tests") / Path(file).name)


if __name__ == "__main__":
    if sys.argv[1] == "--in":
        recorder = Recorder(Path(sys.argv[2]), Path(sys.argv[3]))
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", sys.argv[4]]
        sys.exit(int(pytest.main(options, plugins=[recorder])))
    main(sys.argv[1:])
