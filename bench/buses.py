# SPDX-License-Identifier: Apache-2.0
"""Buses of chips: both ends of each protocol as Verilog beside the engine's, over a million random
transfers each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from figures import REPOSITORY, Figure, at_least, at_most
from tandem.chip.build import compile_parts, result_row
from tandem.chip.design import write_shell
from tandem.chip.run import read_chip
from tandem.compiler.goals import find_goal
from tandem.compiler.room import UNLIMITED
from tandem.languages.discovery import Given, find_program
from tandem.models.buses import End, bridge_end, front_end
from tandem.models.verilator import fastest_model
from tandem.platforms.engine import find_platform
from tandem.rtl.buses import BRIDGED, OTHERS

PROGRAM, KERNEL = REPOSITORY / "examples" / "soc" / "main.c", "aes128_encrypt"
"""A kernel that no word leads out of its arrays."""
TURNS, TRANSFERS = 20, 50_000
"""From reset on, each with other numbers."""


def ends(folder: Path) -> Iterator[tuple[str, End]]:
    """A shell's front and the bridge of each protocol, and what they are called."""
    chip = read_chip(find_platform("picorv32-chip"), [])
    goal = find_goal("balanced", UNLIMITED, 60)
    program = find_program(PROGRAM, Given())
    parts = compile_parts(program, [KERNEL], chip, goal, folder, ("rtl.so",))
    (offload,) = parts.offloads
    window = chip["shell"]["window_bytes"]
    row = result_row(offload, 0, window)
    row["model"] = str(folder / row["model"])
    kernel, verilog = offload.compiled.kernel, offload.package / "kernel.sv"
    compiler = fastest_model()
    for protocol in OTHERS:
        work = folder / protocol
        work.mkdir()
        shell = write_shell(kernel, window, protocol, work)
        yield f"{protocol}: front", front_end(protocol, shell, verilog, row, work, compiler)
        if protocol in BRIDGED:
            yield f"{protocol}: bridge", bridge_end(protocol, work, compiler)


def buses(folder: Path) -> list[Figure]:
    """The figures of all protocols."""
    found = []
    for name, end in ends(folder):
        talks = [end.talk(TRANSFERS, seed) for seed in range(TURNS)]
        differences = sum(bool(talk.difference) for talk in talks)
        found += [
            at_least(f"{name}: transfers", sum(talk.transfers for talk in talks), ""),
            at_least(f"{name}: cycles", sum(talk.cycles for talk in talks), ""),
            at_most(f"{name}: differences", differences, "", 0),
        ]
    return found
