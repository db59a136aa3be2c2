# SPDX-License-Identifier: Apache-2.0
"""tandem doctor"""

from __future__ import annotations

import typer

from tandem.commands import options
from tandem.commands.result import show_json


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(as_json: options.AsJson = False) -> None:
    """Tries all that Tandem needs or can make use of: what is missing, and how to get it."""
    from tandem.doctor import examine
    from tandem.report.doctor import show_doctor
    from tandem.report.page import page

    found = examine()
    if as_json:
        show_json(found)
    else:
        show_doctor(found, page())
    if not found["is_ready"]:
        raise typer.Exit(2)
