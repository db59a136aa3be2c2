# SPDX-License-Identifier: Apache-2.0
"""The wave of a run in mode simulate: what is recorded while the application runs, and the files
that are made of it then."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, Place, UserError, user_error
from tandem.files import beside, cannot_write, replace_file
from tandem.host.probes import Probes
from tandem.platforms.engine import c_interface
from tandem.progress import stage
from tandem.waves import gtkwave_view, require_file, require_wave, surfer_view, views

PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
_TIME = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(PS)})")
END = (1 << 64) - 1
WORDS = ("wave", "wave_window", "wave_calls")
"""What of `Probes` there is off chips."""


@dataclass(frozen=True)
class Recording:
    """What is wanted of a run. `window_ps`: the first time and the first one behind the last;
    `calls`: the first call, from 0, and the first one behind the last."""

    wave: Path
    window_ps: tuple[int, int]
    calls: tuple[int, int]

    def environment(self, prefix: Path) -> dict[str, str]:
        """Has the engine record."""
        return {
            "TANDEM_WAVE": str(prefix),
            "TANDEM_WAVE_CALLS": "{}:{}".format(*self.calls),
            "TANDEM_WAVE_WINDOW": "{}:{}".format(*self.window_ps),
        }

    def write(self, report: Mapping[str, Any]) -> dict[str, Any]:
        """Makes the wave of what the engine has recorded, and the files for viewers. Returns what
        it has, as a run's result tells it.

        Raises UserError where it cannot be written."""
        with stage("writing the wave"):
            found = self._joined(Path(report["recording"]))
            signals = found.pop("signals")
            gtkwave, surfer = views(self.wave)
            replace_file(gtkwave, gtkwave_view(self.wave, signals))
            replace_file(surfer, surfer_view(signals))
        files = [str(path) for path in (self.wave, gtkwave, surfer)]
        return {**found, "signals": len(signals), "files": files}

    def _joined(self, recording: Path) -> dict[str, Any]:
        ffi, lib = c_interface()
        first_ps, last_ps = self.window_ps
        partial, told = beside(self.wave), recording.with_suffix(".json")
        request = {
            "recording": os.fspath(recording),
            "file": os.fspath(partial),
            "format": self.wave.suffix.removeprefix("."),
            "report": os.fspath(told),
            "from_ps": first_ps,
            "to_ps": last_ps,
        }
        try:
            if lib.tandem_wave(json.dumps(request).encode()) < 0:
                text = ffi.string(lib.tandem_error()).decode(errors="replace")
                raise user_error("cannot-write", text, Place(str(self.wave)), "free some space")
            partial.replace(self.wave.resolve())
        except OSError as error:
            raise cannot_write(self.wave, error) from error
        finally:
            partial.unlink(missing_ok=True)
        return json.loads(told.read_bytes())


def recording_of(probes: Probes, mode: str, is_built: bool) -> Recording | None:
    """What `--wave` asks for, if it does. `is_built`: the application is an executable already.

    Raises UserError for what there is on chips only, in another mode, and for bad windows."""
    others = [name for name in probes.options if name[2:].replace("-", "_") not in WORDS]
    if others:
        raise user_error(
            "probes",
            f"{', '.join(others)}: for platforms that are chips",
            help="give one of them: --platform picorv32-chip",
        )
    if probes.wave is None:
        if probes.options:
            text = f"{probes.options[0]} without a wave"
            raise user_error("wave", text, help="name its file: --wave run.fst")
        return None
    if mode != "simulate":
        raise user_error(
            "wave",
            f"--wave shows what the RTL does, and mode {mode} runs none",
            help="add --mode simulate",
        )
    if is_built:
        raise user_error(
            "wave",
            "--wave: an executable that was built before has models without their registers' names",
            help="give the application's main C file, and --offload",
        )
    require_wave(probes.wave)
    for path, head in views(probes.wave).items():
        require_file(path, head, "--wave")
    return Recording(probes.wave, _window(probes.wave_window), _calls(probes.wave_calls))


def _window(text: str | None) -> tuple[int, int]:
    first, colon, last = (text or ":").partition(":")
    found = _picoseconds(first, 0), _picoseconds(last, END)
    if not colon or None in found:
        raise _bad_window(text, "no two times", "give them with units: 10us:20us, 10us: or :1.5ms")
    if found[0] >= found[1]:  # pyright: ignore
        raise _bad_window(text, "no time lies in it", "the second time is the end: 10us:20us")
    return found  # pyright: ignore


def _bad_window(text: str | None, why: str, cure: str) -> UserError:
    return user_error("wave", f"--wave-window {text}: {why}", help=cure)


def _picoseconds(text: str, absent: int) -> int | None:
    """A time with its unit; None for what is none."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None if text.strip() else absent
    ps = Decimal(found[1]) * PS[found[2]]
    return int(ps) if ps == int(ps) and ps <= END else None


def _calls(text: str | None) -> tuple[int, int]:
    first, colon, last = (text or ":").partition(":")
    if not colon or not all(re.fullmatch("[0-9]*", word) for word in (first, last)):
        raise user_error(
            "wave",
            f"--wave-calls {text}: no two numbers",
            help="give the first call, from 0, and the first that is left out: 3:5, 3: or :5",
        )
    found = int(first or 0), min(int(last or END), END)
    if found[0] >= found[1]:
        raise user_error(
            "wave",
            f"--wave-calls {text} has no call",
            help="the second number is the first call that is left out: 3:4 is call 3",
        )
    return found


def wave_notes(recording: Recording, told: Mapping[str, Any], failed: bool) -> list[Diagnostic]:
    """What is told of a wave with nothing in it, and of one of a run that has failed. `told`: as
    `Recording.write` returns it."""
    place = Place(str(recording.wave))
    if not told["calls"] and not told["to_ps"] > told["from_ps"]:
        text = "nothing happens in what was asked for: no call of a kernel, and nothing around it"
        return [Diagnostic("wave", text, place, severity="note")]
    if not told["calls"]:
        text = "no call of a kernel is in what was asked for; what is around kernels is there"
        return [Diagnostic("wave", text, place, severity="note")]
    if failed:
        text = f"it has what happened by then: {told['calls']:,} calls, {told['cycles']:,} cycles"
        return [Diagnostic("wave", text, place, severity="note")]
    return []
