# SPDX-License-Identifier: Apache-2.0
"""tandem advise"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import tandem
from tandem.commands import options
from tandem.commands.result import require_report, show_json, write_report
from tandem.compiler.room import MOST_FUNCTIONS
from tandem.diagnostics import user_error

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE... [-- ARGUMENTS]",
        help="the application's main C file and others of its files, or an executable that "
        "`tandem cc` made; its arguments, after --",
    ),
]


def register(app: typer.Typer) -> None:
    app.command("advise")(advise)


@options.grouped
def advise(
    *,
    context: typer.Context,
    words: Words = None,
    on: options.OnPlatform,
    clock_ns: options.KernelClock = None,
    search: options.Search,
    most: Annotated[
        int, typer.Option(min=1, metavar="N", help="functions that are compiled at most")
    ] = MOST_FUNCTIONS,
    apply: Annotated[
        bool, typer.Option("--apply", help="run the best of them, as `tandem run` does")
    ] = False,
    report: options.Report = None,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Finds which functions of an application are worth offloading, and what stops the others."""
    files, arguments = _apart(words or (), sys.argv)
    if not files:
        raise user_error(
            "option", "the application is missing", help="give its main C file before `--`"
        )
    require_report(report)
    main, *others = map(Path, files)
    given = program.given()
    given = replace(given, sources=(*given.sources, *others))
    asked = on.running(search, clock_ns, given)
    result = tandem.advise(main, arguments, most=most, apply=apply, quiet=as_json, **asked)
    write_report(report, result, platform=on.platform, changes=on.moved)
    if as_json:
        show_json(result)
        return
    from tandem.report.advise import show_advise
    from tandem.report.page import page

    options.say_default_platform(context)
    show_advise(result, page())


def _apart(words: Sequence[str], command: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before and behind `--` of a command line, which has been taken out of them."""
    behind = len(command) - command.index("--") - 1 if "--" in command else 0
    return list(words[: len(words) - behind]), list(words[len(words) - behind :])
