# SPDX-License-Identifier: Apache-2.0
"""tandem list"""

from __future__ import annotations

import tomllib
from typing import Annotated

import typer

from tandem.commands import options, values
from tandem.commands.result import show_json
from tandem.diagnostics import user_error
from tandem.installation import data_file, known
from tandem.library.manifests import library_kernels

KINDS = ("platforms", "targets", "kernels")


def register(app: typer.Typer) -> None:
    app.command("list")(show)


def show(
    kind: Annotated[
        str, typer.Argument(help="platforms, targets or kernels", autocompletion=values.kinds)
    ],
    as_json: options.AsJson = False,
) -> None:
    """Lists what Tandem knows."""
    if kind not in KINDS:
        raise user_error(
            "list", f"nothing to list under `{kind}`", help=f"known are: {', '.join(KINDS)}"
        )
    rows = (
        [
            {"name": name, "title": f"{kernel.title} ({kernel.standard})"}
            for name, kernel in library_kernels().items()
        ]
        if kind == "kernels"
        else [{"name": n, "title": _title(kind, n)} for n in known(kind)]
    )
    if as_json:
        show_json(rows)
        return
    for row in rows:
        print(f"{row['name']:20} {row['title']}")


def _title(kind: str, name: str) -> str:
    with open(data_file(kind, f"{name}.toml"), "rb") as handle:
        return tomllib.load(handle)["title"]
