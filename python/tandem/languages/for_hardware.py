# SPDX-License-Identifier: Apache-2.0
"""C that is for the hardware, or left out of it: `#ifndef __SYNTHESIS__`.

Compilers of hardware define that macro. A file that asks for it is translated twice: once for the
kernel, and once as the project has it, which is what runs, and what the kernel is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tandem.frontend.clang import included, read_c
from tandem.frontend.program import CFile

MACRO = "__SYNTHESIS__"


def for_hardware(file: CFile) -> CFile:
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
