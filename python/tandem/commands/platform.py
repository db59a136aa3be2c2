# SPDX-License-Identifier: Apache-2.0
"""tandem platform"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tandem.chip.run import read_chip
from tandem.commands import options, values
from tandem.commands.result import require_report, show_json, write_report
from tandem.platforms.engine import find_platform, is_chip, read_platform
from tandem.progress import stage, step


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Checks platform files; finds their numbers.", no_args_is_help=True)
    group.command("check")(check)
    group.command("fit")(fit)
    app.add_typer(group, name="platform")


def check(
    platform: Annotated[
        str, typer.Argument(help="a platform's name or file", autocompletion=values.platforms)
    ],
    changes: options.Changes = None,
    as_json: options.AsJson = False,
) -> None:
    """Checks a platform file: units, missing and unknown numbers, sources."""
    file = find_platform(platform)
    numbers = (read_chip if is_chip(file) else read_platform)(file, changes or ())
    if as_json:
        show_json(numbers)
    else:
        print(f"{numbers['name']}: {numbers['title']}: good")


@options.grouped
def fit(
    *,
    platform: Annotated[
        str, typer.Argument(help="a platform's name or file", autocompletion=values.platforms)
    ],
    measurements: Annotated[
        Path, typer.Argument(help="a CSV: arguments of the application, and total_s or no_config_s")
    ],
    application: Annotated[Path, typer.Option(help="the application that was measured")],
    offload: Annotated[str, typer.Option(help="its function on the device")],
    unknown: Annotated[
        list[str],
        typer.Option(metavar="COMPONENT.NUMBER", help="what to find; several: once for each"),
    ],
    changes: options.Changes = None,
    report: options.Report = None,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Finds numbers of a platform from measured times, and says how well these tell them."""
    from tandem.host.prepare import Job, prepared
    from tandem.report.fit import show_fit
    from tandem.report.page import page
    from tandem.study.fit import fit as fitted
    from tandem.study.fit import read_measurements

    require_report(report)
    rows = read_measurements(measurements)
    with stage("finding numbers"):
        given, moved = program.given(), tuple(changes or ())
        job = Job(application, offload, platform, changes=moved, given=given)
        with prepared(job) as build:
            found = fitted(build, rows, unknown, step).as_json()
    write_report(report, found, platform=platform, changes=changes or ())
    if as_json:
        show_json(found)
    else:
        show_fit(found, page())
