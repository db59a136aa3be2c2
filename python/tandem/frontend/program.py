# SPDX-License-Identifier: Apache-2.0
"""The program that a user has: its C files, each with its flags, and what it is linked with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_OPTIMISATION = "-O3"


@dataclass(frozen=True)
class CFile:
    """A C file and the compiler flags that are its own; paths in the flags are as clang wants
    them from the current folder."""

    path: Path
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """All C files of an application, `main` among them, and the linker's flags (`-l`, `-L`)."""

    main: Path
    files: tuple[CFile, ...]
    link: tuple[str, ...] = ()

    @classmethod
    def of(cls, main: Path, *others: Path) -> Program:
        """A program of files that need no flags."""
        return cls(main, tuple(CFile(path) for path in (main, *others)))

    @property
    def paths(self) -> list[Path]:
        """The C files, in the order in which they are linked."""
        return [file.path for file in self.files]

    @property
    def optimisation(self) -> str:
        """The optimisation flag of the software baseline: the project's own last `-O` (of main's
        file, else of the first file that has one), or `-O3`."""
        files = sorted(self.files, key=lambda file: file.path != self.main)
        for file in files:
            own = [flag for flag in file.flags if flag.startswith("-O")]
            if own:
                return own[-1]
        return DEFAULT_OPTIMISATION
