# SPDX-License-Identifier: Apache-2.0
"""tandem report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import tandem
from tandem.commands import options


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="results that commands printed with --json, packages, folders that build or run "
            "wrote, pages"
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="the page, *.html; *.json: its data")
    ] = Path("report.html"),
    platform: Annotated[
        str | None, typer.Option(help="a platform whose numbers and their sources are shown too")
    ] = None,
    changes: options.Changes = None,
) -> None:
    """Makes one page, with all that it needs in it, of results and packages."""
    tandem.write_report(output, files=files, platform=platform, changes=changes or ())
    print(f"page: {output}", flush=True)
