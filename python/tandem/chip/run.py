# SPDX-License-Identifier: Apache-2.0
"""Running a program on a chip, in slices, so that it can be told to stop."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError, Place, TandemError, UserError, user_error
from tandem.platforms.engine import c_interface, changes_text, findings, read_json
from tandem.progress import step

SLICE_CYCLES = 1 << 20
"""About a second of simulation at most."""
WRONG_RESULT, WRONG_CYCLES = -5, -6
RUNNING = 1
"""What the engine says of a program that has neither ended nor come to a break."""
BREAK = "break: "
"""How its messages begin about where a program is to be stopped."""
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
    failed: Callable[[TandemError, dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Runs a program to its end, or to a break; returns the engine's report
    (docs/schemas/chip-run.json). `request`: as docs/chips.md has it; `failed` gets the report so
    far of a run that fails, before that is raised.

    Raises InternalError where hardware and C differ, UserError where the program does what it must
    not, or has not ended after `limit_cycles`."""
    ffi, lib = c_interface()
    place = Place(str(application))
    opened = ffi.new("TandemChip **")
    asked = {**request, "limit_cycles": limit_cycles}
    _check(lib.tandem_chip_open(json.dumps(asked).encode(), opened), place)
    chip = opened[0]

    def report() -> dict[str, Any]:
        return read_json(lambda text, size: lib.tandem_chip_report(chip, text, size))

    try:
        _go_on(chip, place, limit_cycles)
        _check(lib.tandem_chip_end_wave(chip), place)
        return report()
    except TandemError as error:
        if failed is not None and lib.tandem_chip_end_wave(chip) >= 0:
            failed(error, report())
        raise
    finally:
        lib.tandem_chip_close(chip)


def _go_on(chip: Any, place: Place, limit_cycles: int) -> None:
    """Lets it run, as long as it does. Raises as `run_on_chip`."""
    _, lib = c_interface()
    begun, cycles = time.monotonic(), 0
    part = min(SLICE_CYCLES, limit_cycles)
    while _check(lib.tandem_chip_run(chip, part), place) == RUNNING:
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
    if text.startswith(BREAK):
        raise user_error(
            "break",
            text.removeprefix(BREAK),
            place,
            "name a function that is there (main), an address (0x1a4), or both (main+8)",
        )
    raise user_error("chip-program", text, place)
