# SPDX-License-Identifier: Apache-2.0
"""Files of waves: which are ours, and what viewers are told to show of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error
from tandem.files import require_replaceable

HEADS = {".fst": bytes([0, 0, 0, 0, 0, 0, 0, 1, 0x49]), ".vcd": b"$version Tandem "}
"""How waves begin that we write, by their endings: a header of 329 bytes, and our name."""
GTKWAVE_HEAD, SURFER_HEAD = b"[*] Tandem\n", b"# Tandem\n"
GTKWAVE, SURFER = ".gtkw", ".sucl"
"""How the files end beside a wave that tell a viewer what to show: GTKWave's save file, and
commands for Surfer (`surfer run.fst --command-file run.sucl`), whose own state file is another one
in each of its versions."""
HEXADECIMAL, BINARY, BEGINS, ENDS, TEXT = "@22", "@28", "@800200", "@1000200", "@820"
"""GTKWave's flags of what follows: numbers, bits, where a group begins and ends, text."""


def require_wave(wave: Path) -> None:
    """Whether a wave may be written to a file, over a former one if need be. Raises UserError."""
    if wave.suffix not in HEADS:
        raise user_error(
            "wave",
            f"no wave is written in a format `{wave.suffix}`",
            Place(str(wave)),
            f"let its name end with one of {', '.join(HEADS)}",
        )
    require_file(wave, HEADS[wave.suffix], "--wave")


def require_file(path: Path, head: bytes, option: str) -> None:
    """The same of any file that begins so. Raises UserError."""
    require_replaceable(path, head, option)
    if path.exists() and not path.is_file():
        raise user_error("in-the-way", f"{option} names no file", Place(str(path)), "name one")


def views(wave: Path) -> dict[Path, bytes]:
    """The files beside a wave that tell viewers what to show, and how each begins."""
    return {wave.with_suffix(GTKWAVE): GTKWAVE_HEAD, wave.with_suffix(SURFER): SURFER_HEAD}


def gtkwave_view(wave: Path, signals: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """GTKWave's save file: a group a scope. `signals`: each with `scopes`, `name` and `bits`, 0 of
    text, in the order of the file."""
    yield GTKWAVE_HEAD
    yield f'[dumpfile] "{wave.resolve()}"\n[timestart] 0\n'.encode()
    for scopes, own in groupby(signals, key=lambda signal: signal["scopes"]):
        group = ".".join(scopes[1:])
        yield f"{BEGINS}\n-{group}\n".encode()
        for signal in own:
            bits = signal["bits"]
            kind = TEXT if bits == 0 else BINARY if bits == 1 else HEXADECIMAL
            places = f"[{bits - 1}:0]" if bits > 1 else ""
            yield f"{kind}\n{'.'.join((*scopes, signal['name']))}{places}\n".encode()
        yield f"{ENDS}\n-{group}\n".encode()


def surfer_view(signals: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """Surfer's commands: a divider before each scope."""
    yield SURFER_HEAD
    for scopes, own in groupby(signals, key=lambda signal: signal["scopes"]):
        yield f"divider_add {'.'.join(scopes[1:])}\n".encode()
        for signal in own:
            yield f"variable_add {'.'.join((*scopes, signal['name']))}\n".encode()
    yield b"zoom_fit\n"
