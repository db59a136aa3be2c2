# SPDX-License-Identifier: Apache-2.0
"""Drivers of a chip's kernels for hosts that reach its shells: for Linux in C, and in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.chip.build import SHELL_BYTES
from tandem.chip.callee import Callee, callees
from tandem.chip.linux import linux_files, no_driver
from tandem.chip.python_driver import drivers_py
from tandem.diagnostics import Diagnostic
from tandem.frontend.program import Program
from tandem.ir.kernel import Kernel
from tandem.rtl.buses import PROTOCOLS

LINUX, PYTHON = "linux", "python"
PYTHON_FILE = "drivers.py"


def write_drivers(
    chip: dict[str, Any], program: Program, kernels: Sequence[Kernel], folder: Path
) -> tuple[dict[str, list[str]], list[Diagnostic]]:
    """Writes `linux/` and `python/` into a chip's folder, each if a kernel has such a driver.
    Returns the names of those that have, and a note for each that has not.

    Raises UserError as clang does for the program's files."""
    shell = chip["shell"]
    if PROTOCOLS[shell["protocol"]].is_of_instructions:
        why = "shells have no addresses: only the chip's own core can ask them"
        return {LINUX: [], PYTHON: []}, [_missing("Linux or Python", k, why) for k in kernels]
    found = callees(program, kernels)
    pairs = list(zip(kernels, found, strict=True))
    notes = [_missing("Linux or Python", k, why) for k, why in pairs if isinstance(why, str)]
    in_python = [one for one in found if isinstance(one, Callee)]
    notes += [_missing("Linux", c.kernel, no_driver(c)) for c in in_python if no_driver(c)]
    in_linux = [one for one in in_python if not no_driver(one)]
    size, asked = SHELL_BYTES * len(kernels), (shell["window_bytes"], shell["protocol"])
    if in_linux:
        _write(folder / LINUX, linux_files(in_linux, shell["base"], size, *asked))
    if in_python:
        _write(folder / PYTHON, {PYTHON_FILE: drivers_py(in_python, size, *asked)})
    names = {LINUX: in_linux, PYTHON: in_python}
    return {which: [one.kernel.name for one in rows] for which, rows in names.items()}, notes


def _missing(of: str, kernel: Kernel, why: str) -> Diagnostic:
    text = f"`{kernel.name}` has no driver for {of}: {why}"
    return Diagnostic("no-driver", text, severity="note")


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
