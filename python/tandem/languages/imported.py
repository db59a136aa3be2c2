# SPDX-License-Identifier: Apache-2.0
"""A program in whatever languages, and the name of a function -> a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tandem.frontend.imported import Imported, import_modules
from tandem.frontend.program import Program
from tandem.frontend.symbols import definition, resolved
from tandem.languages.known import languages_of
from tandem.languages.modules import translated


def import_c(program: Program, top: str) -> Imported:
    """The kernel `top` of a program, before any pass of ours. Raises UserError as compilers do, and
    for what cannot be hardware."""
    given = translated(program)
    made = import_modules(given, symbol_of(program, given.hardware, top))
    name, place = made.kernel.name, made.place
    told = [t for one in languages_of(program.files) for t in one.told(given.software, name, place)]
    return replace(made, notes=(*made.notes, *told))


def symbol_of(program: Program, modules: Sequence[str], name: str) -> str:
    """The function in a program's modules that a user means, as its language has it; the name
    itself where there is none."""
    found = resolved(modules, name)
    said = (one for language in languages_of(program.files) for one in language.said(name, modules))
    names = (o for o in (name, *said) if any(definition(text, o) is not None for text in modules))
    return next(names, found)
