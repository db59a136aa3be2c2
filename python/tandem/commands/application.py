# SPDX-License-Identifier: Apache-2.0
"""All commands together."""

from __future__ import annotations

from typing import Annotated

import typer

from tandem.commands import (
    advise,
    batches,
    bisect,
    build,
    cache,
    cc,
    check,
    compare,
    completion,
    config,
    doctor,
    first,
    listing,
    man,
    new,
    package,
    platform,
    report,
    reproduce,
    run,
    serve,
    verify,
)
from tandem.installation import tandem_version

application = typer.Typer(
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Pairs a program with hardware made from its own C functions, and tells the "
    "truth about the pair.",
)
COMMANDS = (
    *(run, advise, cc, build, verify, report, serve, new, batches, reproduce, listing, platform),
    *(package, config, bisect, compare, check, doctor, cache, completion, man),
)
for module in COMMANDS:
    module.register(application)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"tandem {tandem_version()}")
        raise typer.Exit


@application.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="show the version"),
    ] = False,
) -> None:
    """Pairs a program with hardware made from its own C functions, and tells the truth about the
    pair."""
    if context.invoked_subcommand is None:
        first.show()
