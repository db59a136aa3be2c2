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


RESULT = (
    "JSON that build, run or verify printed, a package, a folder of packages; with --of a commit"
)


def compare(
    before: Annotated[str, typer.Argument(help=RESULT)],
    after: Annotated[str, typer.Argument(help="the same of later on")],
    of: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="compare what this prints in two commits of the project: build, run or verify "
            "with its options",
        ),
    ] = None,
    noise: Annotated[
        float,
        typer.Option(min=0, metavar="PERCENT", help="measured times that differ by less are alike"),
    ] = MEASURED_PERCENT,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Shows two results side by side: what got better, what worse, and by how much."""
    from tandem.files import temporary_folder
    from tandem.report.compare import show_compare
    from tandem.report.page import page
    from tandem.study.commits import command_words, result_of_commit
    from tandem.study.compare import compare as compared

    require_report(report)
    words = None if of is None else command_words(of)
    with temporary_folder() as work:
        if words is None:
            first, second = Path(before), Path(after)
        else:
            first, second = (result_of_commit(side, words, work) for side in (before, after))
        found = {**compared(first, second, noise), "before": before, "after": after}
        write_report(report, found, files=[first, second])
    if as_json:
        show_json(found)
    else:
        show_compare(found, page())
