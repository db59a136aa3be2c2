# SPDX-License-Identifier: Apache-2.0
"""What is told of a result that there is."""

from __future__ import annotations

import sys
from typing import Any

from tandem.diagnostics import diagnostic_of


def show_notes(result: dict[str, Any]) -> None:
    """Prints the notes of a result on standard error, where compilers have theirs."""
    for row in result["notes"]:
        print(diagnostic_of(row), file=sys.stderr)
