# SPDX-License-Identifier: Apache-2.0
"""The command line. Each command is one thin file; the library does the work."""

from __future__ import annotations

import sys

import typer

from tandem.commands import build, listing, package, platform, reproduce, run, verify
from tandem.diagnostics import InternalError, TandemError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Pairs a program with hardware made from its own C functions, and tells the "
    "truth about the pair.",
)
for module in (run, build, verify, reproduce, listing, platform, package):
    module.register(app)


def main() -> None:
    """Runs the command; diagnostics go to standard error and become the exit status."""
    try:
        app()
    except TandemError as error:
        print(error, file=sys.stderr)
        if isinstance(error, InternalError):
            print(
                "this is a fault of Tandem's own; please report it with the C that shows it",
                file=sys.stderr,
            )
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
