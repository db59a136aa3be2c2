# SPDX-License-Identifier: Apache-2.0
"""tandem package"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tandem.commands import options
from tandem.commands.result import show_json
from tandem.diagnostics import Place, user_error
from tandem.manifest import read_manifest


def register(app: typer.Typer) -> None:
    app.command("package")(show)


def show(
    folder: Annotated[Path, typer.Argument(help="a NAME.tandem folder")],
    as_json: options.AsJson = False,
) -> None:
    """Checks a package and shows what it holds."""
    if not folder.is_dir():
        raise user_error(
            "package", "no such folder", Place(str(folder)), "give a NAME.tandem folder"
        )
    manifest = read_manifest(folder)
    if as_json:
        show_json(manifest)
        return
    from tandem.report.page import pipeline

    print(
        f"{manifest['kernel']} for {manifest['target']} at {manifest['clock_ps'] / 1000:g} ns: "
        f"{pipeline(manifest)}; "
        f"{len(manifest['files'])} files, all as they were made"
    )
