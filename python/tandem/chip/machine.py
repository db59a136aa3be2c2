# SPDX-License-Identifier: Apache-2.0
"""What a program on a chip is compiled for: an instruction set, and the C library that is made
for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tandem.frontend.clang import TARGET
from tandem.frontend.program import Program

_HOSTED = ("-fhosted", "-fbuiltin")
"""There is a C library, and functions of its names are its."""


class Machine(Protocol):
    """A 32-bit processor without an operating system. In each, char has no sign, as the ABI says.
    `entry`: the file of library/chip with the first instructions of a program; `before_library`:
    the one there that each file of the C library needs before it, if any."""

    @property
    def name(self) -> str:
        """The instruction set, as its specification writes it."""
        ...

    @property
    def flags(self) -> tuple[str, ...]:
        """What clang has to know."""
        ...

    @property
    def meson_cpu(self) -> tuple[str, str]:
        """The family and the processor, as meson names them."""
        ...

    @property
    def entry(self) -> str: ...

    @property
    def before_library(self) -> str | None: ...


@dataclass(frozen=True)
class RiscV:
    """A 32-bit RISC-V. `extensions`: letters behind `rv32i`, in the order of the specification."""

    extensions: str

    @property
    def name(self) -> str:
        return f"rv32i{self.extensions}"

    @property
    def flags(self) -> tuple[str, ...]:
        cpu = "".join(f"+{letter}" for letter in self.extensions)
        return (TARGET, "riscv32-freestanding-none", f"-mcpu=generic_rv32{cpu}", *_HOSTED)

    @property
    def meson_cpu(self) -> tuple[str, str]:
        return "riscv", "riscv32"

    @property
    def entry(self) -> str:
        return "entry_riscv.c"

    @property
    def before_library(self) -> None:
        return None


@dataclass(frozen=True)
class Arm:
    """An ARM, little-endian, with floating point in software. `architecture`: its version;
    `cpu`: the processor, as clang names it."""

    architecture: str
    cpu: str

    @property
    def name(self) -> str:
        return self.architecture

    @property
    def flags(self) -> tuple[str, ...]:
        return (TARGET, "arm-freestanding-eabi", f"-mcpu={self.cpu}", *_HOSTED)

    @property
    def meson_cpu(self) -> tuple[str, str]:
        return "arm", self.cpu

    @property
    def entry(self) -> str:
        return "entry_arm.c"

    @property
    def before_library(self) -> str | None:
        return "armv4.h" if self.architecture == "armv4" else None


def program_for(program: Program, machine: Machine, include: Path) -> Program:
    """The program, compiled for a machine with the C library's headers in `include`."""
    flags = (*machine.flags, "-isystem", str(include))
    files = tuple(replace(file, flags=(*file.flags, *flags)) for file in program.files)
    return replace(program, files=files)
