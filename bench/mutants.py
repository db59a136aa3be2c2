# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice? Random small changes of Tandem's own code, and the tests that reach them.

    python bench/mutants.py python 200 --seed 1
    python bench/mutants.py rust 100 --seed 1

A change that no test fails for has survived: a test is missing, the code is not needed, or the
change means nothing. Each result is kept at once; the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutate_python import Mutant, python_mutants
from mutate_rust import rust_mutants
from reach import REPOSITORY, WORK, KnownTest, copied, environment, known_tests

EQUIVALENT = REPOSITORY / "bench" / "equivalent_mutants.toml"
NEAREST_S, LONG_S, HANGING_S = 8.0, 20.0, 90.0
"""Tests run in two parts, the nearest ones first; how much longer than the time for them, and than
their longest one, they may take until they count as failed."""
STRONGEST = ("functions", "kernels", "latency", "applications", "passes")
"""The files that compare values and cycles of many kernels: they come after the nearest."""
CARGO_S = 75.0
LIBRARY = Path("python") / "tandem" / "_engine" / "tandem" / "libtandem.so"
ENGINE_TESTS = (
    *("runtime", "transfers", "threads", "trace", "what_if", "platforms", "platform_fit"),
    *("batches", "streams", "estimates", "program", "limits", "package", "reproduce", "main_job"),
)
"""The files whose tests run the engine, by far the most of them for its own sake."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: `killed` by what, or `survived`, `unreached` by any test, or
    `unviable`: the compiler refuses it."""

    outcome: str
    by: str = ""
    seconds: float = 0.0
    tests: int = 0


