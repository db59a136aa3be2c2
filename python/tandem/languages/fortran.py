# SPDX-License-Identifier: Apache-2.0
"""Fortran, by flang."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import TARGET, Translated
from tandem.frontend.directives.rewrite import Rewritten
from tandem.frontend.program import CFile, Program
from tandem.frontend.value_names import with_values_named
from tandem.ir.argument import Extent
from tandem.languages.base import Language, files_of
from tandem.languages.flang import (
    as_read_now,
    files_read,
    flang_version,
    run_flang,
    runtime_words,
)
from tandem.languages.plain import Plain, with_plain_functions
from tandem.languages.procedures import DummyKind, read_procedures

SUFFIXES = (".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f", ".F", ".for")
AS_TOLD = ("-O0", "-gline-tables-only", "-ffp-contract=off")
"""Every operation where the program has it, and the lines of all."""
OF_OTHERS = ("-O", "-W", "-g", "-std=", "-pthread", "-w")
"""Flags of C compilers in a program of several languages that say nothing of what Fortran means."""
FOLDERS = ("-I", "-J")
"""Of modules, among the flags."""


@dataclass(frozen=True)
class _Made:
    """A file as LLVM IR, and its procedures as functions."""

    text: str
    plain: list[Plain]


class Fortran(Language):
    """Fortran: arguments are places in memory, names have no case and get a line behind them, and
    files hand each other their modules."""

    name, suffixes = "Fortran", SUFFIXES

    def translate(self, files: Sequence[CFile]) -> list[Translated]:
        """Each after those whose modules it uses."""
        for file in files:
            if TARGET in file.flags:
                raise _for_this_machine(file)
        made = _translated(files)
        return [Translated(made[file].text, Rewritten("")) for file in files]

    def files_read(self, file: CFile) -> list[Path]:
        """With the modules in folders of its flags."""
        folders = [Path(flag[2:]) for flag in file.flags if flag.startswith(FOLDERS)]
        modules = [path for folder in folders for path in sorted(folder.glob("*.mod"))]
        return [*files_read(_flags(file), file.path), *modules]

    def claims(self, program: Program, file: CFile, top: str, place: Place) -> dict[str, Extent]:
        """Of the bounds of arrays, where numbers that the function takes tell them."""
        made = _translated(files_of(program.files, SUFFIXES))[file]
        plain = next((one for one in made.plain if one.name == top), None)
        if plain is None:
            return {}
        values = (d.name for d in plain.procedure.dummies if d.kind is DummyKind.VALUE)
        known = plain.numbers.union(values)
        sizes = {dummy.name: dummy.size for dummy in plain.procedure.dummies}
        return {
            name: Extent("typed", size.expression)
            for name, size in sizes.items()
            if size is not None and size.names <= known
        }

    def said(self, name: str) -> Iterator[str]:
        """In small letters; `module::procedure`, where several modules have one of that name."""
        lower = name.lower()
        module, _, own = lower.rpartition("::")
        yield from (lower, f"{lower}_procedure")
        if module:
            yield from (f"{module}_{own}", own, f"{module}_{own}_procedure", f"{own}_procedure")

    def linked(self) -> tuple[str, ...]:
        """Flang's own libraries."""
        return runtime_words()

    def recipe(self) -> str:
        """Flang's version."""
        try:
            return flang_version()
        except UserError:
            return ""


def _for_this_machine(file: CFile) -> UserError:
    return user_error(
        "fortran-target",
        "Fortran is compiled for this machine alone, and a chip's processor is another one",
        Place(str(file.path)),
        "choose a platform that has this machine as its host, or write this file in C",
    )


def _translated(files: Sequence[CFile]) -> dict[CFile, _Made]:
    """Files as LLVM IR. Raises UserError as flang does."""
    made: dict[CFile, _Made] = {}
    with temporary_folder() as folder:
        left = list(files)
        while left:
            waiting, errors = list[CFile](), list[UserError]()
            for file in left:
                try:
                    made[file] = _one(file, folder)
                except UserError as error:
                    if not _wants_module(error):
                        raise
                    waiting.append(file)
                    errors.append(error)
            if len(waiting) == len(left):
                raise errors[0]
            left = waiting
    return made


def _wants_module(error: UserError) -> bool:
    """Whether a module is missing, which another file may have."""
    return any("Cannot parse module file" in told.message for told in error.diagnostics)


def _one(file: CFile, folder: Path) -> _Made:
    words = [*_flags(file), "-module-dir", folder, "-I", folder]
    out = folder / "out"
    run_flang([*words, *AS_TOLD, "-S", "-emit-llvm", "-o", out], file.path)
    text = as_read_now(out.read_text(encoding="utf-8", errors="surrogateescape"))
    shown = ["-fc1", "-emit-hlfir", "-mmlir", "--mlir-print-op-generic"]
    run_flang([*shown, *words, "-o", out], file.path)
    procedures = read_procedures(out.read_text(encoding="utf-8", errors="replace"))
    text, plain = with_plain_functions(text, procedures)
    return _Made(_placed(with_values_named(text), file.path), plain)


def _flags(file: CFile) -> list[str]:
    return [flag for flag in file.flags if not flag.startswith(OF_OTHERS)]


def _placed(text: str, path: Path) -> str:
    """The module with places in the file as the user names it."""
    whole = path.absolute()
    told = f'!DIFile(filename: "{whole.name}", directory: "{whole.parent}")'
    return text.replace(told, f'!DIFile(filename: "{path}", directory: "{Path.cwd()}")')
