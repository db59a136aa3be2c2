# SPDX-License-Identifier: Apache-2.0
"""Processor cores: the engine's models against their RTL, over many random programs, and how fast
each is at a program in C.

    python bench/lockstep.py [--times N] [CORES]

prints a line for each core: instructions in lockstep, differences, simulated cycles a second. With
`--times` it makes so many times more programs: 22 are a hundred million instructions a core.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from figures import REPOSITORY, Figure, at_least, at_most
from tandem.frontend.clang import clang_environment, zig
from tandem.models.cores import CORES, Lockstep, Programs, core_model, lockstep

WORK = REPOSITORY / "bench" / "cores" / "work.c"
MACHINE = "generic_rv32+m"
MACHINES = {"picorv32": "generic_rv32+m+c"}
"""What the C compiler makes a program for; cores that have more than RV32IM."""
MEMORY_BYTES = 1 << 16
SPEED_CYCLES = 30_000_000
SEEDS = 100_000
"""More than a turn's seeds."""
RATIO = 20
"""Cycles a second of the model over those of the RTL, at least."""
KINDS = (
    Programs(programs=2000, instructions=100, seed=0, most_first_cycles=3),
    Programs(programs=500, instructions=2000, seed=10_000, most_first_cycles=2),
    Programs(programs=2000, instructions=50, seed=20_000, most_first_cycles=9),
    Programs(programs=300, instructions=500, seed=30_000, most_first_cycles=300),
    Programs(programs=1000, instructions=200, seed=40_000, interrupts_until_cycle=9000),
)
"""Short and long programs; memory that answers soon, and late; interrupts."""


def program(core: str, folder: Path) -> list[int]:
    """The words of the program in C, from address 0."""
    elf, image = folder / f"{core}.elf", folder / f"{core}.bin"
    target = ["-target", "riscv32-freestanding-none", f"-mcpu={MACHINES.get(core, MACHINE)}"]
    alone = ["-nostdlib", "-ffreestanding", "-fno-builtin", "-Wl,--entry=_start"]
    script = f"-Wl,-T,{WORK.with_suffix('.ld')}"
    with clang_environment() as environment:
        compiled = [zig(), "cc", *target, "-O2", *alone, script, str(WORK), "-o", str(elf)]
        subprocess.run(compiled, check=True, env=environment)
        copied = [zig(), "objcopy", "-O", "binary", str(elf), str(image)]
        subprocess.run(copied, check=True, env=environment)
    content = image.read_bytes().ljust(MEMORY_BYTES, b"\0")
    return [int.from_bytes(content[n : n + 4], "little") for n in range(0, len(content), 4)]


def runs(core: str, folder: Path, times: int) -> Iterator[Lockstep]:
    """The random programs, then the one in C, with how fast both are at it."""
    rtl = core_model(core, folder)
    for turn in range(times):
        for programs in KINDS:
            yield lockstep(core, rtl, replace(programs, seed=programs.seed + turn * SEEDS))
    words = program(core, folder)
    limit = SPEED_CYCLES
    yield lockstep(core, rtl, Programs(words=words, limit_cycles=limit, speed_cycles=limit))


def figures(core: str, folder: Path, times: int = 1) -> list[Figure]:
    """Those of a core."""
    found = list(runs(core, folder, times))
    differences = sum(bool(run.difference) for run in found)
    model, rtl = found[-1].model_hertz, found[-1].rtl_hertz
    return [
        at_least(f"{core}: instructions", sum(run.instructions for run in found), ""),
        at_most(f"{core}: differences", differences, "", 0),
        at_least(f"{core}: model", model / 1e6, "Mcycles/s"),
        at_least(f"{core}: rtl", rtl / 1e6, "Mcycles/s"),
        at_least(f"{core}: model over rtl", model / rtl, "", RATIO),
    ]


def cores(folder: Path) -> list[Figure]:
    """The figures of all cores."""
    return [figure for core in sorted(CORES) for figure in figures(core, folder)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("cores", nargs="*", default=sorted(CORES))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for core in asked.cores:
            for figure in figures(core, Path(temporary), asked.times):
                print(f"{figure.name:32} {figure.value:12g} {figure.unit}", flush=True)