def drawn(mutants: Iterable[Mutant], number: int, seed: int) -> list[Mutant]:
    """So many lines at random, each with one of its mutants."""
    lines: dict[tuple[Path, int], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        lines[mutant.file, mutant.line].append(mutant)
    chance = random.Random(seed)
    places = sorted(lines)
    chance.shuffle(places)
    return [chance.choice(lines[place]) for place in places[:number]]


def limited(command: list[str], copy: Path, limit_s: float, **more: str) -> tuple[int | None, str]:
    """Status (None: it took too long) and what was printed; all that it started ends with it."""
    own = {
        "CARGO_TARGET_DIR": str(WORK / "target"),
        "CARGO_PROFILE_TEST_DEBUG": "0",
        "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",  # a case of one mutant is not tried on others
    }
    with subprocess.Popen(
        command,
        cwd=copy,
        env={**environment(copy), **own, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            printed, _ = child.communicate(timeout=limit_s)
            return child.returncode, printed
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None, ""


def _is_of_module(mutant: Mutant, test: KnownTest) -> bool:
    """A test of the module has that in its name, as a pass's golden texts have."""
    stem = mutant.file.stem
    return stem in test.name or stem.replace("_", "-") in test.name


def _distance(mutant: Mutant, test: KnownTest) -> int:
    name = Path(test.file).stem.removeprefix("test_")
    return 0 if _is_of_module(mutant, test) else 1 if name in STRONGEST else 2


def in_turns(tests: Iterable[KnownTest], mutant: Mutant) -> list[KnownTest]:
    """The nearest tests, then one of each file after the other, first what goes through most of the
    mutant's module; files with a long test, which may be for all of them, at the end."""
    module = mutant.block.partition(":")[0]
    files: dict[str, list[KnownTest]] = defaultdict(list)

    def nearness(test: KnownTest) -> tuple[bool, int, int, float]:
        is_long = longest_s(test.file) > LONG_S
        return is_long, _distance(mutant, test), -test.of_modules[module], test.seconds

    ordered = sorted(tests, key=nearness)
    nearest = [test for test in ordered if nearness(test)[:2] == (False, 0)]
    for test in ordered[len(nearest) :]:
        files[test.file].append(test)
    order = sorted(files.values(), key=lambda file: nearness(file[0]))
    length = max(map(len, order), default=0)
    return nearest + [file[turn] for turn in range(length) for file in order if turn < len(file)]


def reaching(mutant: Mutant) -> list[KnownTest]:
    """The tests that execute the mutant's block; for what is done at import, all that execute any
    of the module or have it in their names: a table is no block."""
    module, function, _ = mutant.block.split(":")
    last = function.rpartition(".")[2]
    if not last or last[0].isupper() or last[:2] in {f"_{c}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}:
        start = f"{module}:"
        found = [
            test
            for test in known_tests()
            if _is_of_module(mutant, test) or any(b.startswith(start) for b in test.blocks)
        ]
    else:
        found = [t for t in known_tests() if mutant.block in t.blocks]
    return in_turns(found, mutant)


def within(tests: list[KnownTest], budget_s: float) -> list[KnownTest]:
    """As many as the time allows, at least one."""
    chosen, spent = [], 0.0
    for test in tests:
        if spent + test.seconds <= budget_s:
            chosen.append(test)
            spent += test.seconds
    return chosen or tests[:1]


@cache
def longest_s(file: str) -> float:
    """The time of a file's longest test: no less than that for what its tests share."""
    return max((test.seconds for test in known_tests() if test.file == file), default=0)


def fails(tests: list[KnownTest], copy: Path, budget_s: float) -> str | None:
    """The first test that fails, if one does in the time."""
    if not tests:
        return None
    options = [
        "-q",
        "-x",
        "-p",
        "in_time",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--tb=no",
        "-rfE",
    ]
    command = [sys.executable, "-m", "pytest", *options, *(t.name for t in tests)]
    path = os.pathsep.join([environment(copy)["PYTHONPATH"], str(Path(__file__).parent)])
    told_to = {"BUDGET_S": str(budget_s), "PYTHONPATH": path}
    limit_s = budget_s + max(t.seconds for t in tests) + HANGING_S
    status, printed = limited(command, copy, limit_s, **told_to)
    if status == 0:
        return None
    marked = [line for line in printed.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    told = marked[0].split(" ", 1)[1].split(" - ")[0] if marked else f"status {status}"
    return "took too long" if status is None else told


def in_parts(tests: list[KnownTest], copy: Path, budget_s: float) -> str | None:
    """The nearest tests first: most mutants end there."""
    nearest = within(tests, NEAREST_S)
    rest = [test for test in tests if test not in nearest]
    return fails(nearest, copy, budget_s) or fails(rest, copy, budget_s)


def chosen(found: list[KnownTest], budget_s: float, named: Sequence[str]) -> list[KnownTest]:
    """The tests that were named, or as many of those found as the time allows."""
    if named:
        return [KnownTest(name, 0.0, frozenset()) for name in named]
    return within(found, budget_s)


def forget_compiled(path: Path) -> None:
    """What is compiled of a file may be of the same second, and of the same size."""
    for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        stale.unlink()


def tried_python(mutant: Mutant, copy: Path, budget_s: float, named: Sequence[str] = ()) -> Outcome:
    start = time.monotonic()
    tests = chosen(reaching(mutant), budget_s, named)
    if not tests:
        return Outcome("unreached")
    forget_compiled(copy / mutant.file)
    by = in_parts(tests, copy, budget_s)
    forget_compiled(copy / mutant.file)
    spent = time.monotonic() - start
    return Outcome("killed" if by else "survived", by or "", round(spent, 1), len(tests))


def tried_rust(mutant: Mutant, copy: Path, budget_s: float, named: Sequence[str] = ()) -> Outcome:
    """The engine's own tests first, then Tandem's with the engine."""
    start = time.monotonic()

    def ended(outcome: str, by: str = "", tests: int = 0) -> Outcome:
        return Outcome(outcome, by, round(time.monotonic() - start, 1), tests)

    if limited(["cargo", "test", "--quiet", "--no-run"], copy, 5 * CARGO_S)[0] != 0:
        return ended("unviable")
    status, printed = limited(["cargo", "test", "--quiet"], copy, CARGO_S)
    if status != 0:
        failed = re.findall(r"^---- (\S+) stdout", printed, re.M)
        return ended("killed", failed[0] if failed else f"cargo test: {status}")
    built(copy)
    names = {f"tests/test_{name}.py" for name in ENGINE_TESTS}
    found = in_turns((t for t in known_tests() if t.file in names), mutant)
    tests = chosen(found, budget_s, named)
    by = in_parts(tests, copy, budget_s)
    return ended("killed" if by else "survived", by or "", len(tests))


def built(copy: Path) -> None:
    """The copy's engine as its tests take it."""
    assert limited(["cargo", "build", "--quiet"], copy, 5 * CARGO_S)[0] == 0
    (copy / LIBRARY).unlink()
    shutil.copy(WORK / "target" / "debug" / LIBRARY.name, copy / LIBRARY)


LANGUAGES: dict[str, tuple[Callable[..., list[Mutant]], Callable[..., Outcome]]] = {
    "python": (python_mutants, tried_python),
    "rust": (rust_mutants, tried_rust),
}


def tried(
    language: str, mutant: Mutant, copy: Path, budget_s: float, named: Sequence[str]
) -> Outcome:
    """The mutant, for as long as its tests run."""
    path = copy / mutant.file
    source = path.read_bytes()
    path.write_bytes(mutant.applied(source))
    try:
        return LANGUAGES[language][1](mutant, copy, budget_s, named)
    finally:
        path.write_bytes(source)


def kept(results: Path) -> dict[str, dict]:
    """The last result of each mutant."""
    if not results.exists():
        return {}
    rows = map(json.loads, results.read_text().splitlines())
    return {row["mutant"]: row for row in rows}


def told(rows: Iterable[dict]) -> str:
    """How many were killed, and the others one by one, those that mean the same with them."""
    reasons = tomllib.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    viable = [row for row in rows if row["outcome"] != "unviable"]
    count = Counter(row["outcome"] for row in viable)
    others = [row for row in viable if row["outcome"] != "killed"]
    equal = sum(row["mutant"] in reasons for row in others)
    lines = [
        f"{row['outcome']}: {row['file']}:{row['line']}: {row['mutant'].split(': ', 1)[1]}"
        + (f"  [means the same: {reasons[row['mutant']]}]" if row["mutant"] in reasons else "")
        for row in sorted(others, key=lambda r: (r["file"], r["line"]))
    ]
    rate = 100 * count["killed"] / max(1, len(viable))
    return "\n".join([*lines, f"{count['killed']} of {len(viable)} killed, {rate:.1f} %; "
                      f"of the others {equal} mean the same"])  # fmt: skip


def main() -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget-s", type=float, default=60, help="of tests for one mutant")
    parser.add_argument("--again", action="store_true", help="try those that survived once more")
    parser.add_argument("--tests", nargs="+", default=[], help="these in place of those that reach")
    given = parser.parse_args()
    results = WORK / f"{given.language}-{given.seed}.jsonl"
    copy = copied(given.language)
    if given.language == "rust":
        built(copy)
    mutants = drawn(LANGUAGES[given.language][0](copy), given.number, given.seed)
    done = kept(results)
    for mutant in mutants:
        known = done.get(mutant.name)
        if known and not (given.again and known["outcome"] in ("survived", "unreached")):
            continue
        outcome = tried(given.language, mutant, copy, given.budget_s, given.tests)
        place = {"mutant": mutant.name, "file": str(mutant.file), "line": mutant.line}
        row = place | vars(outcome)
        with results.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(outcome.outcome, outcome.seconds, mutant.name[:150], outcome.by, flush=True)
    ended = kept(results)
    print(told(ended[mutant.name] for mutant in mutants if mutant.name in ended))


if __name__ == "__main__":
    main()
