# SPDX-License-Identifier: Apache-2.0
"""Extents of pointer arguments that the C does not tell by itself.

    #pragma tandem extent(histogram, 256 * 4)

anywhere in the file that defines the kernel: `histogram` points to that many bytes. The size is a
C expression over the kernel's scalar arguments.
"""

from __future__ import annotations

import re

from tandem.diagnostics import Place, user_error

_EXTENT = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+tandem[ \t]+extent\b(.*)$", re.M)
_FORM = re.compile(r"\s*\(\s*(\w+)\s*,\s*(.+)\)\s*$")


def read_extents(text: str, file: str) -> dict[str, str]:
    """Argument name to C expression in bytes. Raises UserError for a malformed pragma."""
    extents = {}
    for match in _EXTENT.finditer(text):
        found = _FORM.match(match[1])
        if not found:
            line = text.count("\n", 0, match.start()) + 1
            raise user_error(
                "pragma",
                f"cannot read `#pragma tandem extent{match[1]}`",
                Place(file, line),
                "write `#pragma tandem extent(ARGUMENT, BYTES)`",
            )
        extents[found[1]] = found[2].strip()
    return extents
