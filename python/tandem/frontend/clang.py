# SPDX-License-Identifier: Apache-2.0
"""Finding clang, and running it: C to LLVM IR, objects and shared objects.

Clang is the one inside the `ziglang` wheel, or the command in `$TANDEM_CLANG`.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tandem.diagnostics import Diagnostic, InternalError, Place, UserError, user_error
from tandem.frontend.pragmas import rewrite_pragmas
from tandem.frontend.program import CFile

# glibc 2.31 is older than that of any system with Python 3.10 wheels of our dependencies.
ZIG_TARGET = "x86_64-linux-gnu.2.31"
WARNINGS = ["-Wno-unknown-pragmas", "-Wno-unused-command-line-argument"]
# Vector code for this machine's widest registers ran slower than the compiler's default on table
# look-ups (bench/results); the default also lets an executable run on another machine.
NATIVE_FLAGS = ["-O3", "-fno-sanitize=undefined", "-fPIC"]

_MESSAGE = re.compile(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)


def clang_command() -> list[str]:
    """The compiler driver with the options every call needs."""
    override = os.environ.get("TANDEM_CLANG")
    if override:
        return shlex.split(override)
    return [sys.executable, "-m", "ziglang", "cc", "-target", ZIG_TARGET]


def run_clang(arguments: Sequence[str]) -> str:
    """Runs clang; returns its standard output. Raises UserError with clang's own errors."""
    command = [*clang_command(), *WARNINGS, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise user_error(
            "clang-missing",
            f"cannot run clang: {error}",
            help="install the `ziglang` package, or name a clang in $TANDEM_CLANG",
        ) from error
    if done.returncode == -signal.SIGXFSZ:
        raise _failure("File too large")
    if done.returncode:
        raise _failure(done.stderr)
    return done.stdout


def _failure(stderr: str) -> UserError | InternalError:
    found = _MESSAGE.findall(stderr)
    if "No space left" in stderr or "File too large" in stderr or "NoSpaceLeft" in stderr:
        return user_error(
            "disk-full",
            "the compiler could not write its output: the disk is full",
            help="free some space, or choose another folder with -o or $TMPDIR",
        )
    if found:
        return UserError(
            *(Diagnostic("c", text, Place(file, int(line))) for file, line, text in found)
        )
    return InternalError(Diagnostic("clang", f"clang failed: {stderr.strip()[-2000:]}"))


def to_llvm_ir(file: CFile) -> str:
    """Unoptimised LLVM IR of a C file, with names, lines and Tandem's pragmas in it."""
    source = file.path
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        text = rewrite_pragmas(source.read_text(errors="replace"), str(source))
        copy = Path(folder) / source.name
        copy.write_text(text)
        out = Path(folder) / "out.ll"
        run_clang(
            # -O1 with no passes run: functions are not marked `optnone`.
            [
                "-iquote",
                str(source.parent),
                *file.flags,
                "-O1",
                "-Xclang",
                "-disable-llvm-passes",
                "-gline-tables-only",
                "-S",
                "-emit-llvm",
                "-fno-discard-value-names",
                "-fno-sanitize=undefined",
                "-fno-math-errno",
                str(copy),
                "-o",
                str(out),
            ]
        )
        return out.read_text()
