# SPDX-License-Identifier: Apache-2.0
"""What the house wants of a source language. Behind this border there are modules of LLVM IR and
kernels made of them; what a file is written in, nothing there knows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.clang import Translated
from tandem.frontend.program import CFile, Program
from tandem.ir.argument import Extent


class Language(ABC):
    """A source language. What has no answer here has a default, which is right and may leave
    something out."""

    name: str
    """For people."""
    suffixes: tuple[str, ...]
    """Of its files, each with its dot; those of capitals are others."""

    @abstractmethod
    def translate(self, files: Sequence[CFile]) -> list[Translated]:
        """Its files of a program, all of them and in their order, as unoptimised LLVM IR of this
        machine with places of debug information, in which functions that hardware can be made of
        have the names by which `symbol` finds them. Raises UserError as its compiler does."""

    @abstractmethod
    def files_read(self, file: CFile) -> list[Path]:
        """A file and what it includes that is not the system's, itself first. Raises UserError as
        its compiler does."""

    def everything_read(self, file: CFile) -> list[Path]:
        """The same with the system's: a build is another one where any of it changes."""
        return self.files_read(file)

    def for_hardware(self, file: CFile) -> CFile:
        """The file as the kernel is made of it, itself where that is what runs too."""
        return file

    def claims(self, program: Program, file: CFile, top: str, place: Place) -> dict[str, Extent]:
        """What types and annotations of a file say of how much the function `top` in it uses of
        its arrays. `place`: where the function stands. Raises UserError for what cannot be
        read."""
        return {}

    def directive(self, words: str) -> str:
        """A directive in Tandem's own words, as it stands before a loop or a function."""
        return f"#pragma tandem {words}"

    def told(self, modules: Sequence[str], top: str, place: Place) -> Iterator[Diagnostic]:
        """What is worth knowing of a kernel `top` that stands at a `place`."""
        yield from ()

    def said(self, name: str, modules: Sequence[str]) -> Iterator[str]:
        """What a function may be called in a program's modules that a user calls so; none where it
        is called just that."""
        yield from ()

    def linked(self, file: CFile) -> tuple[str, ...]:
        """What a linker needs for a program with that file of it. Raises UserError where that is
        not there."""
        return ()

    def recipe(self) -> str:
        """What tells one version of its compiler from another, where the house does not bring it
        along; empty where there is none."""
        return ""


def files_of(files: Sequence[CFile], suffixes: Collection[str]) -> list[CFile]:
    """Those with one of some suffixes."""
    return [file for file in files if file.path.suffix in suffixes]
