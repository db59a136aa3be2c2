# SPDX-License-Identifier: Apache-2.0
"""What is recorded of a run on a chip beside its result, and where it is to be stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, Place, user_error
from tandem.waves import require_file, require_wave

SAIF_HEAD = b"(SAIFILE\n"
LAST_CYCLE = (1 << 64) - 1


@dataclass(frozen=True)
class Probes:
    """`wave`: the file of all signals, in FST or VCD by its ending; `wave_window`: its first cycle
    and the first one behind it, as "FROM:TO", of which either may be left out; `wave_calls`: what
    only runs on other platforms have (`tandem.host.recording`); `saif`: the file of
    what each bit of the kernels' signals does in these cycles; `break_at`: a cycle; `break_on`: an
    instruction, `break_on_store`: a word of memory, each as an address, a name of the program, or a
    name, "+" and bytes."""

    wave: Path | None = None
    wave_window: str | None = None
    wave_calls: str | None = None
    saif: Path | None = None
    break_at: int | None = None
    break_on: str | None = None
    break_on_store: str | None = None

    @property
    def options(self) -> list[str]:
        """Those of the command line that are given."""
        given = (field.name for field in fields(self) if getattr(self, field.name) is not None)
        return [f"--{name.replace('_', '-')}" for name in given]

    @property
    def breaks(self) -> list[str]:
        """The same of those that stop a run."""
        return [option for option in self.options if option.startswith("--break")]

    @property
    def files(self) -> list[tuple[Path, str]]:
        """What is written while the program runs, and how."""
        wave = [(self.wave, self.wave.suffix.removeprefix("."))] if self.wave else []
        return [*wave, *([(self.saif, "saif")] if self.saif else [])]

    def request(self, files: Sequence[Path]) -> dict[str, Any]:
        """Their part of the engine's request. `files`: those that are written, in their order."""
        first, last = _window(self.wave_window)
        names = {"at": self.break_at, "on": self.break_on, "on_store": self.break_on_store}
        rows = [
            {"file": str(file), "format": form}
            for file, (_, form) in zip(files, self.files, strict=True)
        ]
        return {
            "wave": {"files": rows, "from": first, "to": last} if rows else None,
            "breaks": names,
        }


def require_probes(probes: Probes, counts: str) -> None:
    """Before anything is computed: whether what is asked for can be done. `counts`: what is counted
    of toggles (`tandem.host.prepare.Counts`).

    Raises UserError."""
    if probes.files and counts == "nets":
        raise user_error(
            "wave",
            "registers are recorded by their names, which netlists do not have",
            help="run twice: with --energy, and with --wave or --saif",
        )
    if probes.wave_calls is not None:
        raise user_error(
            "wave",
            "--wave-calls: a chip's wave has a window of cycles",
            help="give its cycles: --wave-window 1000:2000",
        )
    if probes.break_at is not None and probes.break_at > LAST_CYCLE:
        raise user_error(
            "break",
            f"--break-at {probes.break_at} is behind the last cycle that is counted, {LAST_CYCLE}",
            help="give a cycle to which the program comes",
        )
    if probes.wave is not None:
        require_wave(probes.wave)
    if probes.saif is not None:
        require_file(probes.saif, SAIF_HEAD, "--saif")
    if probes.wave_window is not None and not probes.files:
        raise user_error(
            "wave", "--wave-window without a wave", help="name its file: --wave run.fst"
        )
    first, last = _window(probes.wave_window)
    if first >= last:
        raise user_error(
            "wave",
            f"--wave-window {probes.wave_window} has no cycle",
            help="the second number is the first cycle that is left out: --wave-window 1000:2000",
        )


def _window(text: str | None) -> tuple[int, int]:
    """The first cycle, and the first one behind the last. Raises UserError."""
    first, colon, last = (text or ":").partition(":")
    try:
        found = int(first or 0), int(last or LAST_CYCLE)
    except ValueError:
        found = -1, -1
    if not colon or min(found) < 0 or max(found) > LAST_CYCLE:
        raise user_error(
            "wave",
            f"--wave-window {text}: no two cycles",
            help="give the first one and the first that is left out: 1000:2000, 1000: or :2000",
        )
    return found


def wave_note(file: Path, window: dict[str, int]) -> Diagnostic:
    """What is told of a file of a run that has failed. `window`: as the engine reports it."""
    text = f"it has what happened by then: cycles {window['from']} to {window['to']}"
    return Diagnostic("wave", text, Place(str(file)), severity="note")


def unmet_note(probes: Probes) -> Diagnostic:
    """What is told of a run that has ended without a break."""
    text = f"the program has ended without coming to {' or '.join(probes.breaks)}"
    return Diagnostic("break", text, severity="note")
