# SPDX-License-Identifier: Apache-2.0
"""What a program on a chip is compiled for: an instruction set, and the C library that is made
for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tandem.frontend.clang import TARGET
from tandem.frontend.program import CFile, Program


@dataclass(frozen=True)
class Machine:
    """A 32-bit RISC-V without an operating system. `extensions`: letters behind `rv32i`, in the
    order of the specification."""

    extensions: str

    @property
    def name(self) -> str:
        """As the specification writes it."""
        return f"rv32i{self.extensions}"

    @property
    def flags(self) -> tuple[str, ...]:
        """What clang has to know. char has no sign, as RISC-V's ABI says."""
        cpu = "".join(f"+{letter}" for letter in self.extensions)
        return (
            TARGET,
            "riscv32-freestanding-none",
            f"-mcpu=generic_rv32{cpu}",
            "-fhosted",
            "-fbuiltin",
        )


def program_for(program: Program, machine: Machine, include: Path) -> Program:
    """The program, compiled for a machine with the C library's headers in `include`."""
    flags = (*machine.flags, "-isystem", str(include))
    files = tuple(replace(file, flags=(*file.flags, *flags)) for file in program.files)
    return replace(program, files=files)


def file_for(path: Path, machine: Machine) -> CFile:
    """A file of ours that needs no C library."""
    return CFile(path, machine.flags)
