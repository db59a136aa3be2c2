# SPDX-License-Identifier: Apache-2.0
"""tandem, and no command."""

from __future__ import annotations

from pathlib import Path

from tandem.first_commands import first_commands


def show() -> None:
    """What to do first in this folder."""
    found = first_commands(Path())
    width = max(len(str(command)) for command in found)
    print("Here you can:")
    for command in found:
        print(f"  {command!s:{width}}   # {command.meaning}")
    print("`tandem -h` lists all commands, `tandem COMMAND -h` the options of one.")
