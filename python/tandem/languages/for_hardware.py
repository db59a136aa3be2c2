# SPDX-License-Identifier: Apache-2.0
"""C that is for the hardware, or left out of it: `#ifndef __SYNTHESIS__`.

Compilers of hardware define that macro. A file that asks for it is translated twice: once for the
kernel, and once as the project has it, which is what runs, and what the kernel is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tandem.frontend.clang import included, read_c, to_llvm_ir, translate_all
from tandem.frontend.imported import Modules
from tandem.frontend.program import CFile, Program
from tandem.stages import stage

MACRO = "__SYNTHESIS__"


@stage("clang")
def translated(program: Program) -> Modules:
    """A program's files as LLVM IR, as far as they are not yet. Raises UserError as clang does."""
    files = [_for_hardware(file) for file in program.files]
    names = [str(path) for path in program.paths]
    rows = list(zip(program.files, files, strict=True))
    if program.modules:
        made = zip(rows, program.modules, strict=True)
        hardware = [text if own is file else to_llvm_ir(file) for (own, file), text in made]
        return Modules(names, hardware, list(program.modules))
    hardware, directives, notes = translate_all(files)
    made = zip(rows, hardware, strict=True)
    software = [text if own is file else to_llvm_ir(own) for (own, file), text in made]
    return Modules(names, hardware, software, directives, notes)


def _for_hardware(file: CFile) -> CFile:
    """The file with the macro defined, if it, or a header of the project's, has the word."""
    if not any(MACRO in text for text in _texts(file)):
        return file
    return replace(file, flags=(*file.flags, f"-D{MACRO}"))


def _texts(file: CFile) -> Iterator[str]:
    text = read_c(file.path) if file.path.exists() else ""
    yield text
    if re.search(r'^[ \t]*#[ \t]*include[ \t]*"', text, re.M):
        for path in included(file):
            yield path.read_text(errors="replace") if path.exists() else ""
