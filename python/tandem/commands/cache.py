# SPDX-License-Identifier: Apache-2.0
"""tandem cache"""

from __future__ import annotations

import typer

from tandem.commands import options
from tandem.commands.result import show_json


def register(app: typer.Typer) -> None:
    about = "Shows what is kept of finished builds, where, and how much; or clears it."
    group = typer.Typer(help=about, invoke_without_command=True)
    group.callback()(show)
    group.command("clear")(clear)
    app.add_typer(group, name="cache")


def show(context: typer.Context, as_json: options.AsJson = False) -> None:
    if context.invoked_subcommand is not None:
        return
    from tandem.cache.kept import describe
    from tandem.report.cache import show_cache
    from tandem.report.page import page

    found = describe()
    if as_json:
        show_json(found)
    else:
        show_cache(found, page())


def clear(as_json: options.AsJson = False) -> None:
    """Removes the builds that are kept; the next run of each program builds again."""
    from tandem.cache.kept import clear as cleared
    from tandem.report.cache import show_cleared
    from tandem.report.page import page

    done = cleared()
    if as_json:
        show_json(done)
    else:
        show_cleared(done, page())
