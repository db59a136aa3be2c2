# SPDX-License-Identifier: Apache-2.0
"""Where text pages go."""

from __future__ import annotations

import sys

from rich.console import Console

PLAIN_WIDTH = 110


def page() -> Console:
    """Standard output: as wide as the terminal, or wide enough for every table."""
    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False)
