# SPDX-License-Identifier: Apache-2.0
"""tandem bisect"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tandem.commands import options
from tandem.commands.result import show_json, showing_failed


def register(app: typer.Typer) -> None:
    app.command("bisect")(bisect)


@options.grouped
def bisect(
    *,
    source: options.Source,
    top: Annotated[str, typer.Option(help="the function that is compiled")],
    clock_ns: options.Clock = 10.0,
    search: options.Search,
    target: options.Family = "ecp5",
    calls: Annotated[int, typer.Option(min=1, help="random calls that are tried")] = 20,
    seed: Annotated[int, typer.Option(help="of the random calls")] = 1,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Finds the first pass of the compiler that changes what a function computes."""
    from tandem.interface import bisect as found_by

    with showing_failed(lambda left: _show(left, as_json)):
        result = found_by(
            source,
            top,
            clock_ns=clock_ns,
            target=target,
            calls=calls,
            seed=seed,
            **search.building(program.given()),
        )
    _show(result, as_json)


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(result)
        return
    name, calls = result["kernel"], result["calls"]
    if result["pass"] is None:
        text = f"{name}: {calls} random calls have the same answers after each of"
        print(f"{text} {result['passes']} passes", flush=True)
        return
    without = "right" if result["cured"] else "not right either"
    print(f"{name}: first wrong after pass {result['number']}, `{result['pass']}`", flush=True)
    print(f"{result['difference']}; without this pass, answers are {without}", flush=True)
    for argument, value in result["arguments"].items():
        print(f"  {argument} = {value}", flush=True)
