# SPDX-License-Identifier: Apache-2.0
"""tandem new"""

from __future__ import annotations

from typing import Annotated

import typer

from tandem.commands import values
from tandem.library.project import FIRST, PLATFORM, new_project


def register(app: typer.Typer) -> None:
    app.command("new")(new)


def new(
    name: Annotated[str, typer.Argument(help="the project's name, which its folder gets")],
    kernel: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="KERNEL",
            autocompletion=values.kernels,
            help="the kernel of the library that it begins with",
        ),
    ] = FIRST,
    platform: Annotated[
        str,
        typer.Option(
            help="a platform's name or file, of which it gets a copy",
            autocompletion=values.platforms,
        ),
    ] = PLATFORM,
) -> None:
    """Makes a project of your own: C, a host program, known answers, a platform and a Makefile."""
    place = new_project(name, kernel, platform)
    print(f"{place}: `make -C {place} verify` tries {kernel}, `make -C {place} run` runs it")
