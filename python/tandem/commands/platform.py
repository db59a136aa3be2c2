# SPDX-License-Identifier: Apache-2.0
"""tandem platform"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from tandem.commands import options
from tandem.host.engine import find_platform, read_platform


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Checks platform files.", no_args_is_help=True)
    group.command("check")(check)
    group.callback()(lambda: None)
    app.add_typer(group, name="platform")


def check(
    platform: Annotated[str, typer.Argument(help="a platform's name or file")],
    changes: options.Changes = None,
    as_json: options.AsJson = False,
) -> None:
    """Checks a platform file: units, missing and unknown numbers, sources."""
    numbers = read_platform(find_platform(platform), changes or ())
    print(
        json.dumps(numbers, indent=2) if as_json else f"{numbers['name']}: {numbers['title']}: good"
    )
