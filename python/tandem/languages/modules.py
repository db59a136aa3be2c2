# SPDX-License-Identifier: Apache-2.0
"""Files of a program, in whatever languages, as modules of LLVM IR."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.diagnostics import Diagnostic
from tandem.frontend.clang import Translated
from tandem.frontend.directives.asked import not_found
from tandem.frontend.directives.rewrite import Placed
from tandem.frontend.imported import Modules
from tandem.frontend.program import CFile, Program
from tandem.languages.known import language_of, languages_of
from tandem.stages import stage


@stage("clang")
def translated(program: Program) -> Modules:
    """A program's files as LLVM IR, as far as they are not yet. Raises UserError as their compilers
    do."""
    files = [language_of(file.path).for_hardware(file) for file in program.files]
    rows = list(zip(program.files, files, strict=True))
    names = [str(path) for path in program.paths]
    if program.modules:
        made = dict(zip(program.files, program.modules, strict=True))
        made |= _texts([file for own, file in rows if own is not file])
        return Modules(names, [made[file] for file in files], list(program.modules))
    hardware, directives, notes = translate_all(files)
    made = dict(zip(files, hardware, strict=True))
    made |= _texts([own for own, file in rows if own is not file])
    return Modules(names, hardware, [made[own] for own in program.files], directives, notes)


def translate_all(
    files: Sequence[CFile],
) -> tuple[list[str], tuple[Placed, ...], tuple[Diagnostic, ...]]:
    """The LLVM IR of files, the directives in them, and what is told of those. Raises UserError for
    a directive from outside that is about nothing in any of them."""
    made = _made(files)
    found = [made[file] for file in files]
    followed = {row for one in found for row in one.directives.followed}
    for row in (row for file in files for row in file.asked):
        if row not in followed:
            raise not_found(row)
    return (
        [one.llvm_ir for one in found],
        tuple(placed for one in found for placed in one.directives.placed),
        tuple(note for one in found for note in one.directives.notes),
    )


def _made(files: Sequence[CFile]) -> dict[CFile, Translated]:
    """All files of a language at once, as one may need another one."""
    made: dict[CFile, Translated] = {}
    for language in languages_of(files):
        own = [file for file in files if language_of(file.path) is language]
        made |= zip(own, language.translate(own), strict=True)
    return made


def _texts(files: Sequence[CFile]) -> dict[CFile, str]:
    return {file: one.llvm_ir for file, one in _made(files).items()}
