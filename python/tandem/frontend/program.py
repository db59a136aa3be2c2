# SPDX-License-Identifier: Apache-2.0
"""The program that a user has: its C files, each with its flags, and what it is linked with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tandem.frontend.directives.asked import Asked

DEFAULT_OPTIMISATION = "-O3"
MAIN = "main"
"""The function that nobody calls but the system, once: a kernel of it is the whole program."""
CXX_SUFFIXES = (".cc", ".cpp", ".cxx", ".C")


@dataclass(frozen=True)
class CFile:
    """A C or C++ file and the compiler flags that are its own; paths in the flags are as clang
    wants them from the current folder. `asked`: directives that may be about something in it."""

    path: Path
    flags: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()

    @property
    def is_cxx(self) -> bool:
        """Whether it is C++."""
        return self.path.suffix in CXX_SUFFIXES


@dataclass(frozen=True)
class Program:
    """All C files of an application, `main` among them, and the linker's flags (`-l`, `-L`).
    `modules` are the files' LLVM IR where they have been compiled already."""

    main: Path
    files: tuple[CFile, ...]
    link: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, main: Path, *others: Path) -> Program:
        """A program of files that need no flags."""
        return cls(main, tuple(CFile(path) for path in (main, *others)))

    @property
    def paths(self) -> list[Path]:
        """The C files, in the order in which they are linked."""
        return [file.path for file in self.files]

    @property
    def is_cxx(self) -> bool:
        """Whether a file is C++, so that the program is linked as C++."""
        return any(file.is_cxx for file in self.files)

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
