# SPDX-License-Identifier: Apache-2.0
"""Both ends of a chip's buses as Verilog beside the engine's (engine/src/chip/bus): a random
partner in C++ talks to the Verilog, and what stood at its pins in each cycle goes through the
engine's end."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError
from tandem.models.partners import COMMON, MASTER, SLAVE
from tandem.models.verilator import CLASS, Compiler, link_model, verilate
from tandem.platforms.engine import c_interface
from tandem.rtl.bus import bridge
from tandem.rtl.buses import PROTOCOLS

ROW_BYTES = 56
"""Of `TandemPins` of tandem.h."""


@dataclass(frozen=True)
class Talk:
    """How much was said, and the first cycle in which the engine says something else, if any."""

    transfers: int
    cycles: int
    difference: str


class End:
    """One end of a bus of a protocol: the Verilog with its partner, as a command. `kernel`: of a
    front, the shell's kernel as the engine's request has it; of a bridge nothing."""

    def __init__(self, protocol: str, kernel: Mapping[str, Any] | None, command: Path) -> None:
        self.protocol, self.kernel, self.command = protocol, kernel, command

    def talk(self, transfers: int, seed: int) -> Talk:
        """Lets the two talk, from reset on, until so many transfers are done."""
        words = [self.command, str(transfers), str(seed)]
        told = subprocess.run(words, capture_output=True, check=True).stdout
        expected = self._replayed(told)
        count = len(told) // ROW_BYTES
        return Talk(transfers, count, "" if told == expected else _first(told, expected))

    def _replayed(self, rows: bytes) -> bytes:
        ffi, lib = c_interface()
        own = ffi.new("char[]", rows)
        cycles, count = ffi.cast("TandemPins *", own), len(rows) // ROW_BYTES
        name = self.protocol.encode()
        if self.kernel is None:
            status = lib.tandem_bridge_replay(name, cycles, count)
        else:
            kernel = json.dumps(self.kernel).encode()
            status = lib.tandem_front_replay(kernel, name, cycles, count)
        if status:
            raise InternalError(Diagnostic("bus", ffi.string(lib.tandem_error()).decode()))
        return bytes(ffi.buffer(own, len(rows)))


def _first(told: bytes, expected: bytes) -> str:
    for place in range(0, len(told), ROW_BYTES):
        one, other = told[place : place + ROW_BYTES], expected[place : place + ROW_BYTES]
        if one != other:
            rows = (" ".join(f"{w:x}" for w in memoryview(row).cast("I")) for row in (one, other))
            return "cycle {}: Verilog {}, engine {}".format(place // ROW_BYTES, *rows)
    return "none"


def front_end(
    protocol: str,
    shell: Path,
    kernel: Path,
    row: Mapping[str, Any],
    folder: Path,
    compiler: Compiler,
) -> End:
    """The front of a shell, whose Verilog and whose kernel's are in these files; `row`: the kernel
    as the engine's request has it, which no word may lead out of its arrays."""
    work = folder / f"{protocol}-front"
    verilate(kernel, shell.stem, work, [str(shell)])
    main = MASTER + PROTOCOLS[protocol].master
    return End(protocol, row, _linked(work, main, compiler))


def bridge_end(protocol: str, folder: Path, compiler: Compiler) -> End:
    """The bridge of a protocol."""
    folder.mkdir(parents=True, exist_ok=True)
    file, work = folder / f"{protocol}.v", folder / f"{protocol}-bridge"
    file.write_text(bridge(protocol))
    verilate(file, PROTOCOLS[protocol].module, work)
    return End(protocol, None, _linked(work, SLAVE + PROTOCOLS[protocol].slave, compiler))


def _linked(work: Path, partner: str, compiler: Compiler) -> Path:
    main = work / "main.cpp"
    main.write_text(f'#include "{CLASS}.h"\nusing Model = {CLASS};\n{COMMON}{partner}')
    link_model(work, main, work / "talk", compiler)
    return work / "talk"
