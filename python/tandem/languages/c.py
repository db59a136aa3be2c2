# SPDX-License-Identifier: Apache-2.0
"""C and C++, by clang."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tandem.diagnostics import Place
from tandem.frontend.clang import Translated, run_clang, translate
from tandem.frontend.program import CXX_SUFFIXES, CFile, Program
from tandem.ir.argument import Extent
from tandem.languages.base import Language
from tandem.languages.for_hardware import for_hardware
from tandem.languages.rules import rule_files


class C(Language):
    """C, with headers and directives in pragmas. What a C++ compiler does otherwise, clang knows of
    the file."""

    name, suffixes = "C", (".c", ".i")

    def translate(self, files: Sequence[CFile]) -> list[Translated]:
        """One by one."""
        return [translate(file) for file in files]

    def files_read(self, file: CFile) -> list[Path]:
        """As paths from here."""
        words = ["-MM", "-MG", "-MT", "rule"]
        rule = run_clang([*file.flags, *words, file.path], file.is_cxx)
        near = [(Path(os.path.relpath(name)), Path(name)) for name in rule_files(rule)]
        return [here if here.exists() else path for here, path in near]

    def everything_read(self, file: CFile) -> list[Path]:
        """As clang names them."""
        rule = run_clang([*file.flags, "-M", "-MT", "rule", file.path], file.is_cxx)
        return [Path(name) for name in rule_files(rule)]

    def for_hardware(self, file: CFile) -> CFile:
        """Where it asks for the macro of compilers of hardware, one that has it."""
        return for_hardware(file)

    def claims(self, program: Program, file: CFile, top: str, place: Place) -> dict[str, Extent]:
        """Of annotations, and of arrays among the parameters."""
        from tandem.languages.annotations import read_claims

        return read_claims(file, top, place)


class Cxx(C):
    """C++."""

    name, suffixes = "C++", CXX_SUFFIXES
