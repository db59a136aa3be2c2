# SPDX-License-Identifier: Apache-2.0
"""tandem batches"""

from __future__ import annotations

from typing import Annotated

import typer

from tandem.commands import options
from tandem.commands.result import require_report, show_json, write_report
from tandem.installation import DEFAULT_PLATFORM
from tandem.progress import stage, step


def register(app: typer.Typer) -> None:
    app.command("batches")(batches)


@options.grouped
def batches(
    *,
    context: typer.Context,
    application: options.Application,
    offload: Annotated[str, typer.Option(help="its function on the device")],
    arguments: options.Arguments = None,
    platform: options.Platform = DEFAULT_PLATFORM,
    changes: options.Changes = None,
    within_ms: Annotated[
        float | None, typer.Option(min=0, help="no call may take longer than so many ms")
    ] = None,
    report: options.Report = None,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Finds what each batch, call and byte costs on a platform, and how many calls to hand over."""
    from tandem.host.prepare import Job, prepared
    from tandem.report.batches import show_batches
    from tandem.report.page import page
    from tandem.study.batches import batches as found_of

    require_report(report)
    with stage("trying batches"):
        given, moved = program.given(), tuple(changes or ())
        job = Job(application, offload, platform, changes=moved, given=given)
        within_s = None if within_ms is None else within_ms / 1e3
        with prepared(job) as build:
            found = found_of(build, arguments or (), within_s, step)
    write_report(report, found, platform=platform, changes=changes or ())
    if as_json:
        show_json(found)
    else:
        options.say_default_platform(context)
        show_batches(found, page())
