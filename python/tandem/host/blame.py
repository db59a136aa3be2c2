# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is when hardware and C differ: C that the language leaves undefined may do one
thing in software and another in hardware. The program is compiled once more, with checks, and run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tandem.diagnostics import Diagnostic, Place, TandemError
from tandem.files import temporary_folder
from tandem.frontend.clang import run_clang, warnings_of
from tandem.frontend.program import Program
from tandem.host.prepare import Job, Prepared, prepared

LIMIT_SECONDS = 120
UNDEFINED = ["-g", "-O1", "-fsanitize=undefined", "-fno-sanitize-trap=all"]
AS_ZEROS = "-ftrivial-auto-var-init=zero"
ADDRESS = ["-g", "-O1", "-fsanitize=address", "-fno-omit-frame-pointer"]
# What clang finds without running anything, and hardware then sees as zeros.
STATIC = ("uninitialized", "return-type", "array-bounds", "shift-count")

_PANIC = re.compile(r"^(?:thread \d+ )?panic: (.*)$", re.M)
_RUNTIME = re.compile(r"^(\S+?):(\d+):\d+: runtime error: (.*)$", re.M)
_ADDRESS = re.compile(r"^==\d+==ERROR: AddressSanitizer: (\S+)", re.M)
_FRAME = re.compile(
    r"^\s*(?:#\d+ \S+ in (\S+) )?(\S+?):(\d+)(?::\d+)?(?:: 0x[0-9a-f]+ in (\S+))?", re.M
)


def undefined_behaviour(program: Program, arguments: Sequence[str]) -> Diagnostic | None:
    """What the C does that it must not, with its place; None if the checks find nothing. The
    application runs up to twice more."""
    found = _static(program)
    if found is not None:
        return found
    with temporary_folder() as folder:
        for build in (_with_clang, _with_cc):
            checked = build(program, folder / build.__name__)
            text = _output(checked, arguments) if checked else ""
            found = _read(text, program)
            if found is not None:
                return found
    return None


def unset_variable(job: Job, runs: Callable[[Prepared], object]) -> Diagnostic | None:
    """That the C reads a variable, or an element of an array, that was never set: hardware and C
    agree once all start as zeros, in both. None where they differ still. `runs`: what runs the
    application once more, and raises TandemError where they differ."""
    given = replace(job.given, flags=(*job.given.flags, AS_ZEROS))
    try:
        with prepared(replace(job, given=given, keep=None)) as build:
            runs(build)
    except TandemError:
        return None
    return _finding(
        "they agree once every variable starts as zeros, so that one seems to be read that was "
        f"never set ({AS_ZEROS})",
        Place(str(job.main)),
    )


def _static(program: Program) -> Diagnostic | None:
    for file in program.files:
        for line, message, flag in warnings_of(file):
            if any(name in flag for name in STATIC):
                return _finding(message, Place(str(file.path), line))
    return None


def _finding(message: str, place: Place) -> Diagnostic:
    return Diagnostic(
        "undefined",
        f"the C's behaviour is undefined here, so that hardware and software may differ: {message}",
        place,
        "correct the C",
    )


def _with_clang(program: Program, output: Path) -> Path | None:
    words = [w for file in program.files for w in (*file.flags, file.path)]
    try:
        run_clang([*words, *UNDEFINED, "-w", "-o", output, *program.link, "-lm"], program.is_cxx)
    except TandemError:
        return None
    return output


def _with_cc(program: Program, output: Path) -> Path | None:
    """With a compiler of the system, if it has one: the library that finds accesses out of bounds
    is not in ours."""
    compiler = shutil.which("c++" if program.is_cxx else "cc")
    if compiler is None:
        return None
    words = [str(w) for file in program.files for w in (*file.flags, file.path)]
    command = [compiler, *words, *ADDRESS, "-w", "-o", str(output), *program.link, "-lm"]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    return output if done.returncode == 0 else None


def _output(program: Path, arguments: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            [str(program), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=LIMIT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stderr.decode(errors="replace")


def _read(text: str, program: Program) -> Diagnostic | None:
    """The first complaint of a checked program, at the first place of its trace in a file of the
    program."""
    names = {path.resolve(): str(path) for path in program.paths}
    runtime = _RUNTIME.search(text)
    if runtime:
        file = names.get(Path(runtime[1]).resolve(), runtime[1])
        return _finding(runtime[3], Place(file, int(runtime[2])))
    found = _PANIC.search(text) or _ADDRESS.search(text)
    if not found:
        return None
    for frame in _FRAME.finditer(text, found.end()):
        file = names.get(Path(frame[2]).resolve())
        if file is not None:
            return _finding(found[1], Place(file, int(frame[3])))
    return _finding(found[1], Place(str(program.main)))
