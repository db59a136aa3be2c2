# SPDX-License-Identifier: Apache-2.0
"""tandem reproduce"""

from __future__ import annotations

from typing import Annotated

import typer

from tandem.commands import options, values
from tandem.commands.result import require_report, show_json, write_report
from tandem.progress import stage, step


def register(app: typer.Typer) -> None:
    app.command("reproduce")(show)


def show(
    system: Annotated[
        str,
        typer.Argument(
            help="the published system, for example src-6e", autocompletion=values.studies
        ),
    ],
    table: Annotated[
        list[str] | None, typer.Option(help="only this table; may be given several times")
    ] = None,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Runs a published study again and sets its tables beside ours."""
    from tandem.report.gather import reproduction
    from tandem.report.page import page
    from tandem.report.reproduction import show_reproduction
    from tandem.study.reproduce import find_study, reproduce

    require_report(report)
    with stage(f"reproducing {system}"):
        cells = [cell.as_json() for cell in reproduce(system, table or (), step)]
    title = find_study(system)["title"]
    write_report(report, reproduction(title, cells))
    if as_json:
        show_json(cells)
    else:
        show_reproduction(title, cells, page())
