# SPDX-License-Identifier: Apache-2.0
"""Fortran files as LLVM IR, each after those whose modules it uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import UserError
from tandem.files import temporary_folder
from tandem.frontend.directives.rewrite import Rewritten
from tandem.frontend.linking import find_definition
from tandem.frontend.program import CFile
from tandem.frontend.value_names import name_values
from tandem.languages.fortran.directives import (
    placed,
    wishes,
    with_functions_marked,
    with_loops_marked,
)
from tandem.languages.fortran.flang import NO_MODULE, own_flags, run_flang
from tandem.languages.fortran.functions import with_plain_functions
from tandem.languages.fortran.plain import Plain
from tandem.languages.fortran.procedures import Procedure, read_procedures
from tandem.languages.fortran.variables import named_variables
from tandem.languages.older_llvm import without_products
from tandem.llvm.module import edited

OF_PROCEDURES = ("-emit-hlfir", "-mmlir", "--mlir-print-op-generic")
"""Procedures as they are declared."""
LINES = "-debug-info-kind=line-tables-only"
WITH_LOOPS = ("-emit-fir", "-O1", "-ffp-contract=off", LINES, "-mmlir", "--mlir-print-debuginfo")
"""What is said of whole arrays is loops, without arrays in between where that can be; sums and
products stay apart."""
VARIABLES = "-debug-info-kind=standalone"
AS_TOLD = ("-fc1", "-emit-llvm", "-O0")
"""That as LLVM IR, as it is."""


@dataclass(frozen=True)
class Made:
    """A file as LLVM IR, and its procedures as functions."""

    text: str
    plain: list[Plain]
    directives: Rewritten


def translated(files: Sequence[CFile]) -> dict[CFile, Made]:
    """Files as LLVM IR. Raises UserError as flang does."""
    with temporary_folder() as folder:
        found = _procedures(files, folder)
        names = Counter(one.name for procedures in found.values() for one in procedures)
        several = {name for name, count in names.items() if count > 1}
        return {file: _one(file, folder, found[file], several) for file in files}


def _procedures(files: Sequence[CFile], folder: Path) -> dict[CFile, list[Procedure]]:
    """Those of each file; afterwards the folder has all modules. Raises UserError as flang does."""
    found: dict[CFile, list[Procedure]] = {}
    left = list(files)
    while left:
        read = {file: _procedures_of(file, folder) for file in left}
        errors = [found for found in read.values() if isinstance(found, UserError)]
        if len(errors) == len(left):
            raise UserError(*(told for error in errors for told in error.diagnostics))
        found |= {f: made for f, made in read.items() if not isinstance(made, UserError)}
        left = [file for file in left if file not in found]
    return found


def _procedures_of(file: CFile, folder: Path) -> list[Procedure] | UserError:
    """The procedures of a file, or why it has to wait for another one's module."""
    try:
        return read_procedures(_emitted(file, folder, *OF_PROCEDURES))
    except UserError as error:
        if not _wants_module(error):
            raise
        return error


def _wants_module(error: UserError) -> bool:
    """Whether a module is missing, which another file may have."""
    return any(NO_MODULE in told.message for told in error.diagnostics)


def _one(
    file: CFile, folder: Path, procedures: Sequence[Procedure], several: Collection[str]
) -> Made:
    """`several`: names that more than one procedure of the program has."""
    loops = folder / "loops.fir"
    emitted = _emitted(file, folder, *WITH_LOOPS)
    loops.write_text(emitted, encoding="utf-8", errors="surrogateescape")
    text, told = (_lowered(loops, folder / "out", kind) for kind in (LINES, VARIABLES))
    text = named_variables(text, told, procedures)
    wished = wishes(file.path, file.asked)
    text, of_loops = with_loops_marked(text, wished, file.path)
    text, plain = with_plain_functions(text, procedures, several)
    text, of_functions = with_functions_marked(text, wished, plain, _lines(plain, file.path, text))
    names = {one.procedure.symbol: one.name for one in plain}
    rows = [(wish, names.get(name, name)) for wish, name in (*of_loops, *of_functions)]
    directives = Rewritten(
        "",
        [placed(wish, name, file.path) for wish, name in rows],
        followed={wish.row for wish, _ in rows if wish.row is not None},
    )
    return Made(_placed((edited(text, name_values) or text), file.path), plain, directives)


def _lowered(loops: Path, out: Path, told: str) -> str:
    """LLVM IR with what is told to debuggers."""
    run_flang([*AS_TOLD, told, "-o", out], loops)
    return without_products(_read(out))


def _lines(plain: Sequence[Plain], path: Path, text: str) -> dict[str, int]:
    """Where the procedures begin."""
    return {one.name: find_definition(one.name, [str(path)], text).line for one in plain}


def _emitted(file: CFile, folder: Path, *words: str) -> str:
    """The file in one of flang's own languages."""
    out = folder / "out"
    modules = ["-module-dir", folder, "-I", folder]
    run_flang(["-fc1", *words, *own_flags(file.flags), *modules, "-o", out], file.path)
    return _read(out)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _placed(text: str, path: Path) -> str:
    """The module with places in the file as the user names it."""
    whole = path.absolute()
    told = f'!DIFile(filename: "{whole.name}", directory: "{whole.parent}")'
    return text.replace(told, f'!DIFile(filename: "{path}", directory: "{Path.cwd()}")')
