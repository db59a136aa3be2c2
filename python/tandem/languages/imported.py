# SPDX-License-Identifier: Apache-2.0
"""A program in whatever languages, and the name of a function -> a kernel."""

from __future__ import annotations

from tandem.frontend.imported import Imported, import_modules
from tandem.frontend.program import Program
from tandem.languages.for_hardware import translated


def import_c(program: Program, top: str) -> Imported:
    """The kernel `top` of a program, before any pass of ours. Raises UserError as compilers do, and
    for what cannot be hardware."""
    return import_modules(translated(program), top)
