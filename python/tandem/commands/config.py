# SPDX-License-Identifier: Apache-2.0
"""tandem config"""

from __future__ import annotations

import shlex

import typer

from tandem.installation import DATA, ENGINE


def register(app: typer.Typer) -> None:
    app.command("config")(show)


def show() -> None:
    """Prints what a compiler needs for programs that drive kernels by themselves (tandem.h)."""
    folder = ENGINE.parent
    words = [f"-I{DATA / 'include'}", f"-L{folder}", "-ltandem", f"-Wl,-rpath,{folder}"]
    print(shlex.join(words))
