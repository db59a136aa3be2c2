# SPDX-License-Identifier: Apache-2.0
"""tandem man"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tandem.diagnostics import user_error


def register(app: typer.Typer) -> None:
    app.command("man")(show)


def show(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(help="of which command, for example: platform check")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="write all pages there, as NAME.1"),
    ] = None,
) -> None:
    """Prints a page of the manual, which `| man -l -` shows; or writes all of them."""
    from tandem.commands.manual import NAME, pages

    found = pages(context.find_root().command)
    if output is not None:
        _write(found, output)
        return
    name = "-".join([NAME, *(command or ())])
    if name not in found:
        known = ", ".join(key.removeprefix(f"{NAME}-").replace("-", " ") for key in found)
        raise user_error("man", f"there is no page {name}", help=f"known are: {known}")
    print(found[name], end="")


def _write(pages: dict[str, str], folder: Path) -> None:
    from tandem.files import cannot_write, replace_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    for name, text in pages.items():
        replace_file(folder / f"{name}.1", [text.encode()])
    print(f"{folder}: {len(pages)} pages")
