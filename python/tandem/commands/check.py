# SPDX-License-Identifier: Apache-2.0
"""tandem check"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tandem.commands import options
from tandem.commands.result import require_report, show_json, write_report


def register(app: typer.Typer) -> None:
    app.command("check")(check)


def check(
    budget: Annotated[
        Path, typer.Option(metavar="FILE", help="TOML with a budget for each kernel")
    ],
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write the outcome as JUnit's XML")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write what is not kept as SARIF 2.1.0")
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="make what kernels take now their budgets")
    ] = False,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> int:
    """Checks whether kernels keep their budgets: exit status 1 where one does not, 2 for bad
    input."""
    from tandem.files import replace_file, require_replaceable
    from tandem.installation import tandem_version
    from tandem.interface.budget import check as checked
    from tandem.progress import stage, step
    from tandem.report import junit as junit_file
    from tandem.report import sarif as sarif_file
    from tandem.report.check import show_check
    from tandem.report.page import page

    for path, head, option in (
        (junit, junit_file.HEAD, "--junit"),
        (sarif, sarif_file.HEAD, "--sarif"),
    ):
        if path is not None:
            require_replaceable(path, head, option)
    require_report(report)
    with stage("checking budgets"):
        found: dict[str, Any] = checked(budget, update, step)
    if junit is not None:
        replace_file(junit, [junit_file.junit(found)])
    if sarif is not None:
        replace_file(sarif, [sarif_file.sarif(found, tandem_version())])
    write_report(report, found)
    if as_json:
        show_json(found)
    else:
        show_check(found, page())
    return found["exit_status"]
