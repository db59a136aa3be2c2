# SPDX-License-Identifier: Apache-2.0
"""Running a program on a chip, in slices, so that it can be told to stop."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError, Place, UserError, user_error
from tandem.host.engine import c_interface, changes_text, findings, read_json
from tandem.progress import step

SLICE_CYCLES = 1 << 20
"""About a second of simulation at most."""
WRONG_RESULT, WRONG_CYCLES = -5, -6
LIMIT_CYCLES = 1 << 36
"""About 69 billion: ten minutes of simulation."""


def read_chip(platform: Path, changes: Sequence[str] = ()) -> dict[str, Any]:
    """A chip's numbers, in ps, bytes and cycles (docs/schemas/chip.json).

    Raises UserError with every finding of the file and the changes."""
    ffi, lib = c_interface()
    name, changed = os.fsencode(platform), changes_text(changes).encode()
    if lib.tandem_chip_json(name, changed, ffi.NULL, 0) < 0:
        raise UserError(*findings(ffi.string(lib.tandem_error()).decode()))
    numbers = read_json(lambda text, size: lib.tandem_chip_json(name, changed, text, size))
    return {"format": "tandem-chip", "format_version": 1, **numbers}


def run_on_chip(
    application: Path,
    request: dict[str, Any],
    *,
    limit_cycles: int = LIMIT_CYCLES,
) -> dict[str, Any]:
    """Runs a program to its end; returns the engine's report (docs/schemas/chip-run.json).
    `request`: as docs/chips.md has it.

    Raises InternalError where hardware and C differ, UserError where the program does what it must
    not, or has not ended after `limit_cycles`."""
    ffi, lib = c_interface()
    place = Place(str(application))
    opened = ffi.new("TandemChip **")
    asked = {**request, "limit_cycles": limit_cycles}
    _check(lib.tandem_chip_open(json.dumps(asked).encode(), opened), place)
    chip = opened[0]
    try:
        begun, cycles = time.monotonic(), 0
        part = min(SLICE_CYCLES, limit_cycles)
        while _check(lib.tandem_chip_run(chip, part), place):
            cycles += part
            part = min(SLICE_CYCLES, limit_cycles - cycles)
            step(f"{cycles / (time.monotonic() - begun) / 1e6:.0f} million cycles a second")
            if cycles >= limit_cycles:
                where = _text(lambda text, size: lib.tandem_chip_place(chip, text, size))
                raise user_error(
                    "endless",
                    f"the program has not ended after {cycles} cycles; it is in {where}",
                    place,
                    "give it more with --limit-cycles, or less to do",
                )
        return read_json(lambda text, size: lib.tandem_chip_report(chip, text, size))
    finally:
        lib.tandem_chip_close(chip)


def _text(write: Any) -> str:
    ffi, _ = c_interface()
    room = write(ffi.NULL, 0) + 1
    text = ffi.new("char[]", room)
    write(text, room)
    return ffi.string(text).decode(errors="replace")


def _check(status: int, place: Place) -> int:
    """The status, if it is no error."""
    if status >= 0:
        return status
    ffi, lib = c_interface()
    text = ffi.string(lib.tandem_error()).decode(errors="replace")
    if status in (WRONG_RESULT, WRONG_CYCLES):
        raise InternalError(Diagnostic("call-failed", text, place))
    raise user_error("chip-program", text, place)
