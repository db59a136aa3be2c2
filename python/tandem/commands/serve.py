# SPDX-License-Identifier: Apache-2.0
"""tandem serve"""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from tandem.commands import options
from tandem.installation import DEFAULT_PLATFORM


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    context: typer.Context,
    application: options.Application,
    offload: options.Offload = None,
    arguments: options.Arguments = None,
    platform: options.Platform = DEFAULT_PLATFORM,
    address: Annotated[
        str, typer.Option(help="where to listen; beyond this machine a token is asked for")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one")] = 0,
    sources: Annotated[
        list[Path] | None, typer.Option("--source", help="a further C file of the program")
    ] = None,
    cflags: Annotated[str, typer.Option("--cflags", help="flags for the C compiler")] = "",
) -> None:
    """Shows the page of a run in a browser, and makes it again when a number of the platform, the
    clock or a directive is moved there."""
    from tandem.files import temporary_folder
    from tandem.platforms.engine import find_platform
    from tandem.serve.live import Live
    from tandem.serve.server import Server

    words = [str(application), "--platform", platform]
    words += [w for name in offload or () for w in ("--offload", name)]
    words += [w for path in sources or () for w in ("--source", str(path))]
    words += [f"--cflags={cflags}"] if cflags else []
    with temporary_folder() as folder:
        live = Live(words, arguments or (), find_platform(platform), folder)
        server = Server(live, address, port)
        Thread(target=server.serve_forever, daemon=True).start()
        print(f"page: {server.url}", flush=True)
        options.say_default_platform(context)
        print("tandem: Ctrl-C ends it", file=sys.stderr, flush=True)
        try:
            live.work()
        finally:
            server.shutdown()
