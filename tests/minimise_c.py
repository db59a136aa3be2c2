# SPDX-License-Identifier: Apache-2.0
"""Makes a random program smaller as long as it fails in the same way.

    python tests/minimise_c.py SEED-OR-FILE

writes the smallest C found to standard output. Lines go first, then expressions in parentheses are
replaced by parts of themselves or by a number. What a step makes is kept only if it still fails,
and has no undefined behaviour that clang's sanitiser sees.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import conftest  # noqa: F401  puts the package on the path
from agreement import build, check
from random_c import SIZES, Program, generate, read
from tandem.compiler.compile import find_target
from tandem.diagnostics import TandemError, UserError
from tandem.frontend.clang import run_clang

CLOCK_PS = 10_000
DATA_SETS = 3
LIMIT_SECONDS = 60
SANITIZE = ["-fsanitize=undefined", "-fsanitize-trap=undefined", "-O1", "-shared", "-fPIC"]
STRICT = ["-Werror=uninitialized", "-Werror=return-type", "-Wno-unknown-pragmas"]
CAST = re.compile(r"\((?:u?int\d+_t|(?:unsigned )?__int128)\)")

Fails = Callable[[str], bool]


def calls(program: Program) -> Iterator[dict[str, int | bytes]]:
    """The data that each version is tried on."""
    random = Random(0)
    for _ in range(DATA_SETS):
        for n in SIZES:
            yield program.values(random, n)


def failure(program: Program, folder: Path) -> str:
    """What goes wrong, without what changes from one version to the next; '' when all agree."""
    source = folder / "top.c"
    source.write_text(program.text)
    try:
        built = build(source, "top", find_target("ecp5"), CLOCK_PS, folder, slower_clock=True)
        for values in calls(program):
            check(built, values)
    except UserError as error:
        return error.diagnostics[0].code
    except (AssertionError, TandemError) as error:
        return re.split(r"[\d`]", str(error))[0] + type(error).__name__
    return ""


def sanitised_run(program: Program, folder: Path) -> str:
    """'' when the C runs to its end without undefined behaviour; a trap ends the process."""
    source, library = folder / "top.c", folder / "top.so"
    source.write_text(program.text)
    run_clang([*SANITIZE, *STRICT, str(source), "-o", str(library)])
    top = ctypes.CDLL(str(library)).top
    for values in calls(program):
        arguments = []
        for name in parameters(program.text):
            value = values[name]
            arguments.append(
                ctypes.create_string_buffer(value, len(value) + 1)
                if isinstance(value, bytes)
                else ctypes.c_int64(value)
            )
        top(*arguments)
    return ""


def parameters(text: str) -> list[str]:
    """The names of the parameters of `top`, in order."""
    header = next(line for line in text.splitlines() if re.match(r"\w+ top\(", line))
    declared = header[header.index("(") + 1 : -1].split(", ")
    return [] if declared == ["void"] else [re.split(r"[ *]", d)[-1] for d in declared]


def isolated(run: Callable[[Program, Path], str], program: Program) -> str:
    """The result of `run` in a process of its own, 'died' if that does not end well."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        _answer(run, program, writer)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found = answer.read()
    return "died" if os.waitpid(child, 0)[1] else found


def _answer(run: Callable[[Program, Path], str], program: Program, writer: int) -> None:
    status = 1
    signal.alarm(LIMIT_SECONDS)
    try:
        with tempfile.TemporaryDirectory() as folder, os.fdopen(writer, "w") as out:
            out.write(run(program, Path(folder)))
        status = 0
    except Exception:  # whatever it was, this version is not the failure looked for
        pass
    finally:
        os._exit(status)


def without_lines(text: str, fails: Fails) -> str:
    """Runs of lines with as many opening as closing braces go, long runs first."""
    lines = text.splitlines(keepends=True)
    count = len(lines) // 2
    while count:
        at = 0
        while at < len(lines):
            gone, left = lines[at : at + count], lines[:at] + lines[at + count :]
            balanced = sum(line.count("{") - line.count("}") for line in gone) == 0
            if balanced and not any("top(" in line for line in gone) and fails("".join(left)):
                lines = left
            else:
                at += count if count > 3 else 1
        count //= 2
    return "".join(lines)


def groups(text: str) -> list[tuple[int, int]]:
    """Where the expressions in parentheses are, the longest first."""
    opened, found = [], []
    for at, letter in enumerate(text):
        if letter == "(":
            opened.append(at)
        elif letter == ")" and opened:
            start = opened.pop()
            if not CAST.fullmatch(text[start : at + 1]):
                found.append((start, at + 1))
    return sorted(found, key=lambda place: place[0] - place[1])


def simpler(expression: str) -> Iterator[str]:
    inside = expression[1:-1]
    for start, stop in groups(inside)[:3]:
        yield inside[start:stop]
    yield from ("0x1u", "0x0u")


def with_simpler_expressions(text: str, fails: Fails) -> str:
    start = 0
    while start < len(groups(text)):
        low, high = groups(text)[start]
        shorter = (text[:low] + part + text[high:] for part in simpler(text[low:high]))
        better = next((t for t in shorter if len(t) < len(text) and fails(t)), None)
        if better is None:
            start += 1
        else:
            text = better
    return text


def minimise(program: Program) -> str:
    """The C of the smallest program found that fails as `program` does."""
    wanted = isolated(failure, program)
    if not wanted:
        return "// it does not fail\n"

    def fails(text: str) -> bool:
        smaller = replace(program, text=text)
        return isolated(sanitised_run, smaller) == "" and isolated(failure, smaller) == wanted

    text, before = program.text, ""
    while text != before:
        before = text
        text = with_simpler_expressions(without_lines(text, fails), fails)
    return f"// {wanted}\n{text}"


if __name__ == "__main__":
    what = sys.argv[1]
    start = generate(int(what)) if what.isdigit() else read(Path(what).read_text())
    print(minimise(start), end="")
