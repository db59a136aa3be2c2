# SPDX-License-Identifier: Apache-2.0
"""tandem compare"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tandem.commands import options
from tandem.commands.result import require_report, show_json, write_report
from tandem.study.compare import MEASURED_PERCENT


def register(app: typer.Typer) -> None:
    app.command("compare")(compare)


RESULT = "JSON that build, run or verify printed, a package, or a folder of packages"


def compare(
    before: Annotated[Path, typer.Argument(help=RESULT)],
    after: Annotated[Path, typer.Argument(help="the same of later on")],
    noise: Annotated[
        float,
        typer.Option(min=0, metavar="PERCENT", help="measured times that differ by less are alike"),
    ] = MEASURED_PERCENT,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Shows two results side by side: what got better, what worse, and by how much."""
    from tandem.report.compare import show_compare
    from tandem.report.page import page
    from tandem.study.compare import compare as compared

    require_report(report)
    found = compared(before, after, noise)
    write_report(report, found, files=[before, after])
    if as_json:
        show_json(found)
    else:
        show_compare(found, page())
