# SPDX-License-Identifier: Apache-2.0
"""tandem completion"""

from __future__ import annotations

from typing import Annotated

import typer

from tandem.commands import values
from tandem.diagnostics import user_error

SHELLS = ("bash", "zsh", "fish")


def register(app: typer.Typer) -> None:
    app.command("completion")(show)


def show(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish", autocompletion=values.shells)],
) -> None:
    """Prints what a shell needs to complete commands, options and names of platforms, targets and
    kernels: for bash, `eval "$(tandem completion bash)"`."""
    from typer.completion import get_completion_script  # pyright: ignore

    if shell not in SHELLS:
        raise user_error(
            "completion", f"unknown shell `{shell}`", help=f"known are: {', '.join(SHELLS)}"
        )
    print(get_completion_script(prog_name="tandem", complete_var="_TANDEM_COMPLETE", shell=shell))
