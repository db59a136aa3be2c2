# SPDX-License-Identifier: Apache-2.0
"""Fortran, by flang."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from tandem.diagnostics import Diagnostic, Place, UserError, user_error
from tandem.frontend.clang import TARGET, Translated
from tandem.frontend.program import CFile, Program
from tandem.frontend.symbols import definition
from tandem.ir.argument import Extent
from tandem.languages.base import Language, files_of
from tandem.languages.fortran.flang import (
    files_read,
    find_flang,
    own_flags,
    runtime_words,
    version_of,
)
from tandem.languages.fortran.names import strided_name

SUFFIXES = (".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f", ".F", ".for")
FOLDERS = ("-I", "-J")
"""Of modules, among the flags."""


class Fortran(Language):
    """Fortran: arguments are places in memory, names have no case and get a line behind them, and
    files hand each other their modules."""

    name, suffixes = "Fortran", SUFFIXES

    def translate(self, files: Sequence[CFile]) -> list[Translated]:
        """Each after those whose modules it uses."""
        for file in files:
            if TARGET in file.flags:
                raise _for_this_machine(file)
        from tandem.languages.fortran.modules import translated

        made = translated(files)
        return [Translated(made[file].text, made[file].directives) for file in files]

    def files_read(self, file: CFile) -> list[Path]:
        """With the modules in folders of its flags."""
        pairs = pairwise([*file.flags, ""])
        folders = [Path(w[2:] or following) for w, following in pairs if w.startswith(FOLDERS)]
        modules = [path for folder in folders for path in sorted(folder.glob("*.mod"))]
        return [*files_read(own_flags(file.flags), file.path), *modules]

    def claims(self, program: Program, file: CFile, top: str, place: Place) -> dict[str, Extent]:
        """Of the bounds of arrays, where numbers that the function takes tell them."""
        from tandem.languages.fortran.modules import translated

        made = translated(files_of(program.files, SUFFIXES))[file]
        plain = next((one for one in made.plain if one.name == top), None)
        if plain is None:
            return {}
        return {name: Extent("typed", size.expression) for name, size in plain.sizes()}

    def directive(self, words: str) -> str:
        """A comment."""
        return f"!$tandem {words}"

    def told(self, modules: Sequence[str], top: str, place: Place) -> Iterator[Diagnostic]:
        """That calls with arrays that are not contiguous never come to the hardware."""
        if any(definition(text, strided_name(top)) is not None for text in modules):
            said = f"calls of `{top}` with an array that is not contiguous run in software"
            cure = "declare its assumed-shape arrays CONTIGUOUS, or with their bounds"
            yield Diagnostic("strided", said, place, cure, severity="note")

    def said(self, name: str, modules: Sequence[str]) -> Iterator[str]:
        """In small letters; `module::procedure`, where several modules have one of that name."""
        module, _, own = name.lower().rpartition("::")
        if not module:
            yield from (own, f"{own}_procedure", f"{own}_")
        elif any(definition(text, f"_QM{module}P{own}") is not None for text in modules):
            yield from (f"{module}_{own}", own, f"{module}_{own}_procedure")

    def linked(self, file: CFile) -> tuple[str, ...]:
        """Flang's own libraries."""
        return runtime_words(file.path)

    def recipe(self) -> str:
        """Flang's version."""
        try:
            return version_of(find_flang())
        except UserError:
            return ""


def _for_this_machine(file: CFile) -> UserError:
    return user_error(
        "fortran-target",
        "Fortran is compiled for this machine alone, and a chip's processor is another one",
        Place(str(file.path)),
        "choose a platform that has this machine as its host, or write this file in C",
    )
