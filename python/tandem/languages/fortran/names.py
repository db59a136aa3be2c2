# SPDX-License-Identifier: Apache-2.0
"""Names that procedures have beside their authors'."""

from __future__ import annotations

STRIDED = ".strided"
"""Behind the name of the copy of a procedure for arrays that are not contiguous."""


def strided_name(name: str) -> str:
    """What that copy is called."""
    return f"{name}{STRIDED}"
